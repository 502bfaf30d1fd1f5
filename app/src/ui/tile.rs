//! The figures at the top of the Overview. What a tile shows is worked out here, by the same code on the server and,
//! when news come in, in the browser.

mod reported;

#[cfg(feature = "ssr")]
pub(crate) use reported::percent;

use super::{Icon, Tone};
use crate::model::{
    BrokerPanel, Count, Freshness, Lang, LocksPanel, Panel, Quality, Queue, RecordsPanel, SignalsPanel,
};
use crate::words::{self, measure, overview, state};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TileName {
    Aging,
    Processing,
    Failed,
    LocksWrong,
    LocksHeld,
    Ready,
    DeadLetter,
    HandlingTime,
    Conflicts,
    DedupHits,
    DuplicateRate,
    Interception,
    Failures,
    Consumers,
}

impl TileName {
    /// Of a source whose consumers report nothing.
    pub const READ: [Self; 7] =
        [Self::Aging, Self::Processing, Self::Failed, Self::LocksWrong, Self::LocksHeld, Self::Ready, Self::DeadLetter];
    /// Of one whose consumers do.
    pub const ALL: [Self; 14] = [
        Self::HandlingTime,
        Self::Aging,
        Self::Conflicts,
        Self::DedupHits,
        Self::Failures,
        Self::DuplicateRate,
        Self::Interception,
        Self::Processing,
        Self::Failed,
        Self::LocksWrong,
        Self::LocksHeld,
        Self::Ready,
        Self::DeadLetter,
        Self::Consumers,
    ];

    pub(crate) fn word(self, lang: Lang) -> &'static str {
        match self {
            Self::Aging => overview::aging(lang),
            Self::Processing => overview::processing(lang),
            Self::Failed => overview::failed(lang),
            Self::LocksWrong => overview::locks_wrong(lang),
            Self::LocksHeld => overview::locks_held(lang),
            Self::Ready => overview::ready(lang),
            Self::DeadLetter => overview::dead_letter(lang),
            Self::HandlingTime => overview::handling_time(lang),
            Self::Conflicts => overview::conflicts(lang),
            Self::DedupHits => overview::dedup_hits(lang),
            Self::DuplicateRate => overview::duplicate_rate(lang),
            Self::Interception => overview::interception(lang),
            Self::Failures => overview::retries(lang),
            Self::Consumers => overview::consumers(lang),
        }
    }
}

/// The panels that tiles are made from.
pub(crate) struct Watched<'a> {
    pub records: Option<&'a Panel<RecordsPanel>>,
    pub locks: Option<&'a Panel<LocksPanel>>,
    pub signals: Option<&'a Panel<SignalsPanel>>,
    pub brokers: &'a [&'a Panel<BrokerPanel>],
}

impl Watched<'_> {
    /// Whether the panels of this tile are all here; `brokers` is how many are configured.
    pub fn knows(&self, name: TileName, brokers: usize) -> bool {
        match name {
            TileName::Aging | TileName::Processing | TileName::Failed => self.records.is_some(),
            TileName::LocksWrong | TileName::LocksHeld => self.locks.is_some(),
            TileName::HandlingTime
            | TileName::Conflicts
            | TileName::DedupHits
            | TileName::DuplicateRate
            | TileName::Interception
            | TileName::Failures
            | TileName::Consumers => self.signals.is_some(),
            TileName::Ready | TileName::DeadLetter => self.brokers.len() == brokers && brokers > 0,
        }
    }
}

/// What a tile shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Face {
    /// Of the whole tile: the line at its top and the figure.
    pub tone: Tone,
    pub(crate) shape: Icon,
    /// Of the mark beside the name.
    pub mark: Tone,
    /// `—` where nothing was read: never a zero.
    pub value: String,
    pub sub: String,
    pub(crate) certainty: Certainty,
}

/// How far the figure can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Certainty {
    Read,
    Stale,
    /// Not read, not there, or not reachable.
    Missing,
}

const DASH: &str = "—";

impl Face {
    pub(crate) fn of(lang: Lang, name: TileName, watched: &Watched<'_>, now: DateTime<Utc>) -> Self {
        match name {
            TileName::Aging => Self::from_panel(lang, watched.records, now, |body| aging(lang, body, now)),
            TileName::Processing => Self::from_panel(lang, watched.records, now, |body| {
                status(lang, body.processing, |count| measure::quality(lang, count.quality).to_owned())
            }),
            TileName::Failed => Self::from_panel(lang, watched.records, now, |body| {
                status(lang, body.failed, |count| measure::quality(lang, count.quality).to_owned())
            }),
            TileName::LocksWrong => Self::from_panel(lang, watched.locks, now, |body| locks_wrong(lang, body)),
            TileName::LocksHeld => Self::from_panel(lang, watched.locks, now, |body| {
                let expiring = overview::expiring(lang, words::count(lang, body.expiring));
                Self::plain(words::count(lang, body.held), expiring)
            }),
            TileName::Ready => Self::from_brokers(lang, watched.brokers, now, |bodies| ready(lang, bodies)),
            TileName::DeadLetter => Self::from_brokers(lang, watched.brokers, now, |bodies| dead_letter(lang, bodies)),
            TileName::HandlingTime
            | TileName::Conflicts
            | TileName::DedupHits
            | TileName::DuplicateRate
            | TileName::Interception
            | TileName::Failures
            | TileName::Consumers => {
                Self::from_panel(lang, watched.signals, now, |body| reported::face(lang, name, body))
            }
        }
    }

    fn plain(value: String, sub: String) -> Self {
        Self { tone: Tone::Mute, shape: Icon::Info, mark: Tone::Mute, value, sub, certainty: Certainty::Read }
    }

    fn fine(value: String, sub: String) -> Self {
        Self { tone: Tone::Ok, shape: Icon::Ok, mark: Tone::Ok, ..Self::plain(value, sub) }
    }

    fn wrong(tone: Tone, value: String, sub: String) -> Self {
        let shape = if tone == Tone::Crit { Icon::Crit } else { Icon::Warn };
        Self { tone, shape, mark: tone, ..Self::plain(value, sub) }
    }

    fn missing(shape: Icon, mark: Tone, sub: String) -> Self {
        Self { shape, mark, certainty: Certainty::Missing, ..Self::plain(DASH.into(), sub) }
    }

    fn stale(self, lang: Lang, age_ms: i64) -> Self {
        let sub = state::age_old(lang, measure::age(lang, age_ms));
        Self { tone: Tone::Mute, shape: Icon::Clock, mark: Tone::Warn, sub, certainty: Certainty::Stale, ..self }
    }

    fn from_panel<T>(lang: Lang, panel: Option<&Panel<T>>, now: DateTime<Utc>, read: impl FnOnce(&T) -> Self) -> Self {
        let Some(panel) = panel else {
            return Self::missing(Icon::Info, Tone::Mute, overview::not_configured(lang).into());
        };
        match (panel.freshness(now), &panel.body, panel.read_at) {
            (Freshness::Unreachable, _, Some(at)) => {
                let seen = state::last_seen(lang, words::ago(lang, (now - at).num_milliseconds()));
                Self::missing(Icon::Off, Tone::Crit, seen)
            }
            (Freshness::Unreachable, _, None) => Self::missing(Icon::Off, Tone::Crit, state::never_seen(lang).into()),
            (Freshness::Stale, Some(body), Some(at)) => read(body).stale(lang, (now - at).num_milliseconds()),
            (_, Some(body), _) => read(body),
            (_, None, _) => Self::missing(Icon::Clock, Tone::Mute, state::not_read_yet(lang).into()),
        }
    }

    /// Sums over all brokers. One that is not seen makes the sum a lower bound; when none is seen there is no sum.
    fn from_brokers(
        lang: Lang,
        brokers: &[&Panel<BrokerPanel>],
        now: DateTime<Utc>,
        read: impl Fn(&[&BrokerPanel]) -> Self,
    ) -> Self {
        let seen = |panel: &&&Panel<BrokerPanel>| matches!(panel.freshness(now), Freshness::Live | Freshness::Stale);
        let known: Vec<_> = brokers.iter().filter(seen).collect();
        if known.is_empty() {
            // What is said of the first one holds for all: not configured, not read yet, or not reachable.
            return Self::from_panel(lang, brokers.first().copied(), now, |body| read(&[body]));
        }
        let bodies: Vec<_> = known.iter().filter_map(|panel| panel.body.as_ref()).collect();
        let face = read(&bodies);
        if known.len() < brokers.len() {
            let value = match face.certainty {
                Certainty::Missing => face.value,
                _ => measure::at_least(lang, face.value),
            };
            return Self {
                value,
                sub: overview::some_not_seen(lang).into(),
                shape: Icon::Off,
                mark: Tone::Crit,
                ..face
            };
        }
        let oldest = known
            .iter()
            .filter(|panel| panel.freshness(now) == Freshness::Stale)
            .filter_map(|panel| panel.read_at)
            .min();
        match oldest {
            Some(at) => face.stale(lang, (now - at).num_milliseconds()),
            None => face,
        }
    }

    pub(crate) fn value_class(&self) -> String {
        let certainty = match self.certainty {
            Certainty::Read => "",
            Certainty::Stale => " t3",
            Certainty::Missing => " dashval",
        };
        format!("tile__value{certainty}")
    }

    pub(crate) fn sub_class(&self) -> String {
        let tone = match (self.certainty, self.mark) {
            (Certainty::Stale, _) => " warn",
            (Certainty::Missing, Tone::Crit) => " crit",
            _ => "",
        };
        format!("tile__sub{tone}")
    }
}

fn status(lang: Lang, count: Option<Count>, sub: impl FnOnce(Count) -> String) -> Face {
    match count {
        Some(count) => Face::plain(words::count(lang, count), sub(count)),
        None => Face::missing(Icon::Unknown, Tone::Mute, overview::no_code(lang).into()),
    }
}

fn aging(lang: Lang, body: &RecordsPanel, now: DateTime<Utc>) -> Face {
    let Some(count) = body.aging else { return status(lang, None, |_| String::new()) };
    let value = words::count(lang, count);
    let over = overview::over(lang, measure::limit(lang, body.aging_after_ms));
    if count.value == 0 {
        // None among what was walked so far is not yet none.
        return match count.quality {
            Quality::Partial => Face::plain(value, measure::partial(lang).into()),
            _ => Face::fine(value, over),
        };
    }
    let oldest = body.oldest.first().and_then(|row| row.record.since());
    let sub = match oldest {
        Some(at) => {
            overview::both(lang, over, overview::oldest(lang, measure::age(lang, (now - at).num_milliseconds())))
        }
        None => over,
    };
    Face::wrong(Tone::Crit, value, sub)
}

fn locks_wrong(lang: Lang, body: &LocksPanel) -> Face {
    let parts = [body.eternal, body.orphan, body.unprotected];
    let all = parts.iter().map(|count| count.value).sum();
    let quality =
        parts.iter().map(|count| count.quality).find(|quality| *quality != Quality::Exact).unwrap_or(Quality::Exact);
    let value = words::count(lang, Count { value: all, quality });
    if all == 0 {
        return Face::fine(value, overview::wrong_none(lang).into());
    }
    let [eternal, orphan, unprotected] = parts.map(|count| words::count(lang, count));
    let tone = if body.eternal.value + body.unprotected.value > 0 { Tone::Crit } else { Tone::Warn };
    Face::wrong(tone, value, overview::wrong_parts(lang, eternal, orphan, unprotected))
}

fn ready(lang: Lang, bodies: &[&BrokerPanel]) -> Face {
    let queues: Vec<&Queue> = queues(bodies).filter(|queue| !queue.dead_letter).collect();
    let waiting: u64 = queues.iter().filter_map(|queue| queue.ready).sum();
    let unacked: u64 = queues.iter().filter_map(|queue| queue.unacked).sum();
    if queues.iter().any(|queue| queue.ready.is_none()) {
        return Face::plain(
            measure::at_least(lang, measure::grouped(waiting)),
            overview::some_queues_silent(lang).into(),
        );
    }
    let sub = overview::both(
        lang,
        overview::queues(lang, u64::try_from(queues.len()).unwrap_or(u64::MAX)),
        overview::unacked(lang, measure::grouped(unacked)),
    );
    Face::plain(measure::grouped(waiting), sub)
}

fn dead_letter(lang: Lang, bodies: &[&BrokerPanel]) -> Face {
    if !queues(bodies).any(|queue| queue.dead_letter) {
        return Face::missing(Icon::Info, Tone::Mute, overview::no_dead_letter(lang).into());
    }
    match bodies.iter().map(|body| body.dead_letters()).sum::<Option<u64>>() {
        None => Face::missing(Icon::Unknown, Tone::Mute, measure::not_known(lang).into()),
        Some(0) => Face::fine("0".into(), overview::dead_empty(lang).into()),
        Some(count) => Face::wrong(Tone::Warn, measure::grouped(count), overview::dead_waiting(lang).into()),
    }
}

fn queues<'a>(bodies: &[&'a BrokerPanel]) -> impl Iterator<Item = &'a Queue> {
    bodies.iter().flat_map(|body| &body.queues)
}
