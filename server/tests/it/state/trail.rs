//! What became of operations, chained; and what shows when somebody changes it.

use super::{State, conformance, now};
use app::model::AuditBreak;
use chrono::TimeDelta;
use server::ports::state::Begin;
use server::ports::trail::{Event, EventKind};

conformance!(
    events_of_several_processes_are_one_chain,
    what_is_changed_by_hand_is_found,
    what_is_taken_away_by_hand_is_found,
    operations_without_an_end_are_marked_once,
);

fn event(operation_id: &str, body: &str) -> Event {
    Event {
        operation_id: operation_id.to_owned(),
        kind: EventKind::Paused,
        actor: "ann".to_owned(),
        origin: "browser 10.0.0.7".to_owned(),
        at: now(),
        body: body.to_owned(),
    }
}

fn begin(operation_id: &str) -> Begin {
    Begin {
        operation_id: operation_id.to_owned(),
        operation: "release_lock".to_owned(),
        source: "points".to_owned(),
        actor: "ann".to_owned(),
        origin: "cli ann@host".to_owned(),
        reason: "holder died".to_owned(),
        at: now(),
        target: "{}".to_owned(),
    }
}

/// Three operations, two of them with an end, and ten events between.
async fn written(state: &State) {
    for id in ["op-1", "op-2", "op-3"] {
        state.stores.audit.begin(&begin(id)).await.unwrap();
    }
    for number in 0..10 {
        state.stores.trail.note(&event("op-3", &format!("{{\"n\":{number}}}"))).await.unwrap();
    }
    for id in ["op-1", "op-2"] {
        state.stores.audit.complete(id, now(), "released", "{\"of\":\"积分\"}").await.unwrap();
    }
    assert_eq!(state.stores.trail.broken().await.unwrap(), None);
}

async fn events_of_several_processes_are_one_chain(state: State) {
    let other = state.of_another_process().await;
    let odd = format!("'\"`\\\\ 👍🏽 {}", "漢".repeat(50_000));
    let noting = (0..16).map(|number| {
        let trail = if number % 2 == 0 { state.stores.trail.clone() } else { other.trail.clone() };
        let event = event(&format!("op-{}", number % 3), &odd);
        async move { trail.note(&event).await }
    });
    futures::future::try_join_all(noting).await.unwrap();
    assert_eq!(state.stores.trail.broken().await.unwrap(), None);
    let of_one = state.stores.trail.of("op-0", None).await.unwrap();
    assert_eq!((of_one.len(), of_one[0].1.body == odd), (6, true));
    assert!(of_one.windows(2).all(|two| two[0].0 < two[1].0));
    assert_eq!(state.stores.trail.of("op-0", Some(of_one[3].0)).await.unwrap().len(), 2);
}

async fn what_is_changed_by_hand_is_found(state: State) {
    written(&state).await;
    let changes = [
        (
            "UPDATE oncewatch_audit_event SET body = '{}' WHERE id = 4",
            "UPDATE oncewatch_audit_event SET body = '{\"n\":3}' WHERE id = 4",
            4,
        ),
        (
            "UPDATE oncewatch_audit_event SET actor = 'bob' WHERE id = 7",
            "UPDATE oncewatch_audit_event SET actor = 'ann' WHERE id = 7",
            7,
        ),
        (
            "UPDATE oncewatch_audit SET reason = 'x' WHERE id = 2",
            "UPDATE oncewatch_audit SET reason = 'holder died' WHERE id = 2",
            2,
        ),
        (
            "UPDATE oncewatch_audit SET outcome = 'gone' WHERE id = 1",
            "UPDATE oncewatch_audit SET outcome = 'released' WHERE id = 1",
            11,
        ),
        ("UPDATE oncewatch_audit SET ended_at = NULL WHERE id = 2", "", 12),
    ];
    for (wrong, right, wanted) in changes {
        state.sql(wrong).await;
        let found = state.stores.trail.broken().await.unwrap();
        assert!(matches!(&found, Some(AuditBreak::Changed { id, .. }) if *id == wanted), "{wrong}: {found:?}");
        if !right.is_empty() {
            state.sql(right).await;
            assert_eq!(state.stores.trail.broken().await.unwrap(), None, "{right}");
        }
    }
}

async fn what_is_taken_away_by_hand_is_found(state: State) {
    written(&state).await;
    state.sql("DELETE FROM oncewatch_audit_event WHERE id = 12").await;
    assert_eq!(state.stores.trail.broken().await.unwrap(), Some(AuditBreak::Removed { operation_id: None, id: 12 }));
    state.sql("DELETE FROM oncewatch_audit_event WHERE id = 5").await;
    let gap = AuditBreak::Removed { operation_id: Some("op-3".to_owned()), id: 5 };
    assert_eq!(state.stores.trail.broken().await.unwrap(), Some(gap));
    // Operations go on, and the gap stays where it is.
    state.stores.trail.note(&event("op-4", "{}")).await.unwrap();
    state.sql("DELETE FROM oncewatch_audit WHERE id = 3").await;
    assert_eq!(state.stores.trail.broken().await.unwrap(), Some(AuditBreak::Removed { operation_id: None, id: 3 }));
}

async fn operations_without_an_end_are_marked_once(state: State) {
    written(&state).await;
    let trail = &state.stores.trail;
    assert_eq!(trail.sweep(now() - TimeDelta::hours(1), now()).await.unwrap(), 0, "it is young");
    let later = now() + TimeDelta::hours(1);
    assert_eq!((trail.sweep(later, later).await.unwrap(), trail.sweep(later, later).await.unwrap()), (1, 0));
    let last = trail.of("op-3", None).await.unwrap().pop().unwrap().1;
    assert_eq!(last.kind, EventKind::Unfinished);
    assert_eq!(trail.broken().await.unwrap(), None);
}
