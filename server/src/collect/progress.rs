//! How far the following of a table has come, kept in the state database so that a start goes on where the last one was.

use super::tally::Tally;
use app::model::time;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Progress {
    /// Up to here the table was walked: an id, or a stand on the course of identity.
    pub position: Option<String>,
    /// Up to here it was followed: a stand on the course of time.
    pub newest: Option<String>,
    /// Of the rows up to `position`.
    pub tally: Tally,
    #[serde(with = "time::option")]
    pub complete_as_of: Option<DateTime<Utc>>,
    pub vanished: u64,
}
