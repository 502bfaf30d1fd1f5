//! The audit: two phases, one chain.

use super::{State, assert_exists, conformance, now};
use server::adapters::state::link_hash;
use server::ports::state::{Begin, StateError};

conformance!(
    an_operation_begins_once_and_ends_once,
    the_audit_is_listed_newest_first,
    audit_rows_are_chained,
    long_and_odd_text_comes_back_as_it_was,
);

fn begin(operation_id: &str, source: &str) -> Begin {
    Begin {
        operation_id: operation_id.to_owned(),
        operation: "release_lock".to_owned(),
        source: source.to_owned(),
        actor: "ann".to_owned(),
        origin: "browser 10.0.0.7".to_owned(),
        reason: "holder died".to_owned(),
        at: now(),
        target: r#"{"key":"idem_lock:ORDER_DONE:42"}"#.to_owned(),
    }
}

async fn an_operation_begins_once_and_ends_once(state: State) {
    let audit = &state.stores.audit;
    assert!(audit.get("op-1").await.unwrap().is_none());
    let begun = begin("op-1", "points");
    let racers = (0..8).map(|_| audit.begin(&begun));
    let results = futures::future::join_all(racers).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    results.iter().filter(|result| result.is_err()).for_each(assert_exists);

    let open = audit.get("op-1").await.unwrap().unwrap();
    assert_eq!((open.actor.as_str(), open.begun_at, &open.target), ("ann", begun.at, &begun.target));
    assert_eq!((open.ended_at, &open.outcome, &open.detail), (None, &None, &None));

    let ended_at = now();
    audit.complete("op-1", ended_at, "released", "{}").await.unwrap();
    assert_exists(&audit.complete("op-1", now(), "failed", "{}").await);
    assert!(matches!(audit.complete("op-2", now(), "released", "{}").await, Err(StateError::Failed(_))));
    let ended = audit.get("op-1").await.unwrap().unwrap();
    assert_eq!((ended.ended_at, ended.outcome.as_deref()), (Some(ended_at), Some("released")), "the first end stands");
}

async fn the_audit_is_listed_newest_first(state: State) {
    let audit = &state.stores.audit;
    for (id, source) in [("op-1", "points"), ("op-2", "orders"), ("op-3", "points")] {
        audit.begin(&begin(id, source)).await.unwrap();
    }
    let recent = |source, limit| async move {
        let entries = audit.recent(source, limit).await.unwrap();
        entries.into_iter().map(|entry| entry.operation_id).collect::<Vec<_>>()
    };
    assert_eq!(recent(None, 1_000).await, ["op-3", "op-2", "op-1"]);
    assert_eq!(recent(Some("points"), 1_000).await, ["op-3", "op-1"]);
    assert_eq!(recent(Some("points"), 1).await, ["op-3"]);
    assert!(recent(Some("nothing"), 10).await.is_empty());
}

async fn audit_rows_are_chained(state: State) {
    use sqlx::Row;
    let other_process = state.of_another_process().await;
    let operations: Vec<Begin> = (0..12).map(|n| begin(&format!("op-{n}"), "points")).collect();
    let begins = operations.iter().enumerate().map(|(n, operation)| {
        let audit = if n % 2 == 0 { &state.stores.audit } else { &other_process.audit };
        audit.begin(operation)
    });
    futures::future::try_join_all(begins).await.unwrap();
    assert_exists(&state.stores.audit.begin(&operations[3]).await);

    let rows = state.sql("SELECT id, operation_id, hash FROM oncewatch_audit ORDER BY id").await;
    let mut previous = String::new();
    for (row, expected_id) in rows.iter().zip(1..) {
        let (id, operation_id) = (row.get::<i64, _>("id"), row.get::<String, _>("operation_id"));
        assert_eq!(id, expected_id, "refused beginnings leave no gap");
        let operation = operations.iter().find(|operation| operation.operation_id == operation_id).unwrap();
        let hash: String = row.get("hash");
        assert_eq!(hash, link_hash(&previous, id, operation));
        previous = hash;
    }
    assert_eq!(rows.len(), operations.len());
}

async fn long_and_odd_text_comes_back_as_it_was(state: State) {
    let lease = state.lease("collect").await;
    let odd = format!("</script>'\"`\\ 👍🏽 ① \u{202e} {{$1 ?}} {}", "漢".repeat(100_000));
    state.stores.snapshots.put(&lease, "points", "records", &odd).await.unwrap();
    assert_eq!(state.stores.snapshots.since(0).await.unwrap()[0].json, odd);

    let begun = Begin { reason: odd.clone(), target: odd.clone(), ..begin("op", "points") };
    state.stores.audit.begin(&begun).await.unwrap();
    state.stores.audit.complete("op", now(), "released", &odd).await.unwrap();
    let entry = state.stores.audit.get("op").await.unwrap().unwrap();
    assert_eq!((entry.reason, entry.target, entry.detail), (odd.clone(), odd.clone(), Some(odd)));
}
