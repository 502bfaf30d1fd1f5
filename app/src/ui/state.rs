//! What stands where data would: empty, not reached, not possible, still waiting. Never a zero that was not read.

use super::{Clock, Icon, Tone, classed};
use crate::model::{Fault, Lang, Layer, Status, Trouble};
use crate::words;
use leptos::prelude::*;

/// One title with its mark, sentences, and ways on.
pub(crate) struct State {
    pub tone: Tone,
    pub shape: Icon,
    pub title: String,
    pub lines: Vec<String>,
    /// (where it leads, what it says).
    pub ways: Vec<(String, String)>,
}

impl State {
    pub fn new(tone: Tone, shape: Icon, title: impl Into<String>) -> Self {
        Self { tone, shape, title: title.into(), lines: Vec::new(), ways: Vec::new() }
    }

    pub fn line(mut self, line: impl Into<String>) -> Self {
        self.lines.push(line.into());
        self
    }

    pub fn way(mut self, href: impl Into<String>, word: impl Into<String>) -> Self {
        self.ways.push((href.into(), word.into()));
        self
    }

    pub fn view(self) -> AnyView {
        let ways = (!self.ways.is_empty()).then(|| {
            let links = self.ways.into_iter().map(|(href, word)| view! { <a class="btn btn--s" href=href>{word}</a> });
            view! { <div class="row">{links.collect_view()}</div> }
        });
        view! {
            <div class="state">
                <p class="state__title">{classed(self.shape, &format!("icon {}", self.tone.word()))}{self.title}</p>
                {self.lines.into_iter().map(|line| view! { <p class="break">{line}</p> }).collect_view()}
                {ways}
            </div>
        }
        .into_any()
    }
}

/// A layer whose last reading failed: what happened, since when, when it is tried again, and what is unknown until then.
pub(crate) fn unreachable(clock: &Clock<'_>, layer: Layer, trouble: &Trouble) -> State {
    let lang = clock.lang;
    let next = clock
        .until(trouble.next_try_at)
        .map_or_else(|| words::state::next_try_now(lang).to_owned(), |when| words::state::next_try(lang, when));
    let tried = words::state::tried(lang, u64::from(trouble.attempts), clock.short(trouble.since));
    let unknown = match layer {
        Layer::Lock => words::lock::count_not_known(lang),
        Layer::Broker => words::state::queues_not_known(lang),
        Layer::Records | Layer::State | Layer::Signals | Layer::Archive => words::state::records_not_known(lang),
    };
    let (title, why) = match &trouble.fault {
        Fault::Unreachable { detail, .. } => {
            (words::state::cannot_be_reached(lang, words::layer_subject(lang, layer)), Some(detail))
        }
        fault => (words::fault(lang, fault), None),
    };
    let state = State::new(Tone::Crit, Icon::Off, title);
    let state = match why {
        Some(why) => state.line(words::overview::sentence(lang, why)),
        None => state,
    };
    state.line(words::join(lang, &[&tried, &next])).line(unknown)
}

/// A panel that no collector has written yet.
pub(crate) fn waiting(lang: Lang, layer: Layer) -> State {
    State::new(Tone::Mute, Icon::Clock, words::state::waiting(lang, words::layer_object(lang, layer)))
        .line(words::state::waiting_why(lang))
}

/// A status that this table has no code for.
pub(crate) fn not_mapped(lang: Lang, status: Status) -> State {
    State::new(Tone::Mute, Icon::Unknown, words::record::not_mapped(lang, words::status(lang, status)))
        .line(words::record::not_mapped_why(lang))
        .way("/settings", words::overview::see_settings(lang))
}
