//! The history of a source merged into steps, in one place: counts and histograms are summed, of several readings of a
//! gauge the highest stays, and a step in which nothing was read has no row.
//!
//! Steps of an hour and longer are made of hours as far as these were made, and of the minutes after them: no minute goes
//! before its hour is made, so nothing is missed between the two, and nothing counted twice.

use super::LiveReads;
use crate::ports::signals::TypeMinute;
use crate::ports::state::{Reported, StateError};
use crate::system::{SourceSystem, StateStores};
use app::model::{Counts, Course, Handling, HandlingFigures, Minute, TimeRange};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Source, first instant, end, and seconds of a step.
pub(super) type Key = (String, DateTime<Utc>, DateTime<Utc>, u32);
/// With the error that ended it early, if there was one: what was read before it stays.
pub(super) type Told = (Course, Option<Arc<StateError>>);

impl LiveReads {
    pub(super) async fn course_of(&self, source: &SourceSystem, range: TimeRange, now: DateTime<Utc>) -> Told {
        let mut course = Course::empty(range, now);
        let (shown_as, key) = (course.range, (source.config.name.clone(), course.from, course.to, course.step_s));
        let read = async {
            let failed = run(&self.system.state, source, &mut course).await.err().map(Arc::new);
            (course, failed)
        };
        let (course, failed) = self.courses.get(key, || self.system.clock.instant(), read).await;
        // The same stretch may have been asked for in another way.
        (Course { range: shown_as, ..course }, failed)
    }
}

/// Fills the course; what was read before an error stays.
async fn run(state: &StateStores, source: &SourceSystem, course: &mut Course) -> Result<(), StateError> {
    let (name, from, to) = (&source.config.name, course.from, course.to);
    let of_hours = course.stretch().of_hours();
    let hours = if of_hours { state.hours.gauges(name, from, to).await? } else { Vec::new() };
    let minutes_from = hours.last().map_or(from, |hour| after(hour.at));
    let minutes = state.history.minutes(name, minutes_from, to).await?;
    add_readings(course, hours.into_iter().chain(minutes));
    if source.config.signals.is_some() {
        let hours = if of_hours { state.hours.reported(name, "", from, to).await? } else { Vec::new() };
        let minutes_from = hours.last().map_or(from, |hour| after(hour.at));
        let minutes = state.reports.minutes(name, "", minutes_from, to).await?;
        add_reports(course, hours.into_iter().chain(minutes));
        course.sources = state.reports.duplicates(name, from, minutes_from, to).await?;
    }
    Ok(())
}

/// Where the minutes begin that an hour is not made of.
fn after(hour: DateTime<Utc>) -> DateTime<Utc> {
    hour + TimeDelta::hours(1)
}

/// Gauges of minutes or hours into the course's steps.
fn add_readings(course: &mut Course, readings: impl IntoIterator<Item = Minute>) {
    let stretch = course.stretch();
    let mut steps = by_step(course);
    for reading in readings {
        if let Some(at) = stretch.step_of(reading.at) {
            steps.entry(at).or_insert_with(|| Minute::empty(at)).raise(&reading);
        }
    }
    course.steps = steps.into_values().collect();
}

/// What consumers reported, of all types together, beside the gauges.
fn add_reports(course: &mut Course, reported: impl IntoIterator<Item = Reported>) {
    let stretch = course.stretch();
    let mut sums: BTreeMap<DateTime<Utc>, (TypeMinute, BTreeSet<String>)> = BTreeMap::new();
    for row in reported {
        if let Some(at) = stretch.step_of(row.at) {
            let (sum, alive) = sums.entry(at).or_default();
            sum.counts.add(&row.minute.counts);
            sum.handling.add(&row.minute.handling);
            alive.extend(row.alive);
        }
    }
    if sums.is_empty() {
        return;
    }
    let (mut total, mut handling) = (Counts::default(), Handling::default());
    let mut steps = by_step(course);
    for (at, (sum, alive)) in sums {
        total.add(&sum.counts);
        handling.add(&sum.handling);
        let step = steps.entry(at).or_insert_with(|| Minute::empty(at));
        step.signals = Some(sum.counts);
        step.handling = Some(HandlingFigures::from(&sum.handling));
        step.alive = Some(alive.len() as u64);
    }
    course.steps = steps.into_values().collect();
    (course.total, course.handling) = (Some(total), Some(HandlingFigures::from(&handling)));
}

fn by_step(course: &mut Course) -> BTreeMap<DateTime<Utc>, Minute> {
    course.steps.drain(..).map(|step| (step.at, step)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use app::model::{Recent, Signal, TimeRange};
    use chrono::TimeDelta;
    use proptest::prelude::*;

    fn now() -> DateTime<Utc> {
        "2026-11-29T08:42:08Z".parse().unwrap()
    }

    fn ago(minutes: i64) -> DateTime<Utc> {
        let second = now().timestamp() - minutes * 60;
        DateTime::from_timestamp(second - second.rem_euclid(60), 0).unwrap()
    }

    fn course(recent: Recent) -> Course {
        Course::empty(TimeRange::Recent(recent), now())
    }

    fn reported(at: DateTime<Utc>, first: u64, handling: &str, alive: &[&str]) -> Reported {
        let counts = Counts { first, dup_lock: first / 2, ..Counts::default() };
        let minute = TypeMinute { counts, handling: handling.parse().unwrap(), ..TypeMinute::default() };
        Reported { at, r#type: String::new(), minute, alive: alive.iter().map(|&name| name.to_owned()).collect() }
    }

    #[test]
    fn a_day_is_steps_of_five_minutes() {
        let mut day = course(Recent::Day);
        let gauge = |at, aging, ready| Minute { aging: Some(aging), ready, ..Minute::empty(at) };
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        add_readings(
            &mut day,
            vec![
                gauge(at("2026-11-29T08:00:00Z"), 3, None),
                gauge(at("2026-11-29T08:04:00Z"), 2, Some(7)),
                gauge(at("2026-11-29T08:05:00Z"), 9, None),
                // In the step that still runs.
                gauge(at("2026-11-29T08:41:00Z"), 99, None),
            ],
        );
        let rows = vec![
            reported(at("2026-11-29T08:01:00Z"), 10, "5:98", &["w-1"]),
            reported(at("2026-11-29T08:02:00Z"), 20, "1000:2", &["w-1", "w-2"]),
            reported(at("2026-11-29T08:20:00Z"), 4, "5:4", &[]),
        ];
        add_reports(&mut day, rows);
        let steps: Vec<_> =
            day.steps.iter().map(|step| (step.at, step.aging, step.ready, step.signals.map(|of| of.first))).collect();
        assert_eq!(
            steps,
            [
                (at("2026-11-29T08:00:00Z"), Some(3), Some(7), Some(30)),
                (at("2026-11-29T08:05:00Z"), Some(9), None, None),
                (at("2026-11-29T08:20:00Z"), None, None, Some(4)),
            ]
        );
        let first = &day.steps[0];
        assert_eq!((first.handling.unwrap().p99_ms, first.alive), (Some(850), Some(2)), "of the sum, not of one");
        assert_eq!(day.total.unwrap().deliveries(), 51);
        assert_eq!(day.handling.unwrap().count, 104);
    }

    #[test]
    fn nobody_reported_is_not_zero() {
        let mut hour = course(Recent::Hour);
        add_reports(&mut hour, vec![reported(ago(90), 5, "5:5", &[])]);
        assert_eq!((hour.total, hour.handling, hour.steps.len()), (None, None, 0));
    }

    #[test]
    fn a_day_of_hours_and_minutes_is_one_step() {
        let mut quarter = course(Recent::Days90);
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let gauge = |at, aging| Minute { aging: Some(aging), ..Minute::empty(at) };
        let hours = [gauge(at("2026-11-21T22:00:00Z"), 3), gauge(at("2026-11-22T00:00:00Z"), 5)];
        let minutes = [gauge(at("2026-11-22T23:59:00Z"), 8), gauge(at("2026-11-29T00:01:00Z"), 99)];
        add_readings(&mut quarter, hours.into_iter().chain(minutes));
        let told: Vec<_> = quarter.steps.iter().map(|step| (step.at, step.aging)).collect();
        let day = |text: &str| at(&format!("2026-11-{text}T00:00:00Z"));
        assert_eq!(told, [(day("21"), Some(3)), (day("22"), Some(8))], "and today still runs");
    }

    fn any_recent() -> impl Strategy<Value = Recent> {
        prop::sample::select(Recent::ALL.to_vec())
    }

    proptest! {
        #[test]
        fn steps_are_what_their_minutes_are(
            recent in any_recent(),
            rows in prop::collection::btree_map(prop_oneof![0_i64..11_000, 0_i64..600_000], (0_u64..1_000, prop::option::of(0_i64..50)), 0..200),
        ) {
            let mut course = course(recent);
            let stretch = course.stretch();
            let inside = |back: &i64| (stretch.from..stretch.to).contains(&ago(*back));
            add_readings(&mut course, rows.iter().map(|(back, (_, aging))| Minute { aging: *aging, ..Minute::empty(ago(*back)) }));
            add_reports(&mut course, rows.iter().map(|(back, (first, _))| reported(ago(*back), *first, &format!("5:{first}"), &[])));

            let kept: Vec<_> = rows.iter().filter(|(back, _)| inside(back)).collect();
            let mut sum = Counts::default();
            course.steps.iter().filter_map(|step| step.signals).for_each(|counts| sum.add(&counts));
            for signal in Signal::ALL {
                let minutes: u64 = kept.iter().map(|(back, (first, _))| reported(ago(**back), *first, "", &[]).minute.counts.get(signal)).sum();
                prop_assert_eq!(sum.get(signal), minutes);
            }
            prop_assert_eq!(course.total.unwrap_or_default(), sum);
            let handled: u64 = course.steps.iter().filter_map(|step| step.handling).map(|of| of.count).sum();
            prop_assert_eq!(handled, kept.iter().map(|(_, (first, _))| first).sum::<u64>());
            prop_assert_eq!(course.steps.iter().filter_map(|step| step.aging).max(), kept.iter().filter_map(|(_, (_, aging))| *aging).max());

            // A step has a row exactly where one of its minutes has.
            let expected: BTreeSet<_> = kept.iter().filter_map(|(back, _)| stretch.step_of(ago(**back))).collect();
            prop_assert_eq!(course.steps.iter().map(|step| step.at).collect::<BTreeSet<_>>(), expected);
            prop_assert!(course.steps.is_sorted_by_key(|step| step.at));
            for step in &course.steps {
                let end = step.at + TimeDelta::seconds(stretch.step_s.into());
                let of: Vec<_> = kept.iter().filter(|(back, _)| (step.at..end).contains(&ago(**back))).collect();
                prop_assert_eq!(step.aging, of.iter().filter_map(|(_, (_, aging))| *aging).max());
            }
        }
    }
}
