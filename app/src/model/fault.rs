//! What can go wrong between Oncewatch and a system it reads, as a code with parameters.

use super::{RangeProblem, SearchProblem};
use serde::{Deserialize, Serialize};

/// One of the three layers that a look-up joins, or the console's own state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    Records,
    Lock,
    Broker,
    State,
    /// What consumers report.
    Signals,
    Archive,
}

/// Why something could not be read or done. `detail` is the foreign system's own words, without secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Fault {
    #[error("{layer:?} cannot be reached: {detail}")]
    Unreachable { layer: Layer, detail: String },
    #[error("{layer:?} refused the credentials")]
    Refused { layer: Layer },
    #[error("{layer:?} did not answer within {after_ms} ms")]
    TimedOut { layer: Layer, after_ms: u64 },
    #[error("there is no table {table}")]
    TableMissing { table: String },
    #[error("table {table} has no column {column}")]
    ColumnMissing { table: String, column: String },
    #[error("{layer:?} answered something that cannot be read: {detail}")]
    Unreadable { layer: Layer, detail: String },
    #[error("there is no source {source_name:?}")]
    NoSource { source_name: String },
    #[error("{layer:?} is not configured for this source")]
    NotConfigured { layer: Layer },
    #[error("{what} cannot be read: {detail}")]
    BadInput {
        /// Which input, as a code: `status`, `cursor`, `ref`, `type`, or the key of the configuration.
        what: String,
        detail: String,
    },
    #[error("the search cannot be read at character {at}: {found:?}; {}", .problem.accepted())]
    BadSearch {
        /// Counted from 1.
        at: u32,
        found: String,
        problem: SearchProblem,
    },
    #[error("parameter {parameter} cannot be read: found {found:?}; {}", .problem.accepted())]
    BadRange {
        /// `range`, `from` or `to`.
        parameter: String,
        found: String,
        problem: RangeProblem,
    },
    #[error("internal error {request_id}")]
    Internal { request_id: String },
}

impl Fault {
    /// The layer that it is about, where it is about one.
    #[must_use]
    pub fn layer(&self) -> Option<Layer> {
        match self {
            Self::Unreachable { layer, .. }
            | Self::Refused { layer }
            | Self::TimedOut { layer, .. }
            | Self::Unreadable { layer, .. }
            | Self::NotConfigured { layer } => Some(*layer),
            Self::TableMissing { .. } | Self::ColumnMissing { .. } => Some(Layer::Records),
            Self::NoSource { .. }
            | Self::BadInput { .. }
            | Self::BadSearch { .. }
            | Self::BadRange { .. }
            | Self::Internal { .. } => None,
        }
    }
}
