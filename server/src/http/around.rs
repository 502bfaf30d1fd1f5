use super::App;
use super::problem::{self, Problem};
use super::security::headers;
use super::visit::Visit;
use crate::telemetry::metric::{self, Metric};
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
    let visit = Visit::of(&request);
    let method = known(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let span = tracing::info_span!("request", id = visit.id, method, path = request.uri().path());
    request.extensions_mut().insert(visit.clone());

    let answered = async {
        let response = without_panic_or_end(next.run(request)).await;
        problem::log(&response);
        problem::spoken(&visit, response).await
    };
    let mut response = answered.instrument(span).await;
    headers::add(&app, &visit, response.headers_mut());

    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let status = response.status();
    let labels = [("method", method), ("route", route), ("status", status.as_str())];
    metric::observe(Metric::HttpSeconds, &labels, app.system.clock.instant().duration_since(begun));
    response
}

async fn without_panic_or_end(answer: impl Future<Output = Response>) -> Response {
    // Nothing that the panic may have left half done is used after it: state is behind ports.
    match tokio::time::timeout(LONGEST, AssertUnwindSafe(answer).catch_unwind()).await {
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
