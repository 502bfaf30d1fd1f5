//! Wall clocks of a zone as instants.

use chrono::{DateTime, LocalResult, NaiveDateTime, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

/// A wall clock that a clock change makes ambiguous is its earlier instant; one that it skips is read with the offset
/// from before the change.
#[must_use]
pub fn local(wall: NaiveDateTime, zone: Tz) -> DateTime<Utc> {
    match zone.from_local_datetime(&wall) {
        LocalResult::Single(at) => at.to_utc(),
        LocalResult::Ambiguous(one, other) => one.min(other).to_utc(),
        LocalResult::None => {
            let before = wall - TimeDelta::hours(3);
            let offset = zone.from_local_datetime(&before).earliest().map_or_else(|| Utc.fix(), |at| at.offset().fix());
            (wall - TimeDelta::seconds(i64::from(offset.local_minus_utc()))).and_utc()
        }
    }
}
