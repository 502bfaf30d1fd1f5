//! `[[source]]`: one table that a team uses to consume idempotently, with what belongs to it.

use super::{Archive, Broker, Pointer, RetryMode, Secret};
use app::model::Status;
use std::time::Duration;

/// One validated `[[source]]`.
#[derive(Debug, Clone)]
pub struct Source {
    /// Slug: `[a-z0-9_-]{1,63}`.
    pub name: String,
    /// Of zone-less time columns.
    pub timezone: chrono_tz::Tz,
    pub records: Records,
    pub locks: Option<Locks>,
    /// `None`: consumers report nothing.
    pub signals: Option<Signals>,
    pub brokers: Vec<Broker>,
    pub retry: Retry,
    /// `None`: no archive is looked into.
    pub archive: Option<Archive>,
}

/// `[source.records]`: where the table is and what its columns mean.
#[derive(Debug, Clone)]
pub struct Records {
    pub url: Secret,
    pub table: TableName,
    /// `table` is a glob: every table of the schema that matches is part of the source.
    pub numbered: bool,
    /// Unique and growing.
    pub id: Option<String>,
    /// Joined with `:`; columns, or values inside a column's JSON.
    pub key: Vec<Part>,
    /// Joined with `:`; none: the source has no types.
    pub r#type: Vec<Part>,
    /// The first that is not null; none: the table does not say. So are the other times.
    pub created: Vec<TimeColumn>,
    pub updated: Vec<TimeColumn>,
    pub attempts: Option<String>,
    /// A column, or a value inside one.
    pub error: Option<Part>,
    pub owner: Option<String>,
    pub lease_until: Vec<TimeColumn>,
    pub version: Option<String>,
    /// The message's body, where the table keeps it.
    pub payload: Option<String>,
    /// All of them together: other rows are not of this source.
    pub r#where: Vec<Condition>,
    pub status: StatusColumn,
    /// How operations may change a row; `None`: they may not.
    pub write: Option<Write>,
}

impl Records {
    /// The type that every record has, where no column has a say.
    #[must_use]
    pub fn fixed_type(&self) -> Option<String> {
        if self.r#type.is_empty() {
            return None;
        }
        let fixed = |part: &Part| match part {
            Part::Constant(constant) => Some(constant.clone()),
            // Of tables in numbers each stands for a type of its own.
            Part::TableName => (!self.numbered).then(|| self.table.table.clone()),
            Part::Column(_) | Part::Json { .. } => None,
        };
        self.r#type.iter().map(fixed).collect::<Option<Vec<_>>>().map(|parts| parts.join(":"))
    }

    /// Every mapped time column.
    pub fn times(&self) -> impl Iterator<Item = &TimeColumn> {
        self.created.iter().chain(&self.updated).chain(&self.lease_until)
    }
}

/// Names are exact and always quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName {
    pub schema: Option<String>,
    pub table: String,
}

impl std::fmt::Display for TableName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.schema {
            Some(schema) => write!(f, "{schema}.{}", self.table),
            None => f.write_str(&self.table),
        }
    }
}

/// One part of a key or a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Column(String),
    /// A value inside a column's JSON.
    Json {
        column: String,
        pointer: Pointer,
    },
    Constant(String),
    /// The bare name of the table that the row is in.
    TableName,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeColumn {
    pub column: String,
    /// `None`: found from the column's type.
    pub unit: Option<TimeUnit>,
    /// `None`: the source's.
    pub timezone: Option<chrono_tz::Tz>,
    /// For `Text`: strftime; ISO 8601 when absent.
    pub format: Option<String>,
    /// Added to what is stored.
    pub plus: Duration,
}

impl TimeColumn {
    /// Read as its type says.
    #[must_use]
    pub fn plain(column: &str) -> Self {
        Self { column: column.to_owned(), unit: None, timezone: None, format: None, plus: Duration::ZERO }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    Datetime,
    EpochSeconds,
    EpochMillis,
    EpochMicros,
    Text,
}

/// `[source.records.status]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusColumn {
    Column(Codes),
    /// The row's existence says it.
    Exists(Status),
    /// The first rule that holds; where none does, what a column says.
    Rules {
        rules: Vec<Rule>,
        otherwise: Option<Codes>,
    },
}

/// A column and what its codes mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codes {
    pub column: String,
    pub codes: Vec<(Code, Status)>,
}

/// Holds when all its conditions do; without any, always.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub status: Status,
    pub when: Vec<Condition>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub column: String,
    pub test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// Never holds for NULL.
    Equals(Code),
    /// NULL counts as different.
    NotEquals(Code),
    In(Vec<Code>),
    IsNull,
    NotNull,
    /// A time so long ago, by the clock of whoever reads.
    OlderThan(Duration),
    NewerThan(Duration),
    GreaterThanColumn(String),
}

impl StatusColumn {
    /// The states that a row can have.
    #[must_use]
    pub fn states(&self) -> Vec<Status> {
        // Any code may turn up that nobody mapped.
        let of_codes =
            |codes: &Codes| codes.codes.iter().map(|(_, status)| *status).chain([Status::Unmapped]).collect();
        match self {
            Self::Exists(status) => vec![*status],
            Self::Column(codes) => of_codes(codes),
            Self::Rules { rules, otherwise } => {
                let mut states: Vec<Status> = rules.iter().map(|rule| rule.status).collect();
                match otherwise {
                    Some(codes) => states.extend(of_codes(codes)),
                    None if rules.iter().any(|rule| rule.when.is_empty()) => {}
                    None => states.push(Status::Unmapped),
                }
                states
            }
        }
    }
}

/// `[source.records.write]`: what operations may do to a row.
#[derive(Debug, Clone)]
pub struct Write {
    /// The primary; `None`: `records.url`.
    pub url: Option<Secret>,
    /// How a row is opened for its next delivery; `None`: not at all.
    pub release: Option<Release>,
    /// What makes a row failed, and dead: columns with their new values. `None`: nothing does.
    pub failed: Option<Vec<(String, Code)>>,
    pub dead: Option<Vec<(String, Code)>>,
    /// The column that is set to the database's clock.
    pub touch: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// The failed code is set.
    Status,
    /// The row is deleted.
    Delete,
}

/// A status code as the configuration writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// Compared as a number.
    Int(i128),
    /// `"400..599"`, both ends among them.
    Range(i128, i128),
    /// Compared without case, with accents, untrimmed.
    Text(String),
    Bool(bool),
    /// `"null"`.
    Null,
}

/// As the configuration writes it, without quotes.
impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(number) => write!(f, "{number}"),
            Self::Range(from, to) => write!(f, "{from}..{to}"),
            Self::Text(text) => f.write_str(text),
            Self::Bool(flag) => write!(f, "{flag}"),
            Self::Null => f.write_str("null"),
        }
    }
}

/// `[source.locks]`.
#[derive(Debug, Clone)]
pub struct Locks {
    /// One Redis, a cluster, or the sentinels of one: see [`super::RedisUrl`].
    pub url: Secret,
    pub kind: LockKind,
    /// With `{type}` and `{key}`.
    pub pattern: String,
    pub done: Vec<DonePattern>,
    pub ttl: Option<Duration>,
}

/// `[source.signals]`: how consumers report what a table cannot show.
#[derive(Debug, Clone)]
pub enum Signals {
    /// Into hashes of one Redis.
    Redis {
        url: Secret,
        /// Of the hashes' names.
        prefix: String,
    },
    /// To `POST /api/ingest`.
    Http,
}

/// What the consumers keep under a lock's key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LockKind {
    /// A text: the owner, or a done marker.
    #[default]
    String,
    /// Anything: that it exists means consumed, or being consumed.
    Marker,
    /// A number that each delivery increments: the first one works.
    Counter,
    /// A hash of owner → how often it was entered.
    Redisson,
    /// A JSON text with `status`, `expiration` (s) and `in_progress_expiration` (ms).
    Powertools,
}

impl LockKind {
    /// Every kind, by its name in the configuration.
    pub const ALL: [(&'static str, Self); 5] = [
        ("string", Self::String),
        ("marker", Self::Marker),
        ("counter", Self::Counter),
        ("redisson", Self::Redisson),
        ("powertools", Self::Powertools),
    ];

    /// Whether its value says who holds it. What nobody owns is shown and never released.
    #[must_use]
    pub fn has_owner(self) -> bool {
        !matches!(self, Self::Marker | Self::Counter)
    }

    /// Whether owners of different keys must differ. What Powertools keeps is a time, told apart only on its own key.
    #[must_use]
    pub fn owners_are_unique(self) -> bool {
        matches!(self, Self::String | Self::Redisson)
    }
}

/// Values that mean "already consumed".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DonePattern {
    Exact(String),
    /// Written with a trailing `*`.
    Prefix(String),
}

impl DonePattern {
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        match self {
            Self::Exact(exact) => value == exact,
            Self::Prefix(prefix) => value.starts_with(prefix),
        }
    }
}

/// `[source.retry]`.
#[derive(Debug, Clone)]
pub struct Retry {
    /// A processing record younger than this is never called stuck.
    pub after: Duration,
    pub consumer_timeout: Duration,
    pub mode: RetryMode,
}
