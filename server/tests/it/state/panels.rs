//! Snapshots and history: what collectors leave for everybody.

use super::{State, conformance};
use app::model::Minute;
use chrono::{DateTime, TimeDelta};
use std::time::Duration;

conformance!(
    panels_are_replaced_and_versions_grow,
    a_reader_of_panels_misses_no_version,
    a_minute_is_merged_from_what_each_task_has_read,
    minutes_are_purged_in_bounded_steps,
);

async fn panels_are_replaced_and_versions_grow(state: State) {
    let (snapshots, lease) = (&state.stores.snapshots, state.lease("collect").await);
    let first = snapshots.put(&lease, "points", "records", "1").await.unwrap();
    let second = snapshots.put(&lease, "points", "locks", "2").await.unwrap();
    let third = snapshots.put(&lease, "points", "records", "3").await.unwrap();
    assert!(first < second && second < third);

    let read = |rows: Vec<server::ports::state::SnapshotRow>| {
        rows.into_iter().map(|row| (row.panel, row.version, row.json)).collect::<Vec<_>>()
    };
    let locks = ("locks".to_owned(), second, "2".to_owned());
    let records = ("records".to_owned(), third, "3".to_owned());
    assert_eq!(read(snapshots.since(0).await.unwrap()), [locks, records.clone()]);
    assert_eq!(read(snapshots.since(second).await.unwrap()), [records]);
    assert!(snapshots.since(third).await.unwrap().is_empty());
}

/// Writers of two processes each write panels of their own, so that none is overwritten and every version can be seen.
async fn a_reader_of_panels_misses_no_version(state: State) {
    const WRITERS: i64 = 6;
    const PANELS: i64 = 8;
    let other_process = state.of_another_process().await;
    let writers = (0..WRITERS).map(|writer| {
        let stores = if writer % 2 == 0 { &state.stores } else { &other_process };
        async move {
            let lease = stores.leases.acquire(&format!("writer {writer}"), "w").await.unwrap().unwrap();
            for panel in 0..PANELS {
                stores.snapshots.put(&lease, &format!("source {writer}"), &panel.to_string(), "{}").await.unwrap();
            }
        }
    });
    let reader = async {
        let mut seen: Vec<i64> = Vec::new();
        while i64::try_from(seen.len()).unwrap() < WRITERS * PANELS {
            let last = seen.last().copied().unwrap_or(0);
            seen.extend(state.stores.snapshots.since(last).await.unwrap().iter().map(|row| row.version));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        seen
    };
    let both = futures::future::join(futures::future::join_all(writers), reader);
    let (_, seen) = tokio::time::timeout(Duration::from_secs(120), both).await.expect("a version was never seen");
    assert_eq!(seen, (1..=WRITERS * PANELS).collect::<Vec<_>>());
}

async fn a_minute_is_merged_from_what_each_task_has_read(state: State) {
    let (history, lease) = (&state.stores.history, state.lease("collect").await);
    let at = DateTime::parse_from_rfc3339("2026-11-29T08:00:00Z").unwrap().to_utc();
    let records = Minute { processing: Some(5), failed: Some(0), ..Minute::empty(at + TimeDelta::seconds(7)) };
    history.put(&lease, "points", &records).await.unwrap();
    let locks = Minute { locks_held: Some(3), ..Minute::empty(at + TimeDelta::seconds(59)) };
    history.put(&lease, "points", &locks).await.unwrap();
    let again = Minute { processing: Some(6), oldest_ms: Some(i64::MAX), ..Minute::empty(at) };
    history.put(&lease, "points", &again).await.unwrap();
    history.put(&lease, "points", &Minute::empty(at)).await.unwrap();
    history
        .put(&lease, "points", &Minute { ready: Some(1), ..Minute::empty(at + TimeDelta::minutes(1)) })
        .await
        .unwrap();
    history.put(&lease, "orders", &Minute { ready: Some(9), ..Minute::empty(at) }).await.unwrap();

    let merged = Minute {
        processing: Some(6),
        failed: Some(0),
        locks_held: Some(3),
        oldest_ms: Some(i64::MAX),
        ..Minute::empty(at)
    };
    let next = Minute { ready: Some(1), ..Minute::empty(at + TimeDelta::minutes(1)) };
    let later = at + TimeDelta::minutes(2);
    assert_eq!(history.minutes("points", at, later).await.unwrap(), [merged.clone(), next.clone()]);
    assert_eq!(
        history.minutes("points", at, at + TimeDelta::minutes(1)).await.unwrap(),
        [merged],
        "the end is left out"
    );
    assert_eq!(history.minutes("points", at + TimeDelta::seconds(1), later).await.unwrap(), [next]);
    assert!(history.minutes("nothing", at, later).await.unwrap().is_empty());
}

async fn minutes_are_purged_in_bounded_steps(state: State) {
    let (history, lease) = (&state.stores.history, state.lease("purge").await);
    state
        .sql(
            "INSERT INTO oncewatch_minute (source, type, minute, failed) \
             WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 699) \
             SELECT s.source, '', n * 60000, 1 FROM n CROSS JOIN (SELECT 'points' AS source UNION ALL SELECT 'orders') s",
        )
        .await;
    let at = |minute: i64| DateTime::from_timestamp_millis(minute * 60_000).unwrap();
    // 650 minutes of each of two sources are older.
    assert_eq!(history.purge(&lease, at(650)).await.unwrap(), 1_000);
    let left = history.minutes("points", at(0), at(700)).await.unwrap();
    assert!(left.iter().all(|minute| minute.at >= at(500)), "the oldest go first");
    assert_eq!(history.purge(&lease, at(650)).await.unwrap(), 300);
    assert_eq!(history.purge(&lease, at(650)).await.unwrap(), 0);
    assert_eq!(history.minutes("points", at(0), at(700)).await.unwrap().len(), 50);
}
