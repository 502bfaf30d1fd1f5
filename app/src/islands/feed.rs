//! One event stream per tab, closed while the tab is hidden, into one store that all islands follow.

use super::busy::Busy;
use crate::model::{BrokerPanel, LocksPanel, Panel, RecordsPanel, SignalsPanel};
use chrono::{DateTime, Utc};
#[cfg(not(feature = "hydrate"))]
use leptos::prelude::*;
use std::collections::BTreeMap;

/// The panels that the stream has told so far; `None` until then: an island keeps what the server drew.
#[derive(Debug, Default)]
pub(super) struct Board {
    pub records: Option<Panel<RecordsPanel>>,
    pub locks: Option<Panel<LocksPanel>>,
    pub signals: Option<Panel<SignalsPanel>>,
    /// By their place in the configuration.
    pub brokers: BTreeMap<usize, Panel<BrokerPanel>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "only a browser has a stream"))]
pub(super) enum Stream {
    /// As the server drew it.
    Still,
    Connecting,
    Live,
    /// What comes in waits.
    Paused(Busy),
    /// Lost for that long; it is tried again by itself.
    Lost {
        since: DateTime<Utc>,
    },
}

/// Follows the board: `read` gives what to show, or `None` while the board does not know enough.
/// On the server there is nothing to follow.
#[cfg(not(feature = "hydrate"))]
pub(super) fn follow<T>(initial: T, _read: impl Fn(&Board, DateTime<Utc>) -> Option<T> + 'static) -> Signal<T>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    Signal::stored(initial)
}

#[cfg(not(feature = "hydrate"))]
pub(super) fn stream(_source: &str) -> Signal<(Stream, i64)> {
    Signal::stored((Stream::Still, 0))
}

#[cfg(feature = "hydrate")]
pub(super) use browser::{follow, next_second, stream};

#[cfg(feature = "hydrate")]
mod browser {
    use super::{Board, Stream};
    use crate::islands::{newer, page};
    use crate::model::Panel;
    use crate::ui::encoded;
    use chrono::{DateTime, Utc};
    use leptos::prelude::*;
    use std::cell::RefCell;
    use std::sync::LazyLock;
    use wasm_bindgen::JsCast;
    use wasm_bindgen::closure::Closure;
    use web_sys::{EventSource, MessageEvent};

    /// As many brokers as one source is expected to have.
    const BROKERS: usize = 16;
    /// A stream that the browser gave up is opened again after that many seconds.
    const REOPEN_AFTER_S: i64 = 10;

    struct Store {
        board: ArcRwSignal<Board>,
        stream: ArcRwSignal<Stream>,
        /// Counts seconds while the page is seen; what shows an age depends on it.
        seconds: ArcRwSignal<u32>,
    }

    static STORE: LazyLock<Store> = LazyLock::new(|| Store {
        board: ArcRwSignal::new(Board::default()),
        stream: ArcRwSignal::new(Stream::Still),
        seconds: ArcRwSignal::new(0),
    });

    thread_local! {
        /// The open stream, and the source that it is of.
        static OPEN: RefCell<(String, Option<EventSource>)> = const { RefCell::new((String::new(), None)) };
    }

    pub(in crate::islands) fn follow<T>(
        initial: T,
        read: impl Fn(&Board, DateTime<Utc>) -> Option<T> + 'static,
    ) -> Signal<T>
    where
        T: Clone + PartialEq + Send + Sync + 'static,
    {
        let shown = RwSignal::new(initial);
        Effect::new(move || {
            STORE.seconds.track();
            if let Some(next) = STORE.board.with(|board| read(board, page::now()))
                && shown.with_untracked(|old| *old != next)
            {
                shown.set(next);
            }
        });
        shown.into()
    }

    /// Opens the stream of `source`; gives its state and, when it is lost, for how many milliseconds.
    pub(in crate::islands) fn stream(source: &str) -> Signal<(Stream, i64)> {
        OPEN.with_borrow_mut(|open| open.0 = source.to_owned());
        let shown = RwSignal::new((Stream::Still, 0));
        Effect::new(move || {
            STORE.seconds.track();
            let state = STORE.stream.get();
            let lost_ms = match state {
                Stream::Lost { since } => (page::now() - since).num_milliseconds() / 1_000 * 1_000,
                _ => 0,
            };
            if shown.get_untracked() != (state, lost_ms) {
                shown.set((state, lost_ms));
            }
        });
        shown.into()
    }

    /// Once a second: opens, closes or opens again what should be, and lets waiting news in.
    pub(in crate::islands) fn next_second() {
        if OPEN.with_borrow(|open| open.0.is_empty()) {
            return;
        }
        if page::hidden() {
            close();
            return;
        }
        let state = STORE.stream.get_untracked();
        let given_up = OPEN.with_borrow(|open| match &open.1 {
            None => true,
            Some(events) => events.ready_state() == EventSource::CLOSED,
        });
        let due = match state {
            Stream::Lost { since } => (page::now() - since).num_seconds() % REOPEN_AFTER_S == REOPEN_AFTER_S - 1,
            _ => true,
        };
        if given_up && due {
            open();
        }
        let busy = page::busy();
        match (state, busy) {
            (Stream::Live, Some(busy)) => STORE.stream.set(Stream::Paused(busy)),
            (Stream::Paused(before), Some(busy)) if before != busy => STORE.stream.set(Stream::Paused(busy)),
            (Stream::Paused(_), None) => {
                STORE.stream.set(Stream::Live);
                STORE.board.notify();
            }
            _ => {}
        }
        if busy.is_none() {
            STORE.seconds.update(|seconds| *seconds = seconds.wrapping_add(1));
        }
        STORE.board.with_untracked(|board| {
            let records = board.records.as_ref().filter(|panel| panel.trouble.is_none()).map(|panel| panel.version);
            newer::look(records, board.locks.as_ref());
        });
    }

    fn close() {
        if let Some(events) = OPEN.with_borrow_mut(|open| open.1.take()) {
            events.close();
            STORE.stream.set(Stream::Connecting);
        }
    }

    fn open() {
        close();
        let source = OPEN.with_borrow(|open| open.0.clone());
        let Ok(events) = EventSource::new(&format!("/api/events?source={}", encoded(&source))) else {
            lost();
            return;
        };
        if STORE.stream.get_untracked() == Stream::Still {
            STORE.stream.set(Stream::Connecting);
        }
        on(&events, "open", |_| STORE.stream.set(Stream::Live));
        on(&events, "error", |_| lost());
        on(&events, "records", |data| put(&data, |board, panel| board.records = Some(panel)));
        on(&events, "locks", |data| put(&data, |board, panel| board.locks = Some(panel)));
        on(&events, "signals", |data| put(&data, |board, panel| board.signals = Some(panel)));
        for place in 0..BROKERS {
            on(&events, &format!("brokers/{place}"), move |data| {
                put(&data, |board, panel| {
                    board.brokers.insert(place, panel);
                });
            });
        }
        OPEN.with_borrow_mut(|open| open.1 = Some(events));
    }

    fn lost() {
        if !matches!(STORE.stream.get_untracked(), Stream::Lost { .. }) {
            STORE.stream.set(Stream::Lost { since: page::now() });
        }
    }

    /// The closure lives as long as the page: a stream is opened a few times at most.
    fn on(events: &EventSource, name: &str, then: impl Fn(String) + 'static) {
        let then = Closure::<dyn Fn(web_sys::Event)>::new(move |event: web_sys::Event| {
            let data = event.dyn_ref::<MessageEvent>().and_then(|message| message.data().as_string());
            then(data.unwrap_or_default());
        });
        // Only a name that is no string is refused.
        let _ = events.add_event_listener_with_callback(name, then.as_ref().unchecked_ref());
        then.forget();
    }

    /// Takes one panel in. One that cannot be read was written by a newer server; the next page load brings its script.
    fn put<T: serde::de::DeserializeOwned>(data: &str, into: impl FnOnce(&mut Board, Panel<T>)) {
        let Ok(panel) = serde_json::from_str(data) else { return };
        if page::busy().is_some() {
            STORE.board.update_untracked(|board| into(board, panel));
        } else {
            STORE.board.update(|board| into(board, panel));
        }
    }
}
