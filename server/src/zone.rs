//! Wall clocks of a zone as instants.

use chrono::{DateTime, LocalResult, NaiveDateTime, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

#[must_use]
pub fn local(wall: NaiveDateTime, zone: Tz) -> DateTime<Utc> {
    local_or_twice(wall, zone).0
}

/// A wall clock that a clock change makes ambiguous is its earlier instant, and that it comes twice is told; one that it
/// skips is read with the offset from before the change.
#[must_use]
pub fn local_or_twice(wall: NaiveDateTime, zone: Tz) -> (DateTime<Utc>, bool) {
    match zone.from_local_datetime(&wall) {
        LocalResult::Single(at) => (at.to_utc(), false),
        LocalResult::Ambiguous(one, other) => (one.min(other).to_utc(), true),
        LocalResult::None => {
            let before = wall - TimeDelta::hours(3);
            let offset = zone.from_local_datetime(&before).earliest().map_or_else(|| Utc.fix(), |at| at.offset().fix());
            ((wall - TimeDelta::seconds(i64::from(offset.local_minus_utc()))).and_utc(), false)
        }
    }
}
