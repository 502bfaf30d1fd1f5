use super::{Cell, Marking, Sheet, named};
use crate::http::App;
use crate::http::asked::Asked;
use crate::http::problem::{Problem, ProblemDocument};
use axum::extract::{Path, State};
use axum::response::Response;

/// The queues of the source's brokers as CSV, as last read; a stream has a row for each of its groups. A broker that is
/// not seen has the row of its last reading: `read_at` says when that was, `seen` that it is no reading of now.
#[utoipa::path(get, path = "/api/sources/{source}/brokers.csv", tag = "brokers", params(("source" = String, Path), Marking),
    responses((status = 200, body = String, content_type = "text/csv"), (status = 400, body = ProblemDocument), (status = 404, body = ProblemDocument)))]
pub async fn read(
    State(app): State<App>,
    Path(source): Path<String>,
    Asked(marking): Asked<Marking>,
) -> Result<Response, Problem> {
    let brokers = app.reads.brokers(&source).await?.brokers;
    let mut sheet = Sheet::new(&[
        "broker",
        "address",
        "vhost",
        "read_at",
        "seen",
        "queue",
        "group",
        "kind",
        "dead_letter",
        "ready",
        "unacked",
        "consumers",
        "in_per_second",
        "acked_per_second",
        "redelivered_per_second",
        "delivery_limit",
        "consumer_timeout_ms",
        "stream_length",
        "pending_looked_at",
        "pending_delivered_again",
        "most_deliveries",
        "oldest_idle_ms",
    ])?;
    for panel in &brokers {
        let Some(body) = &panel.body else { continue };
        for queue in &body.queues {
            let group = queue.group.as_ref();
            sheet.row([
                Cell::word(&body.kind)?,
                Cell::text(&body.address),
                Cell::some_text(body.vhost.as_deref()),
                Cell::some_time(panel.read_at),
                Cell::plain(panel.trouble.is_none()),
                Cell::text(&queue.name),
                Cell::some_text(group.map(|group| group.name.as_str())),
                Cell::some_text(queue.kind.as_deref()),
                Cell::plain(queue.dead_letter),
                Cell::some(queue.ready),
                Cell::some(queue.unacked),
                Cell::some(queue.consumers),
                Cell::some(queue.in_per_second),
                Cell::some(queue.acked_per_second),
                Cell::some(queue.redelivered_per_second),
                Cell::some(queue.delivery_limit),
                Cell::some(queue.consumer_timeout_ms),
                Cell::some(group.map(|group| group.length)),
                Cell::some(group.map(|group| group.looked_at)),
                Cell::some(group.map(app::model::Group::delivered_again)),
                Cell::some(group.and_then(|group| group.most_deliveries)),
                Cell::some(group.and_then(|group| group.oldest_idle_ms)),
            ])?;
        }
    }
    sheet.answer(&named(&source, "queues", app.system.clock.now()), &marking)
}
