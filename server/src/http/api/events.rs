//! Live panels: one stream for each open page, fed by the board. First everything as it is now, then what changes.

use crate::http::App;
use crate::http::asked::Asked;
use crate::http::caller::Caller;
use crate::http::problem::{Problem, ProblemDocument};
use crate::live::{Board, Changed};
use crate::system::{SourceSystem, System};
use app::model::{Fault, PanelName};
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::{Stream, StreamExt, stream};
use serde::Deserialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// Proxies cut a connection that says nothing for a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// Then the stream ends and the browser opens it again: whoever was signed out meanwhile does not get in.
const LASTS: Duration = Duration::from_secs(15 * 60);

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Of {
    source: String,
}

/// A stream of server-sent events. `event` is the panel's name (`records`, `locks`, `signals`, `brokers/0`, …), `data` the panel,
/// `id` its version.
#[utoipa::path(get, path = "/api/events", tag = "sources", params(Of),
    responses((status = 200, content_type = "text/event-stream"), (status = 404, body = ProblemDocument), (status = 429, body = ProblemDocument)))]
pub async fn stream(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Asked(of): Asked<Of>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    if let Some(only) = caller.source.as_ref().filter(|only| **only != of.source) {
        return Err(Problem::scope(only));
    }
    let Some(source) = app.system.source(&of.source) else {
        return Err(Fault::NoSource { source_name: of.source }.into());
    };
    let Ok(place) = app.streams.clone().try_acquire_owned() else {
        return Err(Problem::of(StatusCode::TOO_MANY_REQUESTS).detail("too many live pages are open on this server"));
    };
    let feed = Feed::new(&app.system, source, place);
    let shutdown = app.shutdown.clone();
    let end = async move {
        tokio::select! {
            () = shutdown.cancelled_owned() => {}
            () = tokio::time::sleep(LASTS) => {}
        }
    };
    let events = stream::unfold(feed, async |mut feed| feed.next().await.map(|event| (Ok(event), feed)));
    Ok(Sse::new(events.take_until(end)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE).text("here")))
}

struct Feed {
    board: Arc<Board>,
    source: String,
    changes: Receiver<Changed>,
    /// With the last version that was sent.
    panels: Vec<(String, i64)>,
    /// Panels that may have something new.
    waiting: VecDeque<usize>,
    _place: OwnedSemaphorePermit,
}

impl Feed {
    fn new(system: &System, source: &SourceSystem, place: OwnedSemaphorePermit) -> Self {
        let mut panels = vec![PanelName::Records.as_str().to_owned()];
        panels.extend(source.locks.as_ref().map(|_| PanelName::Locks.as_str().to_owned()));
        panels.extend(source.config.signals.as_ref().map(|_| PanelName::Signals.as_str().to_owned()));
        panels.extend((0..source.brokers.len()).map(|n| format!("{}/{n}", PanelName::Brokers.as_str())));
        Self {
            board: system.board.clone(),
            source: source.config.name.clone(),
            // Subscribed before the first reading, so that nothing falls between the two.
            changes: system.board.subscribe(),
            waiting: (0..panels.len()).collect(),
            panels: panels.into_iter().map(|name| (name, i64::MIN)).collect(),
            _place: place,
        }
    }

    /// `None`: the board is gone.
    async fn next(&mut self) -> Option<Event> {
        loop {
            while let Some(at) = self.waiting.pop_front() {
                if let Some(event) = self.newer(at) {
                    return Some(event);
                }
            }
            match self.changes.recv().await {
                Ok(changed) if changed.source == self.source => {
                    self.waiting.extend(self.panels.iter().position(|(name, _)| *name == changed.panel));
                }
                Ok(_) => {}
                // Too slow to hear every change: the board has the latest of each.
                Err(RecvError::Lagged(_)) => self.waiting = (0..self.panels.len()).collect(),
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn newer(&mut self, at: usize) -> Option<Event> {
        let (name, sent) = self.panels.get_mut(at)?;
        let (version, json) = self.board.json(&self.source, name)?;
        if version <= *sent {
            return None;
        }
        *sent = version;
        Some(Event::default().event(&*name).id(version.to_string()).data(&*json))
    }
}
