//! Finding operations, and reading the chains step by step.

use super::{State, conformance, now};
use app::model::AuditBreak;
use chrono::{DateTime, TimeDelta, Utc};
use server::ports::audit_log::{Beside, Sought, Stretch, Verified, Walked, Wanted, word};
use server::ports::state::Begin;
use server::ports::trail::{Event, EventKind};

conformance!(
    operations_are_found_by_what_they_are,
    operations_are_found_by_their_items,
    pages_lead_there_and_back,
    large_bodies_are_left_out,
    chains_are_read_step_by_step,
    a_step_of_before_is_found_as_well,
);

fn begin(operation_id: &str, operation: &str, source: &str, actor: &str, at: DateTime<Utc>) -> Begin {
    let target = match operation {
        "release_lock" => r#"{"biz_key":"lock 42"}"#,
        "undo" => r#"{"undo":"op-1"}"#,
        _ => "{}",
    };
    Begin {
        operation_id: operation_id.to_owned(),
        operation: operation.to_owned(),
        source: source.to_owned(),
        actor: actor.to_owned(),
        origin: "browser 10.0.0.7".to_owned(),
        reason: "holder died".to_owned(),
        at,
        target: target.to_owned(),
    }
}

fn item(operation_id: &str, key: &str, outcome: &str) -> Event {
    Event {
        operation_id: operation_id.to_owned(),
        kind: EventKind::Item,
        actor: String::new(),
        origin: String::new(),
        at: now(),
        body: serde_json::json!({ "key": key, "outcome": outcome }).to_string(),
    }
}

fn wanted(sought: &[&str]) -> Wanted {
    let sought = sought.iter().map(|text| match text.strip_suffix('*') {
        Some(begin) => Sought::Begins(begin.to_owned()),
        None => Sought::Is((*text).to_owned()),
    });
    Wanted { sought: sought.collect(), since: None, beside: Beside::Before(None), limit: 50 }
}

async fn numbers(state: &State, wanted: Wanted) -> Vec<i64> {
    let found = state.stores.audit_log.find(&wanted).await.unwrap();
    found.entries.into_iter().map(|kept| kept.entry.id).collect()
}

/// 1 retry by ann of points an hour ago, ended; 2 release_lock by bob of orders; 3 archive_chunk of run/1; 4 undo of op-1.
async fn written(state: &State) {
    let audit = &state.stores.audit;
    let long_ago = now() - TimeDelta::hours(1);
    audit.begin(&begin("op-1", "retry", "points", "ann", long_ago)).await.unwrap();
    audit.begin(&begin("op-2", "release_lock", "orders", "bob", now())).await.unwrap();
    audit.begin(&begin("run/1", "archive_chunk", "points", "schedule", now())).await.unwrap();
    audit.begin(&begin("op-4", "undo", "points", "ann", now())).await.unwrap();
    audit.complete("op-1", now(), "done", "{}").await.unwrap();
}

async fn operations_are_found_by_what_they_are(state: State) {
    written(&state).await;
    for (sought, found) in [
        (&["all"][..], &[4, 2, 1][..]),
        (&["by:ann"], &[4, 1]),
        (&["all", "by:an*"], &[4, 1]),
        (&["op:archive_chunk"], &[3]),
        (&["source:points", "all"], &[4, 1]),
        (&["plan:run"], &[3]),
        (&["plan:op-1"], &[4, 1]),
        (&["key:lock 42"], &[2]),
        (&["end:open", "by:ann"], &[4]),
        (&["end:done"], &[1]),
        (&["by:ann", "source:orders"], &[]),
        (&["by:nobody"], &[]),
        (&["by:an"], &[]),
    ] {
        assert_eq!(numbers(&state, wanted(sought)).await, found, "{sought:?}");
    }
    let since = Wanted { since: Some(now() - TimeDelta::minutes(10)), ..wanted(&["all"]) };
    assert_eq!(numbers(&state, since).await, [4, 2]);
    let later = Wanted { since: Some(now() + TimeDelta::hours(1)), ..wanted(&["all"]) };
    assert_eq!(numbers(&state, later).await, [0; 0]);
    let later = now() + TimeDelta::hours(1);
    assert_eq!(state.stores.trail.sweep(later, later).await.unwrap(), 3);
    assert_eq!(numbers(&state, wanted(&["end:none"])).await, [4, 3, 2]);
    state.stores.audit.complete("op-4", later, "done", "{}").await.unwrap();
    assert_eq!(numbers(&state, wanted(&["end:none"])).await, [3, 2]);
}

async fn operations_are_found_by_their_items(state: State) {
    written(&state).await;
    let trail = &state.stores.trail;
    let odd = format!("2026-{}\0 ", "漢'%_\\".repeat(200));
    for (key, outcome) in
        [("2026-1", "done"), ("2026-1", "failed"), ("2025-9", "done"), (&odd, "skipped"), (&odd, "skipped")]
    {
        trail.note(&item("op-1", key, outcome)).await.unwrap();
    }
    trail.note(&item("op-4", "2026-1", "done")).await.unwrap();
    trail.note(&item("never begun", "2026-1", "done")).await.unwrap();
    for (sought, found) in [
        (&["all", "key:2026-1"][..], &[4, 1][..]),
        (&["all", "key:2026*"], &[4, 1]),
        (&["all", "key:2025*"], &[1]),
        (&["all", "key:2024*"], &[]),
        (&["item:failed"], &[1]),
        (&["item:done", "key:2026-1", "by:ann"], &[4, 1]),
    ] {
        assert_eq!(numbers(&state, wanted(sought)).await, found, "{sought:?}");
    }
    assert_eq!(numbers(&state, wanted(&[&word("key", &odd)])).await, [1]);
    assert_eq!(state.stores.trail.broken().await.unwrap(), None, "the index is no part of the chain");
}

async fn pages_lead_there_and_back(state: State) {
    for n in 1..=7 {
        let by = if n % 2 == 0 { "bob" } else { "ann" };
        state.stores.audit.begin(&begin(&format!("op-{n}"), "retry", "points", by, now())).await.unwrap();
    }
    let page = async |beside, sought: &[&str]| {
        let found = state.stores.audit_log.find(&Wanted { beside, limit: 2, ..wanted(sought) }).await.unwrap();
        (found.entries.into_iter().map(|kept| kept.entry.id).collect::<Vec<_>>(), found.next)
    };
    assert_eq!(page(Beside::Before(None), &["all"]).await, (vec![7, 6], Some(6)));
    assert_eq!(page(Beside::Before(Some(6)), &["all"]).await, (vec![5, 4], Some(4)));
    assert_eq!(page(Beside::Before(Some(2)), &["all"]).await, (vec![1], None));
    assert_eq!(page(Beside::After(3), &["all"]).await, (vec![5, 4], Some(5)), "the nearest, newest first");
    assert_eq!(page(Beside::After(5), &["all"]).await, (vec![7, 6], None));
    assert_eq!(page(Beside::Before(Some(6)), &["by:bob", "op:retry"]).await, (vec![4, 2], None));
}

async fn large_bodies_are_left_out(state: State) {
    written(&state).await;
    let trail = &state.stores.trail;
    trail.note(&item("op-1", "small", "done")).await.unwrap();
    trail.note(&item("op-1", &"漢".repeat(50_000), "done")).await.unwrap();
    let log = &state.stores.audit_log;
    let events = log.events("op-1", Stretch::After(None), 200).await.unwrap();
    let left_out: Vec<bool> = events.iter().map(|brief| brief.left_out.is_some()).collect();
    assert_eq!(left_out, [false, false, true], "its end came first");
    assert_eq!(events[2].event.body, "{}");
    let behind = log.events("op-1", Stretch::After(Some(events[0].id)), 1).await.unwrap();
    assert_eq!(behind[0].id, events[1].id);
    assert_eq!(log.events("op-1", Stretch::Last, 1).await.unwrap()[0].id, events[2].id);
    assert!(log.entry(1).await.unwrap().is_some_and(|kept| kept.hash.len() == 64));
    assert!(log.entry(99).await.unwrap().is_none());
}

async fn chains_are_read_step_by_step(state: State) {
    written(&state).await;
    let log = &state.stores.audit_log;
    let read = async || {
        let mut walked = Walked::default();
        loop {
            match log.verify(walked).await.unwrap() {
                Verified::On(further) => walked = further,
                ended => return ended,
            }
        }
    };
    assert!(matches!(read().await, Verified::Whole(whole) if (whole.beginnings.id, whole.events.id) == (4, 1)));
    state.sql("UPDATE oncewatch_audit SET actor = 'eve' WHERE id = 2").await;
    let changed = AuditBreak::Changed { operation_id: "op-2".to_owned(), id: 2 };
    assert_eq!(read().await, Verified::Broken(changed));
    assert_eq!(log.checked().await.unwrap(), None);
    for body in ["{}", "{\"n\":1}"] {
        log.keep_check(body).await.unwrap();
        assert_eq!(log.checked().await.unwrap().as_deref(), Some(body));
    }
}

/// What was written before there was an index is found after the step that makes it.
async fn a_step_of_before_is_found_as_well(state: State) {
    written(&state).await;
    state.sql("DELETE FROM oncewatch_migration WHERE version = 9").await;
    for table in
        ["DROP TABLE oncewatch_audit_find", "DROP TABLE oncewatch_audit_time", "DROP TABLE oncewatch_audit_check"]
    {
        state.sql(table).await;
    }
    state.of_another_process().await;
    for (sought, found) in [(&["all"][..], &[4, 2, 1][..]), (&["by:ann", "end:open"], &[4]), (&["end:done"], &[1])] {
        assert_eq!(numbers(&state, wanted(sought)).await, found, "{sought:?}");
    }
}
