use super::{Count, Fault, Pass, RecordRef, Status, VerdictCount, WhyNot};
use serde::{Deserialize, Serialize};

/// State of a lock, as look-up and the Locks page say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum LockState {
    Held,
    /// Less time left than the type usually needs.
    Expiring,
    /// The key is a done marker.
    Done,
    /// No TTL: it never goes away by itself.
    Eternal,
    /// Held, while its record is missing or finished for longer than any handler runs.
    Orphan,
    /// A processing record whose lock is gone. Only on the Locks page; a look-up says `none`.
    Unprotected,
    None,
    /// Redis could not be asked, or the key holds something that is no lock of its kind: it may be held.
    Unknown,
}

impl LockState {
    /// What a list can be asked for, worst first.
    pub const LISTED: [Self; 6] =
        [Self::Eternal, Self::Unprotected, Self::Orphan, Self::Unknown, Self::Expiring, Self::Held];

    /// As it stands in URLs and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Expiring => "expiring",
            Self::Done => "done",
            Self::Eternal => "eternal",
            Self::Orphan => "orphan",
            Self::Unprotected => "unprotected",
            Self::None => "none",
            Self::Unknown => "unknown",
        }
    }

    /// `None`: no list has such locks.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::LISTED.into_iter().find(|state| state.as_str() == word)
    }

    /// Place among what needs a look, worst first; `None`: nothing to look at.
    #[must_use]
    pub fn danger(self) -> Option<usize> {
        Self::LISTED.iter().position(|state| *state == self)
    }
}

/// One lock as read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Lock {
    pub state: LockState,
    /// The full Redis key.
    pub key: String,
    pub owner: Option<String>,
    /// Milliseconds left; `None` without a TTL or without a key.
    pub ttl_ms: Option<i64>,
}

/// A line of the Locks page: a lock and the record it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct LockRow {
    pub lock: Lock,
    pub r#type: Option<String>,
    pub key: String,
    /// `None`: no record.
    pub record_status: Option<Status>,
    #[serde(rename = "ref")]
    pub reference: Option<RecordRef>,
    /// Kind `counter`: how many deliveries have come for it.
    #[serde(default)]
    pub count: Option<i64>,
    /// For how long this owner has been seen on this key; 0 at first sight.
    pub watched_ms: u64,
    /// `None`: it may be released by owner compare. Browsers are told and do not read it: their half stays small.
    #[cfg_attr(feature = "hydrate", serde(skip))]
    pub not_releasable: Option<WhyNot>,
}

/// How the TTL of a type's locks goes with the time that its handling takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TtlFit {
    pub r#type: Option<String>,
    /// As configured; `None`: not configured.
    pub ttl_ms: Option<u64>,
    pub p50_ms: u64,
    pub p99_ms: u64,
    /// The longest that was seen of the records.
    pub longest_ms: u64,
    /// What this rests on: deliveries of the last hour, or completed records.
    pub handled: u64,
    #[serde(default)]
    pub measured: Measured,
}

/// Where handling times come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// Consumers reported them.
    Reported,
    /// From `created` to `updated` of the newest completed records.
    #[default]
    Estimated,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// One in a hundred handlers outlives its lock.
    TooShort,
    /// The slowest handlers have outlived it, or nearly so.
    Tight,
    Fits,
    /// A worker that dies blocks its key for far longer than any handling takes.
    TooLong,
}

impl TtlFit {
    /// A minute is what people wait; a hundred times the P99 is no margin any more.
    const LONG_MS: u64 = 60_000;
    const TIMES: u64 = 100;

    /// `None`: no TTL is configured.
    #[must_use]
    pub fn fit(&self) -> Option<Fit> {
        let ttl = self.ttl_ms?;
        Some(if self.p99_ms >= ttl {
            Fit::TooShort
        } else if self.longest_ms >= ttl || self.p99_ms.saturating_mul(2) > ttl {
            Fit::Tight
        } else if ttl >= Self::LONG_MS && ttl > self.p99_ms.saturating_mul(Self::TIMES) {
            Fit::TooLong
        } else {
            Fit::Fits
        })
    }
}

/// Which locks are shown; all of it is in the URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocksFilter {
    pub state: Option<LockState>,
    pub r#type: Option<String>,
    /// Part of the key, of the Redis key or of the owner, in any case.
    pub text: Option<String>,
}

impl LocksFilter {
    /// From the parameters of an address; empty ones are none.
    ///
    /// # Errors
    /// [`Fault::BadInput`] for a state that no list has.
    pub fn read(state: Option<&str>, r#type: Option<&str>, text: Option<&str>) -> Result<Self, Fault> {
        let said = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let state = said(state).map(|word| {
            let words = LockState::LISTED.map(LockState::as_str).join(", ");
            let detail = format!("found {word:?}; accepted: {words}");
            LockState::parse(&word).ok_or(Fault::BadInput { what: "parameter state".into(), detail })
        });
        Ok(Self { state: state.transpose()?, r#type: said(r#type), text: said(text) })
    }

    #[must_use]
    pub fn matches(&self, row: &LockRow) -> bool {
        let holds = |part: &str| {
            let has = |text: &str| text.to_lowercase().contains(part);
            has(&row.key) || has(&row.lock.key) || row.lock.owner.as_deref().is_some_and(has)
        };
        self.state.is_none_or(|state| row.lock.state == state)
            && self.r#type.as_ref().is_none_or(|of| row.r#type.as_ref() == Some(of))
            && self.text.as_ref().is_none_or(|text| holds(&text.to_lowercase()))
    }
}

/// Body of the `locks` panel: the locks of open and recently finished records, and what the background scan has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct LocksPanel {
    /// `host:port/db`, without credentials; several hosts with what they are.
    pub store: String,
    /// As configured: `string`, `marker`, `counter`, `redisson` or `powertools`.
    #[serde(default)]
    pub kind: String,
    pub pattern: String,
    /// As configured.
    #[serde(default)]
    pub ttl_ms: Option<u64>,
    pub held: Count,
    pub expiring: Count,
    pub done: Count,
    pub eternal: Count,
    pub orphan: Count,
    pub unprotected: Count,
    /// Keys that hold something else than a lock of this kind.
    #[serde(default)]
    pub unknown: Option<Count>,
    /// Every lock that was seen at one time carried the same owner: it protects nothing and is never released.
    pub shared_owner: Option<String>,
    /// How far the scan of the key space has come: it finds locks without a record. In keys.
    pub scan: Option<Pass>,
    /// The scan stands still: Redis took so long for its last step, in milliseconds.
    #[serde(default)]
    pub scan_slow_ms: Option<u64>,
    /// The open records whose locks were asked, by what is going on with them.
    pub verdicts: Vec<VerdictCount>,
    /// TTL against handling time, by type; only types of which enough was seen.
    #[serde(default)]
    pub fits: Vec<TtlFit>,
    /// What needs a look first, sorted by danger; at most 60 of each state.
    pub rows: Vec<LockRow>,
    /// Of a list of one state: where its next page begins, as `after`; `null`: there is none.
    #[serde(default)]
    pub next: Option<String>,
    /// What keeps the scan from going on, or handling times from being read.
    pub problems: Vec<Fault>,
}

impl LocksPanel {
    /// For how long `owner` has been seen on `key`, at least.
    #[must_use]
    pub fn watched_ms(&self, key: &str, owner: Option<&str>) -> u64 {
        let row = self.rows.iter().find(|row| row.lock.key == key && row.lock.owner.as_deref() == owner);
        row.map_or(0, |row| row.watched_ms)
    }

    /// How many locks are in a state that a list can be asked for; `None`: not counted.
    #[must_use]
    pub fn count(&self, state: LockState) -> Option<Count> {
        match state {
            LockState::Held => Some(self.held),
            LockState::Expiring => Some(self.expiring),
            LockState::Done => Some(self.done),
            LockState::Eternal => Some(self.eternal),
            LockState::Orphan => Some(self.orphan),
            LockState::Unprotected => Some(self.unprotected),
            LockState::Unknown => self.unknown,
            LockState::None => None,
        }
    }

    /// Before anything was read.
    #[cfg(test)]
    pub(crate) fn empty() -> Self {
        let none = Count::exact(0);
        Self {
            store: String::new(),
            kind: String::new(),
            pattern: String::new(),
            ttl_ms: None,
            held: none,
            expiring: none,
            done: none,
            eternal: none,
            orphan: none,
            unprotected: none,
            unknown: None,
            shared_owner: None,
            scan: None,
            scan_slow_ms: None,
            verdicts: Vec::new(),
            fits: Vec::new(),
            rows: Vec::new(),
            next: None,
            problems: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fit, Measured, TtlFit};

    #[test]
    fn a_ttl_fits_between_the_slowest_handler_and_a_dead_worker() {
        let fit = |ttl_s: Option<u64>, p99_ms, longest_ms| {
            let ttl_ms = ttl_s.map(|ttl| ttl * 1_000);
            TtlFit { r#type: None, ttl_ms, p50_ms: 1, p99_ms, longest_ms, handled: 99, measured: Measured::Estimated }
                .fit()
        };
        assert_eq!(fit(Some(15), 18_200, 20_000), Some(Fit::TooShort));
        assert_eq!(fit(Some(15), 8_000, 9_000), Some(Fit::Tight));
        assert_eq!(fit(Some(15), 1_100, 15_000), Some(Fit::Tight));
        assert_eq!(fit(Some(15), 90, 200), Some(Fit::Fits));
        assert_eq!(fit(Some(300), 800, 900), Some(Fit::TooLong));
        assert_eq!(fit(None, 800, 900), None);
    }
}
