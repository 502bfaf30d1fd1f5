use super::App;
use super::problem::{self, Problem};
use super::security::headers;
use super::spoken::spoken;
use super::visit::{Proxy, Visit};
use crate::telemetry::metric::{self, Labels, Metric};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tracing::Instrument;

/// Longer than any port's own time-out, so that what is slow is named by whoever knows it; this only says "time-out".
const LONGEST: Duration = Duration::from_secs(30);

/// Around every request, the unknown ones too.
pub(super) async fn around(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let begun = app.system.clock.instant();
    // Who is reached under another address than the one that is listened on stands behind a proxy.
    let proxy = if app.system.config.server.public_url.is_some() { Proxy::OnThisMachine } else { Proxy::None };
    let visit = Visit::of(&request, proxy);
    let method = known(request.method());
    // Not the path: it may hold the secret of a link, or somebody's key.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!("request", id = visit.id, method, route);
    request.extensions_mut().insert(visit.clone());

    let answered = async {
        let response = without_panic_or_end(next.run(request), LONGEST).await;
        problem::log(&response);
        spoken(&visit, response)
    };
    let mut response = answered.instrument(span).await;
    headers::add(&app, &visit, response.headers_mut());

    let status = response.status();
    let labels: Labels<'_> = &[("method", method), ("route", &route), ("status", status.as_str())];
    metric::observe(Metric::HttpSeconds, labels, app.system.clock.instant().duration_since(begun));
    response
}

async fn without_panic_or_end(answer: impl Future<Output = Response>, longest: Duration) -> Response {
    // Nothing that the panic may have left half done is used after it: state is behind ports.
    match tokio::time::timeout(longest, AssertUnwindSafe(answer).catch_unwind()).await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => Problem::internal("a handler panicked; the words are in the log above").into_response(),
        Err(_) => Problem::of(StatusCode::GATEWAY_TIMEOUT).into_response(),
    }
}

/// A method is a label of a metric: one that somebody made up is not.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Response, without_panic_or_end};
    use axum::http::StatusCode;
    use std::time::Duration;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let panics = async { panic!("on purpose") };
        assert_eq!(without_panic_or_end(panics, LONGEST).await.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }

    #[tokio::test]
    async fn what_takes_too_long_is_given_up() {
        let hangs = std::future::pending::<Response>();
        assert_eq!(without_panic_or_end(hangs, Duration::from_millis(5)).await.status(), StatusCode::GATEWAY_TIMEOUT);
    }
}
