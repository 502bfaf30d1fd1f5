use crate::http::App;
use crate::http::problem::Problem;
use crate::ports::state::StateError;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use uuid::Uuid;

/// Anybody may ask, and asking writes: an answer is given again for this long.
const GOOD_FOR: Duration = Duration::from_secs(2);

/// The last answer. Who asks while the database is asked waits for that answer.
#[derive(Debug, Default)]
pub struct Ready {
    last: Mutex<Option<(Instant, Result<(), String>)>>,
}

/// Ready means that a lease can be had, which reads and writes the state database: without one nothing is collected.
pub(in crate::http) async fn readyz(State(app): State<App>) -> Response {
    let mut last = app.ready.last.lock().await;
    let now = app.system.clock.instant();
    let answer = match &*last {
        Some((at, answer)) if now.duration_since(*at) < GOOD_FOR => answer.clone(),
        _ => {
            let answer = try_lease(&app).await.map_err(|error| error.to_string());
            *last = Some((now, answer.clone()));
            answer
        }
    };
    match answer {
        Ok(()) => "ready\n".into_response(),
        Err(words) => Problem::from(StateError::Failed(words)).into_response(),
    }
}

async fn try_lease(app: &App) -> Result<(), StateError> {
    let leases = &app.system.state.leases;
    match leases.acquire("readyz", &Uuid::now_v7().to_string()).await? {
        Some(lease) => leases.release(&lease).await,
        // Another instance asks at this moment: the database answered.
        None => Ok(()),
    }
}
