//! What the Overview says first, and what its charts say to those who cannot see them.

use crate::fixture::{self, Case, context, now};
use crate::render::{page, part};
use app::model::{
    Attention, BrokerPanel, Count, Course, Lang, Layer, Minute, Overview, Quality, Recent, Strategy, Theme, TimeRange,
};
use app::pages::{brokers, overview};
use chrono::TimeDelta;

fn html(name: &str, data: &Overview) -> String {
    let ctx = context(Lang::En, Theme::System, "overview");
    page(&format!("overview-{name}"), &ctx, &overview::title(&ctx, data), || overview::view(&ctx, data))
}

fn headline(html: &str) -> &str {
    part(html, "class=\"headline\"", "</div>")
}

#[test]
fn the_worst_finding_comes_first_whatever_the_order() {
    let mut data = fixture::overview(Case::Calm);
    data.attention = vec![
        Attention::UnmappedRecords { count: 4 },
        Attention::DeadLetters { count: 2 },
        Attention::EternalLocks { count: 3 },
        Attention::OrphanLocks { count: 5 },
    ];
    let shown = html("mixed", &data);
    assert!(
        headline(&shown).contains("pill--crit") && headline(&shown).contains("3 locks never expire. 3 more below.")
    );
    let list = part(&shown, "class=\"attention\"", "</ul>");
    let at = |text: &str| list.find(text).unwrap_or_else(|| panic!("{text} in {list}"));
    let places = [at("3 locks never"), at("2 messages in the dead"), at("5 orphan locks"), at("4 records have")];
    assert!(places.is_sorted(), "{places:?}");

    data.attention.push(Attention::NotSeen { layer: Layer::Broker, since: now() });
    let shown = html("mixed-blind", &data);
    assert!(headline(&shown).contains("Not all is seen") && headline(&shown).contains("The broker has not been seen"));
}

#[test]
fn what_is_only_a_note_alarms_nobody() {
    let mut data = fixture::overview(Case::Calm);
    data.attention = vec![Attention::UnmappedRecords { count: 4 }];
    let shown = html("note", &data);
    assert!(!headline(&shown).contains("pill--") && !headline(&shown).contains("#i-warn"), "{}", headline(&shown));
}

#[test]
fn a_bounded_source_is_not_called_healthy() {
    let mut data = fixture::overview(Case::Calm);
    let body = data.records.body.as_mut().unwrap();
    (body.strategy, body.pass) = (Strategy::Bounded, None);
    let shown = html("bounded", &data);
    assert!(headline(&shown).contains("Newest rows only") && !headline(&shown).contains("pill--ok"));
}

#[test]
fn a_chart_says_in_words_what_it_draws() {
    let aging = |back: i64, aging| Minute { aging: Some(aging), ..Minute::empty(minute(back)) };
    let mut data = fixture::overview(Case::Calm);
    data.course.steps = vec![aging(9, 7), aging(8, 3), aging(0, 900)];
    let shown = html("gap", &data);
    assert!(shown.contains("no reading at the end, 7 aging at most in 3\u{a0}h"), "the running minute is not told");
    data.course.steps = vec![aging(9, 7), aging(2, 3)];
    assert!(html("late", &data).contains("3 aging at the end, 7 at most in 3\u{a0}h"));
    data.course.steps = vec![aging(500, 7), aging(0, 900)];
    assert!(html("no-history", &data).contains("Nothing was read in this time"));
}

/// The first instant of the minute that was `back` minutes ago.
fn minute(back: i64) -> chrono::DateTime<chrono::Utc> {
    let second = now().timestamp();
    chrono::DateTime::from_timestamp(second - second % 60, 0).unwrap() - TimeDelta::minutes(back)
}

#[test]
fn a_source_without_a_processing_code_says_so_in_its_charts() {
    let mut data = fixture::overview(Case::Calm);
    data.records.body.as_mut().unwrap().processing = None;
    let shown = html("no-processing", &data);
    assert!(shown.contains("No code of this table means processing"));
    data.records.body.as_mut().unwrap().processing = Some(Count::exact(0));
    assert!(!html("none-processing", &data).contains("No code of this table means processing"));
}

#[test]
fn none_among_a_part_is_not_none() {
    let mut data = fixture::overview(Case::Calm);
    let body = data.records.body.as_mut().unwrap();
    (body.processing, body.oldest) = (Some(Count::exact(0)), Vec::new());
    assert!(html("none-open", &data).contains("Everything that was started has ended."));
    data.records.body.as_mut().unwrap().processing = Some(Count { value: 0, quality: Quality::Partial });
    let shown = html("none-walked", &data);
    assert!(shown.contains("No record in processing was seen") && !shown.contains("Everything that was started"));
}

#[test]
fn dead_letters_are_counted_alike_everywhere() {
    let unacked = |body: &mut BrokerPanel| body.queues.last_mut().unwrap().unacked = Some(5);
    let mut data = fixture::overview(Case::Degraded);
    unacked(data.brokers[0].body.as_mut().unwrap());
    assert_eq!(data.brokers[0].body.as_ref().unwrap().dead_letters(), Some(51));
    let tiles = html("dead", &data);
    assert!(part(&tiles, "class=\"tiles", "</section>").contains(">51<"));

    let ctx = context(Lang::En, Theme::System, "brokers");
    let mut data = fixture::brokers(Case::Degraded);
    let show = |data: &_| page("brokers-dead", &ctx, &brokers::title(&ctx, data), || brokers::view(&ctx, data));
    unacked(data.brokers[0].body.as_mut().unwrap());
    let shown = show(&data);
    assert!(headline(&shown).contains("51 messages lie in the dead letter"), "{}", headline(&shown));
    assert!(part(&shown, "class=\"tiles", "</section>").contains(">51<"));

    let queue = data.brokers[0].body.as_mut().unwrap().queues.last_mut().unwrap();
    (queue.ready, queue.unacked) = (None, None);
    assert_eq!(data.brokers[0].body.as_ref().unwrap().dead_letters(), None);
    let shown = show(&data);
    assert!(!headline(&shown).contains("dead letter"), "what is not known is not told");
    let tile = part(part(&shown, "class=\"tiles", "</section>"), "Dead letter", "</div>");
    assert!(tile.contains("dashval") && tile.contains("not known"), "{tile}");
}

#[test]
fn every_line_and_file_is_of_the_time_that_is_shown() {
    let mut data = fixture::overview(Case::Calm);
    let week = Course { total: data.course.total, ..Course::empty(TimeRange::Recent(Recent::Week), now()) };
    data.course = Course { steps: vec![Minute { aging: Some(7), ..Minute::empty(week.from) }], ..week };
    let shown = html("week", &data);
    assert!(shown.contains("no reading at the end, 7 aging at most in 7\u{a0}d"), "{shown}");
    assert!(part(&shown, "id=\"layers\"", "</header>").contains("Per hour; where duplicates were stopped."));
    assert!(
        part(&shown, "id=\"layers\"", "</header>")
            .contains("In 7\u{a0}d: 95,340 deliveries, 540 duplicates (0.6\u{a0}%), 100\u{a0}% of them intercepted.")
    );
    let files = shown.matches("overview.csv?table=").count();
    let of_now = shown.matches("overview.csv?table=ages\"").count();
    assert_eq!(shown.matches("&amp;range=7d\"").count(), files - of_now, "of {files}");
    let chosen = part(&shown, "overview?range=7d\"", ">");
    assert!(chosen.contains("aria-current=\"true\""), "{chosen}");
}

#[test]
fn a_chart_can_be_read_and_picked_from() {
    let shown = html("plots", &fixture::overview(Case::Calm));
    let plot = part(&shown, "data-plot=\"Deliveries", ">");
    for said in [
        "data-zoom=\"/s/points/overview\"",
        "data-slots=\"180\"",
        "data-step=\"60\"",
        "data-from=\"2026-11-29T05:42:00Z\"",
    ] {
        assert!(plot.contains(said), "{said} in {plot}");
    }
    let table = &shown[shown.find("data-plot=\"Deliveries").unwrap()..];
    assert!(part(table, "<thead>", "</thead>").contains("data-line=\"l-status dash\""));
    assert_eq!(part(table, "<tbody>", "</tbody>").matches("<tr>").count(), 180);
}
