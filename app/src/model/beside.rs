use super::VerdictCount;

/// What a look-up is held against, as the collectors know it: nothing is read for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beside {
    /// For which consumers take the lock, as configured.
    pub ttl_ms: Option<u64>,
    /// Of the handling time of its type; `None`: not enough was seen.
    pub p99_ms: Option<u64>,
    /// A processing record younger than this is never called stuck.
    pub minimum_age_ms: Option<u64>,
    /// Open records of the source, of whatever type, with the same verdict, itself among them.
    pub alike: Option<VerdictCount>,
}
