//! The product's brain: what three layers say of one key, and what that means. Pure functions; no clock, no store.
//!
//! [`facets`] is what was seen, [`verdict`] the table of rules tried from top to bottom, [`lock`] what a lock's value
//! and its record say together, and whether it may be released.
//!
//! A row of the table that waits for something to be read: *archived* (needs the archive).

pub mod facets;
pub mod lock;
pub mod lock_key;
pub(crate) mod sight;
pub mod verdict;

pub use facets::{BrokerSight, Facets, LockSight};
pub use lock::{Behind, Handling, LockRules};
pub use lock_key::LockKeys;
pub use verdict::judge;

use std::time::Duration;

/// Used when nothing says how long a record may be worked on.
const AGE_WHEN_NOTHING_IS_KNOWN: Duration = Duration::from_secs(30);

/// The effective minimum age: a processing record younger than this is never called stuck. A lease that is still
/// running is looked at by itself.
#[must_use]
pub fn minimum_age(retry_after: Duration, lock_ttl: Option<Duration>) -> Duration {
    let known = retry_after.max(lock_ttl.unwrap_or_default());
    if known.is_zero() { AGE_WHEN_NOTHING_IS_KNOWN } else { known }
}
