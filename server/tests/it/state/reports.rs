//! What consumers reported, as it is kept.

use super::{State, conformance};
use app::model::{Counts, Handling, TraceEntry};
use chrono::{DateTime, TimeDelta, Utc};
use server::ports::signals::TypeMinute;
use server::ports::state::{Ingest, Ingested, Reported, Traced};
use std::collections::BTreeSet;

conformance!(
    a_minute_read_again_is_taken_where_it_is_more,
    what_comes_by_http_comes_on_top,
    origins_without_end_are_told_together,
    hundreds_of_types_are_one_write,
    a_request_is_taken_once,
    types_with_most_duplicates_come_first,
    what_is_old_goes_in_steps,
);

fn at() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-11-29T08:00:00Z").unwrap().to_utc()
}

fn row(r#type: &str, first: u64, handling: &str) -> Reported {
    let handling: Handling = handling.parse().unwrap();
    let counts = Counts { first, ..Counts::default() };
    let minute = TypeMinute { counts, handling, ..TypeMinute::default() };
    Reported { at: at(), r#type: r#type.into(), minute, alive: BTreeSet::new() }
}

async fn a_minute_read_again_is_taken_where_it_is_more(state: State) {
    let (reports, lease) = (&state.stores.reports, state.lease("collect").await);
    let mut first = row("订单|50%", 7, "5:7");
    first.minute.origins.from.insert("queue \"a\"".into(), 3);
    first.alive = ["w-1".to_owned(), "w-2".to_owned()].into();
    reports.put(&lease, "points", std::slice::from_ref(&first)).await.unwrap();
    let end = at() + TimeDelta::minutes(1);
    assert_eq!(reports.minutes("points", "订单|50%", at(), end).await.unwrap(), [first.clone()]);
    // Redis lost some of it.
    reports.put(&lease, "points", &[row("订单|50%", 3, "10:3")]).await.unwrap();
    assert_eq!(reports.minutes("points", "订单|50%", at(), end).await.unwrap(), [first]);
    reports.put(&lease, "points", &[row("订单|50%", 9, "5:7 10:2")]).await.unwrap();
    let stored = reports.minutes("points", "订单|50%", at(), end).await.unwrap().remove(0);
    assert_eq!((stored.minute.counts.first, stored.minute.handling.to_string()), (9, "5:7 10:2".to_owned()));
    assert_eq!((stored.minute.origins.from["queue \"a\""], stored.alive.len()), (3, 2));
    assert!(reports.minutes("orders", "订单|50%", at(), end).await.unwrap().is_empty());
    assert!(reports.minutes("points", "", at(), end).await.unwrap().is_empty());
}

async fn what_comes_by_http_comes_on_top(state: State) {
    let reports = &state.stores.reports;
    let adding = (0..8).map(|_| {
        let rows = vec![row("ORDER", 5, "5:5"), row("", 5, "5:5")];
        let ingest = Ingest { reports: [("points".to_owned(), rows)].into(), ..Ingest::default() };
        async move { reports.add(&ingest).await }
    });
    futures::future::try_join_all(adding).await.unwrap();
    let rows = reports.every("points", at(), at() + TimeDelta::minutes(1)).await.unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!((row.minute.counts.first, row.minute.handling.to_string()), (40, "5:40".to_owned()));
    }
}

async fn origins_without_end_are_told_together(state: State) {
    let reports = &state.stores.reports;
    for part in 0..3 {
        let mut row = row("ORDER", 1, "");
        row.minute.origins.from.extend((0..40).map(|at| (format!("queue-{part}-{at}"), 1)));
        let ingest = Ingest { reports: [("points".to_owned(), vec![row])].into(), ..Ingest::default() };
        reports.add(&ingest).await.unwrap();
    }
    let stored = reports.every("points", at(), at() + TimeDelta::minutes(1)).await.unwrap().remove(0);
    let from = &stored.minute.origins.from;
    assert_eq!((from.len(), from["other"], from.values().sum::<u64>()), (51, 70, 120));
}

async fn hundreds_of_types_are_one_write(state: State) {
    let (reports, lease) = (&state.stores.reports, state.lease("collect").await);
    let rows: Vec<Reported> = (0..250).map(|at| row(&format!("T{at}"), at, "")).collect();
    for _ in 0..2 {
        reports.put(&lease, "points", &rows).await.unwrap();
    }
    let mut stored = reports.every("points", at(), at() + TimeDelta::minutes(1)).await.unwrap();
    stored.sort_by_key(|row| row.minute.counts.first);
    assert_eq!(stored, rows);
}

async fn types_with_most_duplicates_come_first(state: State) {
    let reports = &state.stores.reports;
    let of = |r#type: &str, minute: i64, duplicates: u64, from: &[(&str, u64)]| {
        let mut row = row(r#type, 9, "");
        row.at += TimeDelta::minutes(minute);
        (row.minute.counts.dup_lock, row.minute.counts.dup_guard) = (duplicates / 2, duplicates - duplicates / 2);
        row.minute.origins.from = from.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        row
    };
    let mut rows = vec![
        of("", 0, 60, &[]),
        of("A", 0, 5, &[("q-1", 5)]),
        of("A", 1, 20, &[("q-1", 2), ("q-2", 18)]),
        of("A", 9, 900, &[("q-3", 900)]),
        of("B", 0, 30, &[]),
        of("C", 0, 0, &[]),
    ];
    rows.extend((0..5).map(|at| of(&format!("few-{at}"), 0, 1, &[])));
    let ingest = Ingest { reports: [("points".to_owned(), rows)].into(), ..Ingest::default() };
    reports.add(&ingest).await.unwrap();
    let end = at() + TimeDelta::minutes(2);
    let most = reports.duplicates("points", at(), at(), end).await.unwrap();
    let named: Vec<_> = most.iter().map(|of| (of.r#type.as_str(), of.duplicates)).collect();
    assert_eq!(named, [("B", 30), ("A", 25), ("few-0", 1), ("few-1", 1), ("few-2", 1)]);
    let origins: Vec<_> = most[1].origins.iter().map(|of| (of.name.as_str(), of.duplicates)).collect();
    assert_eq!(origins, [("q-2", 18), ("q-1", 7)]);
    assert!(reports.duplicates("nothing", at(), at(), end).await.unwrap().is_empty());

    // A source without types has the row of all alone.
    let all = [("plain".to_owned(), vec![of("", 0, 7, &[("q-1", 7)])])];
    reports.add(&Ingest { reports: all.into(), ..Ingest::default() }).await.unwrap();
    let most = reports.duplicates("plain", at(), at(), end).await.unwrap();
    assert_eq!((most.len(), most[0].r#type.as_str(), most[0].duplicates), (1, "", 7));
}

async fn a_request_is_taken_once(state: State) {
    let reports = &state.stores.reports;
    let entry = |at: i64| TraceEntry {
        at: Some(self::at() + TimeDelta::seconds(at)),
        worker: Some(format!("w-{at}")),
        delivery: None,
        lock: None,
        record: None,
        outcome: Some("first".into()),
    };
    let ingest = |body: &str| Ingest {
        once: Some(("k".repeat(64), body.repeat(64))),
        reports: [("points".to_owned(), vec![row("", 5, "5:5")])].into(),
        traces: (0..3)
            .map(|at| Traced {
                source: "points".into(),
                r#type: "ORDER".into(),
                key: "订单".repeat(200),
                at: self::at() + TimeDelta::seconds(at),
                entry: entry(at),
            })
            .collect(),
    };
    let (a, b) = (ingest("a"), ingest("b"));
    let together = futures::future::try_join_all((0..5).map(|_| reports.add(&a))).await.unwrap();
    assert_eq!(together.iter().filter(|taken| **taken == Ingested::Now).count(), 1, "{together:?}");
    assert_eq!(reports.add(&a).await.unwrap(), Ingested::Before);
    assert_eq!(reports.add(&b).await.unwrap(), Ingested::OtherBody);
    let rows = reports.every("points", at(), at() + TimeDelta::minutes(1)).await.unwrap();
    assert_eq!(rows[0].minute.counts.first, 5);
    let trace = reports.trace("points", "ORDER", &"订单".repeat(200)).await.unwrap();
    assert_eq!(trace, [entry(2), entry(1), entry(0)]);
    assert!(reports.trace("points", "ORDER", "订单").await.unwrap().is_empty());
}

async fn what_is_old_goes_in_steps(state: State) {
    let (reports, lease) = (&state.stores.reports, state.lease("purge").await);
    let rows: Vec<Reported> =
        (0..1_100).map(|minute| Reported { at: at() + TimeDelta::minutes(minute), ..row("", 1, "") }).collect();
    reports.put(&lease, "points", &rows).await.unwrap();
    let later = at() + TimeDelta::days(8) + TimeDelta::minutes(1_050);
    assert_eq!(reports.purge(&lease, later).await.unwrap(), 1_000);
    assert_eq!(reports.purge(&lease, later).await.unwrap(), 50);
    let left = reports.every("points", at(), at() + TimeDelta::days(1)).await.unwrap();
    assert_eq!(left.iter().map(|row| row.at).min(), Some(at() + TimeDelta::minutes(1_050)));
}
