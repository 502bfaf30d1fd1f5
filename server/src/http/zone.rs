use app::ui::Zone;
use chrono::{DateTime, Duration, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

/// Records shown are seldom older, and a server seldom runs longer.
const BACK: TimeDelta = Duration::days(10 * 365);
const AHEAD: TimeDelta = Duration::days(5 * 365);

/// The offsets of a zone over the years that pages show. The zone database has no list of its changes to read, so each
/// day is asked, and the day of a change is halved down to the second.
pub(super) fn of(tz: Tz, now: DateTime<Utc>) -> Zone {
    let east = |at: i64| tz.timestamp_opt(at, 0).single().map_or(0, |at| at.offset().fix().local_minus_utc());
    let (from, to) = ((now - BACK).timestamp(), (now + AHEAD).timestamp());
    let mut offsets = vec![(from, east(from))];
    let mut day = from;
    while day < to {
        let next = day + 86_400;
        if east(next) != east(day) {
            let (mut before, mut after) = (day, next);
            while after - before > 1 {
                let middle = before + (after - before) / 2;
                if east(middle) == east(day) { before = middle } else { after = middle }
            }
            offsets.push((after, east(after)));
        }
        day = next;
    }
    Zone { name: tz.name().to_owned(), offsets }
}

#[cfg(test)]
mod tests {
    use super::of;
    use chrono::{DateTime, Utc};

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn clock_changes_are_found_to_the_second() {
        let zone = of(chrono_tz::Europe::Berlin, at("2026-11-29T00:00:00Z"));
        assert_eq!(zone.local(at("2026-10-25T00:59:59Z")).to_rfc3339(), "2026-10-25T02:59:59+02:00");
        assert_eq!(zone.local(at("2026-10-25T01:00:00Z")).to_rfc3339(), "2026-10-25T02:00:00+01:00");
    }

    #[test]
    fn a_zone_without_changes_has_one_offset() {
        assert_eq!(of(chrono_tz::Asia::Shanghai, at("2026-11-29T00:00:00Z")).offsets.len(), 1);
    }
}
