//! What a search over records says: `status:failed type:ORDER_DONE age:>10m key:2023*`. One grammar for pages, `/api` and
//! the command line ([`parse`](Search::parse)); its [`Display`] is what `parse` reads.
//!
//! ```text
//! search    = { term }                        apart by white space, each qualifier at most once
//! term      = qualifier ":" value | pattern   a bare pattern is a key
//! qualifier = "status" | "type" | "key" | "owner" | "age" | "created" | "updated" | "attempts"
//! pattern   = text [ "*" ]                    with "*" all that begins so; quoted, a star is only a star
//! text      = word | '"' anything '"'         with \" and \\ inside the quotes
//! range     = ">" x | ">=" x | "<" x | "<=" x | x ".." x | x
//! age       = number unit { number unit }     s, m, h, d, w; only with a comparison or as x..y
//! moment    = date [ "T" time [ zone ] ]      a date alone is its whole day, in the source's zone
//! ```
//!
//! Everything after the first colon belongs to the value, so joined keys need no quotes: `key:a:b`, and `a:b` alone where
//! `a` is no qualifier.

mod audit;
mod moment;
mod parse;
mod wanted;

#[cfg(test)]
mod tests;

pub use audit::{AuditQualifier, AuditSearch, Since};
pub use moment::{Moment, MomentUnit};
pub(super) use parse::duration;
pub use wanted::{Wanted, Within};

use super::Status;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// What is searched for. Empty: everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    pub status: Option<Status>,
    pub r#type: Option<String>,
    pub filter: Filter,
}

/// What a search says besides status and type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    pub key: Option<Pattern>,
    pub owner: Option<Pattern>,
    /// How long a record has been in its state, by the database's clock.
    pub age: Option<Range<Age>>,
    pub created: Option<Range<Moment>>,
    pub updated: Option<Range<Moment>>,
    pub attempts: Option<Range<i64>>,
}

impl Filter {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    Is(String),
    Begins(String),
}

impl Pattern {
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Is(wanted) => text == wanted,
            Self::Begins(wanted) => text.starts_with(wanted.as_str()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Range<T> {
    Is(T),
    Above(T),
    AtLeast(T),
    Below(T),
    AtMost(T),
    /// Both included.
    Between(T, T),
}

/// In whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Age(pub u64);

/// What a term is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Qualifier {
    Status,
    Type,
    Key,
    Owner,
    Age,
    Created,
    Updated,
    Attempts,
}

impl Qualifier {
    pub const ALL: [Self; 8] =
        [Self::Status, Self::Type, Self::Key, Self::Owner, Self::Age, Self::Created, Self::Updated, Self::Attempts];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Type => "type",
            Self::Key => "key",
            Self::Owner => "owner",
            Self::Age => "age",
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Attempts => "attempts",
        }
    }
}

/// What a search cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SearchProblem {
    /// It is nearly this one.
    UnknownQualifier(Qualifier),
    Doubled(Qualifier),
    NoValue(Qualifier),
    /// No status.
    NoStatus,
    /// No age.
    NoAge,
    /// No date or time.
    NoMoment,
    /// No age, date or time.
    NoSince,
    /// No whole number.
    NoNumber,
    /// From a greater to a smaller.
    Reversed,
    /// A quote that does not end.
    Unclosed,
    /// Something right behind a closing quote.
    AfterQuote,
    TooLong,
}

impl SearchProblem {
    /// What would be accepted, for logs and programs; people are told in their language.
    #[must_use]
    pub fn accepted(self) -> String {
        match self {
            Self::UnknownQualifier(near) => format!(
                "did you mean {0}:? accepted are {1}; a key that begins so is written key:…",
                near.as_str(),
                Qualifier::ALL.map(Qualifier::as_str).join(", ")
            ),
            Self::Doubled(qualifier) => {
                format!("{} is given twice; text with spaces stands in quotes", qualifier.as_str())
            }
            Self::NoValue(qualifier) => format!("{}: needs a value", qualifier.as_str()),
            Self::NoStatus => format!("accepted are {}", Status::ALL.map(Status::as_str).join(", ")),
            Self::NoAge => "accepted are >10m, <1h30m, 10m..1h, in s, m, h, d or w".into(),
            Self::NoMoment => "accepted are 2026-11-29, 2026-11-29T08:00, also with Z or +08:00, after >, >=, <, <=, or two with .. between".into(),
            Self::NoSince => "accepted are 24h, 7d, 2026-11-29, 2026-11-29T08:00, also with Z or +08:00".into(),
            Self::NoNumber => "accepted are 3, >3, >=3, <3, <=3, 3..5".into(),
            Self::Reversed => "the first of the two must be the smaller".into(),
            Self::Unclosed => "the quote does not end".into(),
            Self::AfterQuote => "after a closing quote only * or a space may come".into(),
            Self::TooLong => format!("at most {} characters are read", parse::LONGEST),
        }
    }
}

/// One term as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub qualifier: Qualifier,
    /// Quoted where it must be.
    pub value: String,
}

impl Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.qualifier.as_str(), self.value)
    }
}

impl Search {
    /// In the order of [`Qualifier::ALL`].
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        let Filter { key, owner, age, created, updated, attempts } = &self.filter;
        let value = |qualifier| match qualifier {
            Qualifier::Status => self.status.map(|status| status.as_str().to_owned()),
            Qualifier::Type => self.r#type.as_deref().map(plain),
            Qualifier::Key => key.as_ref().map(ToString::to_string),
            Qualifier::Owner => owner.as_ref().map(ToString::to_string),
            Qualifier::Age => age.as_ref().map(ToString::to_string),
            Qualifier::Created => created.as_ref().map(ToString::to_string),
            Qualifier::Updated => updated.as_ref().map(ToString::to_string),
            Qualifier::Attempts => attempts.as_ref().map(ToString::to_string),
        };
        let term = |qualifier| Some(Term { qualifier, value: value(qualifier)? });
        Qualifier::ALL.into_iter().filter_map(term).collect()
    }

    #[must_use]
    pub fn without(&self, qualifier: Qualifier) -> Self {
        let mut rest = self.clone();
        match qualifier {
            Qualifier::Status => rest.status = None,
            Qualifier::Type => rest.r#type = None,
            Qualifier::Key => rest.filter.key = None,
            Qualifier::Owner => rest.filter.owner = None,
            Qualifier::Age => rest.filter.age = None,
            Qualifier::Created => rest.filter.created = None,
            Qualifier::Updated => rest.filter.updated = None,
            Qualifier::Attempts => rest.filter.attempts = None,
        }
        rest
    }

    /// What `later` says as well counts as it says it.
    #[must_use]
    pub fn replaced_by(self, later: Self) -> Self {
        let Filter { key, owner, age, created, updated, attempts } = later.filter;
        Self {
            status: later.status.or(self.status),
            r#type: later.r#type.or(self.r#type),
            filter: Filter {
                key: key.or(self.filter.key),
                owner: owner.or(self.filter.owner),
                age: age.or(self.filter.age),
                created: created.or(self.filter.created),
                updated: updated.or(self.filter.updated),
                attempts: attempts.or(self.filter.attempts),
            },
        }
    }

    /// Both together; what both say is said twice. For a search beside parameters of its own for status and type.
    pub fn beside(self, status: Option<Status>, r#type: Option<String>) -> Result<Self, super::Fault> {
        let twice = |qualifier: Qualifier, found: String| super::Fault::BadSearch {
            at: 1,
            found,
            problem: SearchProblem::Doubled(qualifier),
        };
        if let (Some(_), Some(status)) = (status, self.status) {
            return Err(twice(Qualifier::Status, status.as_str().into()));
        }
        if let (Some(_), Some(of)) = (&r#type, &self.r#type) {
            return Err(twice(Qualifier::Type, of.clone()));
        }
        Ok(Self { status: status.or(self.status), r#type: r#type.or(self.r#type), filter: self.filter })
    }

    /// The list that it asks for: its first page.
    #[must_use]
    pub fn query(self, limit: u32) -> super::RecordsQuery {
        let Self { status, r#type, filter } = self;
        super::RecordsQuery { status, r#type, filter, cursor: None, limit }
    }
}

impl Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Vec<String> = self.terms().iter().map(ToString::to_string).collect();
        f.write_str(&terms.join(" "))
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A star at its end would be read as "begins".
            Self::Is(text) if text.ends_with('*') => f.write_str(&quoted(text)),
            Self::Is(text) => f.write_str(&plain(text)),
            Self::Begins(text) => write!(f, "{}*", plain(text)),
        }
    }
}

impl<T: Display> Display for Range<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(x) => write!(f, "{x}"),
            Self::Above(x) => write!(f, ">{x}"),
            Self::AtLeast(x) => write!(f, ">={x}"),
            Self::Below(x) => write!(f, "<{x}"),
            Self::AtMost(x) => write!(f, "<={x}"),
            Self::Between(x, y) => write!(f, "{x}..{y}"),
        }
    }
}

impl Display for Age {
    /// `1d1h`, `90s` as `1m30s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        for (unit, seconds) in [("d", 86_400), ("h", 3_600), ("m", 60)] {
            if rest >= seconds {
                write!(f, "{}{unit}", rest / seconds)?;
                rest %= seconds;
            }
        }
        if rest > 0 || self.0 == 0 {
            write!(f, "{rest}s")?;
        }
        Ok(())
    }
}

/// As it is, or in quotes where it would be read as something else.
fn plain(text: &str) -> String {
    let bare = !text.is_empty() && !text.starts_with('"') && !text.contains(char::is_whitespace);
    if bare { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
