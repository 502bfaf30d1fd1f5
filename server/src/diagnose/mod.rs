//! The product's brain: what three layers say of one key, and what that means. Pure functions; no clock, no store.
//!
//! [`facets`] is what was seen, [`verdict`] the table of rules tried from top to bottom, [`lock`] what a lock's value
//! and its record say together, and whether it may be released, [`operations`] what is offered.

pub mod eligible;
pub mod facets;
pub mod lock;
pub mod lock_key;
pub mod operations;
pub(crate) mod sight;
pub mod verdict;

pub use facets::{ArchiveSight, BrokerSight, Facets, LockSight};
pub use lock::{Behind, Handling, LockRules};
pub use lock_key::LockKeys;
pub use verdict::judge;

use std::time::Duration;

/// So many times as long as all but one in a hundred take, a handler may still be at it.
const P99S: u32 = 3;

/// Used when nothing says how long a record may be worked on.
const AGE_WHEN_NOTHING_IS_KNOWN: Duration = Duration::from_secs(30);

/// The effective minimum age: a processing record younger than this is never called stuck. A lease that is still
/// running is looked at by itself.
#[must_use]
pub fn minimum_age(retry_after: Duration, lock_ttl: Option<Duration>, p99: Option<Duration>) -> Duration {
    let known = retry_after.max(lock_ttl.unwrap_or_default()).max(p99.unwrap_or_default() * P99S);
    if known.is_zero() { AGE_WHEN_NOTHING_IS_KNOWN } else { known }
}

#[cfg(test)]
mod tests {
    use super::minimum_age;
    use std::time::Duration;

    #[test]
    fn the_greatest_of_what_is_known_counts() {
        let seconds = Duration::from_secs;
        let age =
            |after, ttl: Option<u64>, p99: Option<u64>| minimum_age(seconds(after), ttl.map(seconds), p99.map(seconds));
        assert_eq!(age(0, None, None), seconds(30));
        assert_eq!(age(300, Some(15), Some(20)), seconds(300));
        assert_eq!(age(60, Some(90), None), seconds(90));
        assert_eq!(age(60, Some(15), Some(40)), seconds(120));
    }
}
