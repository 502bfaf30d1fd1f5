use serde::{Deserialize, Serialize};

/// How a number was obtained; shown with it, always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Counted to the end.
    Exact,
    /// Counting stopped at the cap: there are at least this many.
    Capped,
    /// From the engine's statistics.
    Estimated,
    /// Counts only what the first pass has walked so far: there are at least this many.
    Partial,
}

/// A number of rows, keys or messages, and how it was read. What was not read is no `Count` at all, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Count {
    pub value: u64,
    pub quality: Quality,
}

impl Count {
    #[must_use]
    pub fn exact(value: u64) -> Self {
        Self { value, quality: Quality::Exact }
    }
}
