use super::*;
use proptest::prelude::*;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn now() -> DateTime<Utc> {
    at("2026-11-29T08:42:08Z")
}

/// By the clock of Shanghai, where it is 16:42.
fn read(range: &str, from: &str, to: &str) -> Result<TimeRange, String> {
    let local = |wall: NaiveDateTime| wall.and_utc() - TimeDelta::hours(8);
    let wall = Wall { now: now(), today: "2026-11-29".parse().unwrap(), local: &local };
    TimeRange::read(Some(range), Some(from), Some(to), &wall).map_err(|fault| fault.to_string())
}

fn between(from: &str, to: &str) -> Result<TimeRange, String> {
    Ok(TimeRange::Between { from: at(from), to: at(to) })
}

#[test]
fn an_address_is_read_as_people_write_it() {
    assert_eq!(read("", " ", ""), Ok(TimeRange::Recent(Recent::Hours3)));
    assert_eq!(read("7d", "", ""), Ok(TimeRange::Recent(Recent::Week)));
    assert_eq!(read("", "-3h", "now"), between("2026-11-29T05:42:08Z", "2026-11-29T08:42:08Z"));
    assert_eq!(read("", "-1h30m", ""), between("2026-11-29T07:12:08Z", "2026-11-29T08:42:08Z"));
    assert_eq!(read("", "09:15", "10:00:30"), between("2026-11-29T01:15:00Z", "2026-11-29T02:00:30Z"));
    assert_eq!(read("", "2026-11-28", "2026-11-28"), between("2026-11-27T16:00:00Z", "2026-11-28T16:00:00Z"));
    assert_eq!(
        read("", "2026-11-28 09:15", "2026-11-28T02:00:00Z"),
        between("2026-11-28T01:15:00Z", "2026-11-28T02:00:00Z")
    );
}

#[test]
fn what_cannot_be_read_says_what_can() {
    for (range, from, to, says) in [
        (
            "2h",
            "",
            "",
            "parameter range cannot be read: found \"2h\"; accepted are 15m, 1h, 3h, 6h, 24h, 7d, 30d, 90d, 400d",
        ),
        ("3h", "-3h", "", "give it, or from and to"),
        ("", "", "now", "parameter to cannot be read: found \"now\"; to needs from"),
        ("", "yesterday", "", "parameter from cannot be read: found \"yesterday\"; accepted are now, -3h"),
        ("", "-", "", "found \"-\"; accepted"),
        ("", "-99999999999999999999h", "", "accepted"),
        ("", "-1h", "25:00", "parameter to cannot be read: found \"25:00\""),
        ("", "-1h", "-2h", "from must lie before to"),
        ("", "now", "2026-12-01", "no whole minute is over"),
        ("", "-402d", "now", "hours are kept for 400 days"),
    ] {
        let said = read(range, from, to).unwrap_err();
        assert!(said.contains(says), "{range} {from} {to}: {said}");
    }
}

#[test]
fn every_range_has_about_as_many_points_as_can_be_told_apart() {
    let steps = |recent: Recent| {
        let stretch = TimeRange::Recent(recent).stretch(now());
        (stretch.step_s / 60, stretch.steps())
    };
    let [short @ .., month, quarter, all] = Recent::ALL.map(steps);
    assert_eq!(short, [(1, 15), (1, 60), (1, 180), (5, 72), (5, 288), (60, 168)]);
    assert_eq!([month, quarter, all], [(6 * 60, 120), (24 * 60, 90), (24 * 60, 400)]);
    let hours = TimeRange::Recent(Recent::Hours3).stretch(now());
    assert_eq!((hours.from, hours.to), (at("2026-11-29T05:42:00Z"), at("2026-11-29T08:42:00Z")));
}

#[test]
fn what_is_older_than_minutes_is_told_by_the_hour() {
    let stretch = |from: &str, to: &str| read("", from, to).unwrap().stretch(now());
    let days = stretch("-9d", "-8d23h");
    assert_eq!((days.step_s, days.from, days.to), (3_600, at("2026-11-20T08:00:00Z"), at("2026-11-20T10:00:00Z")));
    assert!(days.of_hours());
    assert_eq!(stretch("-7d", "-6d23h").step_s, 60);
    // The oldest minutes may be going just now.
    assert_eq!(stretch("2026-11-21T09:00:00Z", "2026-11-21T09:30:00Z").step_s, 60);
    assert_eq!(stretch("2026-11-21T08:59:00Z", "2026-11-21T09:30:00Z").step_s, 3_600);
    let year = stretch("-400d", "now");
    assert_eq!((year.step_s, year.steps()), (86_400, 400));
}

#[test]
fn a_wider_range_ends_where_there_is_nothing_more() {
    let TimeRange::Between { from, to } = read("", "-10m", "-5m").unwrap() else { panic!("no span") };
    let wider = TimeRange::Between { from, to }.wider(now()).unwrap();
    assert_eq!(Ok(wider), between("2026-11-29T08:27:08Z", "2026-11-29T08:42:08Z"));
    let mut range = wider;
    let mut times = 0;
    while let Some(wider) = range.wider(now()) {
        (range, times) = (wider, times + 1);
        assert!(times < 30, "{range:?}");
    }
    assert_eq!(range, TimeRange::Between { from: now() - TimeRange::KEPT, to: now() });
    assert_eq!(TimeRange::default().wider(now()), None);
}

proptest! {
    #[test]
    fn a_stretch_is_whole_steps_that_are_over(
        back_s in prop_oneof![60_i64..691_200, 60_i64..34_560_000],
        lasts_s in prop_oneof![1_i64..800_000, 1_i64..40_000_000],
        now_s in 0_i64..100_000,
    ) {
        let now = now() + TimeDelta::seconds(now_s);
        let from = now - TimeDelta::seconds(back_s);
        let range = TimeRange::Between { from, to: from + TimeDelta::seconds(lasts_s) };
        let stretch = range.stretch(now);
        let step = i64::from(stretch.step_s);
        prop_assert!(stretch.from < stretch.to && stretch.to <= now);
        prop_assert_eq!(stretch.from.timestamp().rem_euclid(step), 0);
        prop_assert_eq!(stretch.to.timestamp().rem_euclid(step), 0);
        let most = if stretch.step_s == 86_400 { 401 } else { 300 };
        prop_assert!((1..=most).contains(&stretch.steps()), "{} steps", stretch.steps());
        // Nothing is asked of minutes that are gone.
        prop_assert!(stretch.of_hours() || now - stretch.from <= TimeRange::MINUTES_KEPT);
        // What was asked for is in it, but for the step that still runs.
        prop_assert!(stretch.from <= from);
        prop_assert!(stretch.to >= (from + TimeDelta::seconds(lasts_s)).min(now - TimeDelta::seconds(step)));
        // Its own address leads to the same time, in such steps or smaller ones: without what was asked for beyond
        // the last whole step there may be room for them.
        let again = TimeRange::Between { from: stretch.from, to: stretch.to }.stretch(now);
        prop_assert_eq!((again.from, again.to), (stretch.from, stretch.to));
        prop_assert!(again.step_s <= stretch.step_s);
    }
}
