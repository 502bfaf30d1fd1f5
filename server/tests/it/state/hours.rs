//! Hours: what is left of minutes.

use super::{State, conformance};
use app::model::{Handling, Minute, Signal};
use chrono::{DateTime, TimeDelta, Utc};
use server::ports::signals::TypeMinute;
use server::ports::state::{Lease, Reported};

conformance!(hours_are_made_once_of_their_minutes, a_source_without_reports_has_hours_of_gauges, hours_go_in_steps);

fn at(hour: i64, minute: i64) -> DateTime<Utc> {
    let day = DateTime::parse_from_rfc3339("2026-11-29T00:00:00Z").unwrap().to_utc();
    day + TimeDelta::hours(hour) + TimeDelta::minutes(minute)
}

fn gauges(at: DateTime<Utc>, processing: i64, aging: Option<i64>) -> Minute {
    Minute { processing: Some(processing), aging, ..Minute::empty(at) }
}

fn report(at: DateTime<Utc>, r#type: &str, first: u64, handling: &str, instance: &str) -> Reported {
    let mut minute = TypeMinute { handling: handling.parse::<Handling>().unwrap(), ..TypeMinute::default() };
    *minute.counts.of(Signal::First) = first;
    Reported { at, r#type: r#type.into(), minute, alive: [instance.to_owned()].into() }
}

async fn sum_up(state: &State, lease: &Lease, before: DateTime<Utc>) -> usize {
    let mut made = 0;
    while state.stores.hours.sum_up(lease, "points", before).await.unwrap() {
        made += 1;
    }
    made
}

async fn hours_are_made_once_of_their_minutes(state: State) {
    let lease = state.lease("history").await;
    let stores = &state.stores;
    for minute in [gauges(at(8, 0), 5, None), gauges(at(8, 59), 9, Some(2)), gauges(at(8, 30), 1, Some(1))] {
        stores.history.put(&lease, "points", &minute).await.unwrap();
    }
    stores.history.put(&lease, "points", &gauges(at(9, 0), 3, None)).await.unwrap();
    stores.history.put(&lease, "other", &gauges(at(8, 0), 77, None)).await.unwrap();
    stores.history.put(&lease, "points", &gauges(at(32, 15), 4, None)).await.unwrap();
    let rows = [
        report(at(8, 1), "ORDER", 3, "5:2 10:1", "w-1"),
        report(at(8, 2), "ORDER", 4, "5:3 inf:1", "w-2"),
        report(at(8, 2), "REFUND", 1, "", "w-1"),
        report(at(10, 0), "ORDER", 9, "", "w-1"),
    ];
    stores.reports.put(&lease, "points", &rows).await.unwrap();

    assert_eq!(sum_up(&state, &lease, at(8, 59)).await, 0, "the hour has not ended");
    assert_eq!(sum_up(&state, &lease, at(10, 59)).await, 2, "08 and 09 of one, 08 of the other");
    assert_eq!(sum_up(&state, &lease, at(10, 59)).await, 0, "once");
    assert_eq!(sum_up(&state, &lease, at(48, 0)).await, 1, "after a day without minutes");
    let hours = stores.hours.gauges("points", at(0, 0), at(48, 0)).await.unwrap();
    let expected = [gauges(at(8, 0), 9, Some(2)), gauges(at(9, 0), 3, None), gauges(at(32, 0), 4, None)];
    assert_eq!(hours, expected, "the highest of each, and what was not read is not 0");
    let reported = stores.hours.reported("points", "ORDER", at(0, 0), at(48, 0)).await.unwrap();
    let told: Vec<_> = (reported.iter())
        .map(|hour| (hour.at, hour.minute.counts.first, hour.minute.handling.to_string(), hour.alive.len()))
        .collect();
    assert_eq!(told, [(at(8, 0), 7, "5:5 10:1 inf:1".to_owned(), 2), (at(10, 0), 9, String::new(), 1)]);
    assert_eq!(stores.hours.reported("points", "REFUND", at(0, 0), at(9, 0)).await.unwrap().len(), 1);
    assert!(stores.hours.gauges("points", at(0, 0), at(8, 0)).await.unwrap().is_empty(), "until, not with");
}

async fn a_source_without_reports_has_hours_of_gauges(state: State) {
    let lease = state.lease("history").await;
    state.stores.history.put(&lease, "points", &gauges(at(8, 0), 5, None)).await.unwrap();
    assert_eq!(sum_up(&state, &lease, at(48, 0)).await, 1);
    assert_eq!(state.stores.hours.gauges("points", at(0, 0), at(48, 0)).await.unwrap().len(), 1);
    assert!(state.stores.hours.reported("points", "", at(0, 0), at(48, 0)).await.unwrap().is_empty());
}

async fn hours_go_in_steps(state: State) {
    let lease = state.lease("history").await;
    state
        .sql(
            "INSERT INTO oncewatch_hour (source, type, hour, failed) \
             WITH RECURSIVE n (n) AS \
                 (SELECT 1764547200000 UNION ALL SELECT n + 3600000 FROM n WHERE n < 1767783600000) \
             SELECT s.source, '', n, 1 FROM n CROSS JOIN (SELECT 'points' AS source UNION ALL SELECT 'orders') s",
        )
        .await;
    let hour = |hour: i64| DateTime::from_timestamp_millis(1_764_547_200_000 + hour * 3_600_000).unwrap();
    assert_eq!(state.stores.hours.purge(&lease, hour(800)).await.unwrap(), 1_000);
    assert_eq!(state.stores.hours.purge(&lease, hour(800)).await.unwrap(), 600);
    assert_eq!(state.stores.hours.purge(&lease, hour(800)).await.unwrap(), 0);
    assert_eq!(state.stores.hours.gauges("points", hour(0), hour(900)).await.unwrap().len(), 100);
}
