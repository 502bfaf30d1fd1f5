use super::judge;
use crate::diagnose::{ArchiveSight, BrokerSight, Facets, Handling, LockSight};
use crate::ports::brokers::Found;
use app::model::{
    Evidence, Layer, Lock, LockState, MessageState, Pk, Record, RecordRef, Row, Status, TraceEntry, VerdictCode,
};
use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use std::time::Duration;

pub(in crate::diagnose) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_941_066, 0).unwrap()
}

pub(in crate::diagnose) fn record(status: Status, age_s: i64) -> Record {
    let at = now() - TimeDelta::seconds(age_s);
    Record {
        source: "points".into(),
        id: Some("1".into()),
        r#type: Some("ORDER_DONE".into()),
        key: Some("k".into()),
        status,
        created_at: Some(at),
        updated_at: Some(at),
        attempts: None,
        error: None,
        owner: None,
        lease_until: None,
    }
}

fn lock(state: LockState) -> LockSight {
    LockSight::Seen {
        lock: Lock { state, key: "idem_lock:ORDER_DONE:k".into(), owner: Some("w".into()), ttl_ms: Some(9_000) },
        done_at: None,
    }
}

/// Nobody's name is on it.
fn mark() -> LockSight {
    LockSight::Mark(Lock { state: LockState::Held, key: "k".into(), owner: None, ttl_ms: Some(9_000) })
}

fn message(state: MessageState) -> BrokerSight {
    BrokerSight::Message(Found {
        state,
        queue: "points:orders/points".into(),
        deliveries: Some(2),
        idle_ms: Some(4_100),
    })
}

fn queue(ready: u64, unacked: u64, dead: u64) -> BrokerSight {
    BrokerSight::Queue { ready, unacked, dead: Some(dead), as_of: now() - TimeDelta::seconds(5) }
}

const OLD: i64 = 600;
const YOUNG: i64 = 60;

pub(in crate::diagnose) fn facets(record: Option<Record>, lock: LockSight, broker: BrokerSight) -> Facets {
    Facets {
        records: record.into_iter().collect(),
        archive: ArchiveSight::NotAsked,
        lock,
        broker,
        trace: Vec::new(),
        now: now(),
        minimum_age: Duration::from_secs(300),
        handling: Handling::default(),
    }
}

/// Status and age of the record if there is one, lock, queues, and what is said of them.
type Case = (Option<(Status, i64)>, LockSight, BrokerSight, VerdictCode);

/// One line for each row of the table and for each way of not seeing a layer.
#[test]
fn the_table() {
    use LockState as L;
    use MessageState as M;
    use Status as S;
    use VerdictCode as V;
    let empty = || queue(0, 0, 0);
    let busy = || queue(3, 1, 0);
    let unseen = || BrokerSight::NotSeen;
    let not_there = || BrokerSight::NotThere;
    let cases: Vec<Case> = vec![
        (Some((S::Unmapped, OLD)), lock(L::Held), busy(), V::Unmapped),
        (Some((S::Processing, YOUNG)), lock(L::Done), busy(), V::MarkerContradicts),
        (Some((S::Failed, OLD)), lock(L::Done), empty(), V::MarkerContradicts),
        (None, lock(L::Done), unseen(), V::MarkerContradicts),
        (Some((S::Failed, OLD)), mark(), busy(), V::MarkerContradicts),
        (Some((S::Processing, YOUNG)), mark(), empty(), V::InProgress),
        (Some((S::Processing, OLD)), mark(), empty(), V::Stuck),
        (None, mark(), empty(), V::Claiming),
        (Some((S::Completed, OLD)), lock(L::None), message(M::Dead), V::DuplicateInDeadLetter),
        (Some((S::Completed, OLD)), lock(L::Held), message(M::Dead), V::DuplicateInDeadLetter),
        (Some((S::Completed, OLD)), LockSight::Unknown, message(M::Dead), V::DuplicateInDeadLetter),
        (Some((S::Completed, OLD)), lock(L::None), message(M::Waiting), V::Healthy),
        (Some((S::Completed, YOUNG)), lock(L::Held), busy(), V::FinishedLockHeld),
        (Some((S::Completed, OLD)), lock(L::Orphan), busy(), V::FinishedLockHeld),
        (Some((S::Completed, OLD)), lock(L::Eternal), busy(), V::FinishedLockHeld),
        (Some((S::Completed, OLD)), lock(L::None), busy(), V::Healthy),
        (Some((S::Completed, OLD)), lock(L::Done), unseen(), V::Healthy),
        (Some((S::Completed, OLD)), LockSight::Unknown, unseen(), V::Healthy),
        (Some((S::Completed, OLD)), LockSight::NotConfigured, BrokerSight::NotConfigured, V::Healthy),
        (Some((S::Dead, OLD)), lock(L::Held), busy(), V::Dead),
        (Some((S::Dead, OLD)), LockSight::Unknown, unseen(), V::Dead),
        (Some((S::Processing, OLD)), LockSight::Unknown, empty(), V::Unclear),
        (Some((S::Processing, OLD)), lock(L::Unknown), empty(), V::Unclear),
        (Some((S::Failed, OLD)), LockSight::Unknown, message(M::Dead), V::Unclear),
        (None, LockSight::Unknown, busy(), V::Unclear),
        (Some((S::Processing, OLD)), lock(L::Held), empty(), V::InProgressAcked),
        (Some((S::Processing, OLD)), lock(L::Held), busy(), V::InProgress),
        (Some((S::Processing, OLD)), lock(L::Eternal), unseen(), V::InProgress),
        (Some((S::Processing, OLD)), lock(L::Held), message(M::Dead), V::InProgress),
        (Some((S::Processing, OLD)), lock(L::None), message(M::Dead), V::ProcessingInDeadLetter),
        (Some((S::Processing, YOUNG)), lock(L::None), message(M::Dead), V::ProcessingInDeadLetter),
        (Some((S::Processing, OLD)), lock(L::None), message(M::Unacked), V::Unprotected),
        (Some((S::Processing, YOUNG)), lock(L::None), message(M::Unacked), V::Unprotected),
        (Some((S::Processing, YOUNG)), lock(L::None), busy(), V::InProgress),
        (Some((S::Processing, YOUNG)), lock(L::None), empty(), V::InProgress),
        (Some((S::Processing, YOUNG)), LockSight::NotConfigured, BrokerSight::NotConfigured, V::InProgress),
        (Some((S::Processing, OLD)), lock(L::None), message(M::Waiting), V::WaitingBehindRecord),
        (Some((S::Processing, OLD)), lock(L::None), empty(), V::Stuck),
        (Some((S::Processing, OLD)), LockSight::NotConfigured, empty(), V::Stuck),
        (Some((S::Processing, OLD)), lock(L::None), busy(), V::StuckOrUnprotected),
        (Some((S::Processing, OLD)), lock(L::None), queue(0, 0, 2), V::StuckOrUnprotected),
        (Some((S::Processing, OLD)), lock(L::None), unseen(), V::StuckOrUnprotected),
        (Some((S::Processing, OLD)), lock(L::None), not_there(), V::StuckOrUnprotected),
        (Some((S::Processing, OLD)), lock(L::None), BrokerSight::NotConfigured, V::StuckOrUnprotected),
        (Some((S::Failed, OLD)), lock(L::Held), empty(), V::Retrying),
        (Some((S::Failed, OLD)), lock(L::None), message(M::Unacked), V::Retrying),
        (Some((S::Failed, OLD)), lock(L::None), message(M::Dead), V::FailedInDeadLetter),
        (Some((S::Failed, OLD)), lock(L::None), queue(3, 0, 1), V::FailedInDeadLetter),
        (Some((S::Failed, OLD)), lock(L::None), message(M::Waiting), V::FailedWaiting),
        (Some((S::Failed, OLD)), lock(L::None), busy(), V::FailedWaiting),
        (Some((S::Failed, OLD)), lock(L::None), empty(), V::FailedMessageGone),
        (Some((S::Failed, OLD)), lock(L::None), unseen(), V::Failed),
        (Some((S::Failed, OLD)), lock(L::None), not_there(), V::Failed),
        (None, lock(L::Held), busy(), V::Claiming),
        (None, lock(L::Orphan), empty(), V::Claiming),
        (None, lock(L::None), message(M::Unacked), V::Claiming),
        (None, lock(L::None), message(M::Dead), V::UnrecordedInDeadLetter),
        (None, lock(L::None), not_there(), V::UnknownKey),
        (None, lock(L::None), message(M::Waiting), V::NotConsumed),
        (None, lock(L::None), busy(), V::NotConsumed),
        (None, lock(L::None), empty(), V::UnknownKey),
        (None, lock(L::None), unseen(), V::UnknownKey),
        (None, LockSight::NotConfigured, BrokerSight::NotConfigured, V::UnknownKey),
    ];
    for (seen, lock, broker, expected) in cases {
        let facets = facets(seen.map(|(status, age)| record(status, age)), lock, broker);
        assert_eq!(judge(&facets).code, expected, "{facets:#?}");
    }
}

#[test]
fn two_records_for_one_key_come_before_everything() {
    let mut facets = facets(Some(record(Status::Completed, OLD)), lock(LockState::None), queue(0, 0, 0));
    facets.records.push(record(Status::Processing, OLD));
    let verdict = judge(&facets);
    assert_eq!(verdict.code, VerdictCode::NotUnique);
    assert_eq!(verdict.evidence.first(), Some(&Evidence::Records { count: 2 }));
}

#[test]
fn a_live_lease_is_life_without_a_lock() {
    let mut leased = record(Status::Processing, OLD);
    leased.lease_until = Some(now() + TimeDelta::seconds(9));
    let verdict = judge(&facets(Some(leased.clone()), lock(LockState::None), queue(1, 0, 0)));
    assert_eq!(verdict.code, VerdictCode::InProgress);
    leased.lease_until = Some(now() - TimeDelta::seconds(9));
    let verdict = judge(&facets(Some(leased), lock(LockState::None), queue(1, 0, 0)));
    assert_eq!(verdict.code, VerdictCode::StuckOrUnprotected);
}

/// Statistics that are older than the record's last change may not know its message yet.
#[test]
fn empty_queues_prove_nothing_about_what_happened_after_they_were_counted() {
    let facets = facets(Some(record(Status::Failed, 3)), lock(LockState::None), queue(0, 0, 0));
    assert_eq!(judge(&facets).code, VerdictCode::Failed);
}

#[test]
fn without_a_time_column_nothing_is_called_young_or_stuck() {
    let mut timeless = record(Status::Processing, 0);
    (timeless.created_at, timeless.updated_at) = (None, None);
    let verdict = judge(&facets(Some(timeless), lock(LockState::None), queue(0, 0, 0)));
    assert_eq!(verdict.code, VerdictCode::StuckOrUnprotected);
    assert!(!verdict.params.contains_key("age_ms"));
}

#[test]
fn a_verdict_says_what_it_rests_on_and_what_it_could_not_see() {
    let verdict = judge(&facets(Some(record(Status::Processing, OLD)), lock(LockState::None), BrokerSight::NotSeen));
    assert_eq!(
        verdict.evidence,
        vec![
            Evidence::RecordSince {
                status: Status::Processing,
                since: Some(now() - TimeDelta::seconds(OLD)),
                age_ms: Some(OLD * 1_000)
            },
            Evidence::NoLock,
            Evidence::NotSeen { layer: Layer::Broker },
            Evidence::OldAfter { after_ms: 300_000 },
        ]
    );
}

#[test]
fn parameters_tell_the_shades_of_a_verdict() {
    let param = |facets: &Facets, name: &str| judge(facets).params.get(name).cloned();
    let at_risk = facets(Some(record(Status::Processing, YOUNG)), lock(LockState::Expiring), queue(1, 1, 0));
    assert_eq!(param(&at_risk, "at_risk"), Some(true.into()));
    let usual = |seconds| Handling { p99: Some(Duration::from_secs(seconds)), longest: None };
    let at_work = facets(Some(record(Status::Processing, YOUNG)), lock(LockState::Held), queue(1, 1, 0));
    let slow = Facets { handling: usual(59), ..at_work.clone() };
    assert_eq!((param(&slow, "slow"), param(&slow, "p99_ms")), (Some(true.into()), Some(59_000.into())));
    assert_eq!(param(&Facets { handling: usual(61), ..at_work.clone() }, "slow"), None);
    assert_eq!(param(&at_work, "slow"), None, "nobody knows what is usual");
    let orphan = facets(None, lock(LockState::Orphan), queue(0, 0, 0));
    assert_eq!(param(&orphan, "orphan"), Some(true.into()));
    let seen = facets(Some(record(Status::Failed, OLD)), lock(LockState::None), message(MessageState::Dead));
    assert_eq!(param(&seen, "seen"), Some(true.into()));
    let unseen = facets(Some(record(Status::Failed, OLD)), lock(LockState::None), queue(0, 0, 4));
    assert_eq!(param(&unseen, "seen"), Some(false.into()));
    assert_eq!(param(&unseen, "age_ms"), Some((OLD * 1_000).into()));
}

#[test]
fn what_was_archived_was_handled() {
    let archived = |status| {
        let record = record(status, OLD);
        let reference = RecordRef { table: "archive".into(), pk: Pk::Int(1) };
        ArchiveSight::Row(Box::new(Row { record, reference, code: None, ambiguous: Vec::new() }))
    };
    let code = |archive: ArchiveSight, lock, broker| judge(&Facets { archive, ..facets(None, lock, broker) }).code;
    let done = || lock(LockState::Done);
    let none = || lock(LockState::None);
    for broker in [queue(0, 0, 0), queue(3, 0, 1), BrokerSight::NotSeen, message(MessageState::Waiting)] {
        for lock in [none(), done(), LockSight::NotConfigured] {
            assert_eq!(code(archived(Status::Completed), lock, broker.clone()), VerdictCode::Archived);
        }
    }
    // A retry from the dead letter would have the effect again.
    let dead = || message(MessageState::Dead);
    assert_eq!(code(archived(Status::Completed), none(), dead()), VerdictCode::Archived);
    // Somebody is at it once more.
    assert_eq!(code(archived(Status::Completed), lock(LockState::Held), queue(0, 1, 0)), VerdictCode::Claiming);
    assert_eq!(code(archived(Status::Completed), LockSight::Unknown, queue(0, 0, 0)), VerdictCode::Unclear);
    // Given up, and moved by somebody else's hand.
    assert_eq!(code(archived(Status::Dead), none(), queue(0, 0, 0)), VerdictCode::UnknownKey);
    assert_eq!(code(ArchiveSight::Nothing, done(), queue(0, 0, 0)), VerdictCode::MarkerContradicts);
    assert_eq!(code(ArchiveSight::NotSeen, done(), queue(0, 0, 0)), VerdictCode::Unclear);
    let unseen = judge(&Facets { archive: ArchiveSight::NotSeen, ..facets(None, none(), queue(0, 0, 0)) });
    assert!(unseen.evidence.contains(&Evidence::NotSeen { layer: Layer::Archive }), "{:?}", unseen.evidence);
}

fn entry(outcome: &str, ago_s: i64) -> TraceEntry {
    TraceEntry {
        at: Some(now() - TimeDelta::seconds(ago_s)),
        worker: None,
        delivery: None,
        lock: None,
        record: None,
        outcome: Some(outcome.into()),
    }
}

#[test]
fn the_trace_says_which_layer_did_what() {
    let traced = |status, lock, entries: &[(&str, i64)]| {
        let trace = entries.iter().map(|(outcome, ago_s)| entry(outcome, *ago_s)).collect();
        judge(&Facets { trace, ..facets(Some(record(status, OLD)), lock, queue(0, 0, 0)) })
    };
    let none = || lock(LockState::None);
    // 3: two effects for one message, however they were written down.
    for twice in
        [&[("completed", 5), ("takeover", 9), ("completed", 30), ("first", 40)][..], &[("leaked", 5), ("completed", 9)]]
    {
        let verdict = traced(Status::Completed, none(), twice);
        assert_eq!(verdict.code, VerdictCode::Leaked);
        assert!(verdict.evidence.contains(&Evidence::Effects { count: 2 }), "{:?}", verdict.evidence);
    }
    let once = [("completed", 5), ("takeover", 9), ("failed", 30), ("first", 40)];
    assert_eq!(traced(Status::Completed, none(), &once).code, VerdictCode::Healthy);
    assert_eq!(traced(Status::Completed, lock(LockState::Held), &[("leaked", 5)]).code, VerdictCode::Leaked);
    // 12: settled as duplicates while the record never finishes.
    let swallowed = [("dup_index", 5), ("dup_status", 60), ("dup_index", OLD + 60), ("first", OLD)];
    let verdict = traced(Status::Processing, none(), &swallowed);
    assert_eq!(verdict.code, VerdictCode::Swallowed);
    assert!(verdict.evidence.contains(&Evidence::SettledAsDuplicates { count: 2 }), "{:?}", verdict.evidence);
    // Not while somebody works on it, not before it began, not when it was given back, not with an unread lock.
    assert_ne!(traced(Status::Processing, lock(LockState::Held), &swallowed).code, VerdictCode::Swallowed);
    assert_eq!(traced(Status::Processing, none(), &[("dup_index", OLD + 60)]).code, VerdictCode::Stuck);
    assert_eq!(traced(Status::Processing, none(), &[("deferred", 5)]).code, VerdictCode::Stuck);
    assert_eq!(traced(Status::Processing, LockSight::Unknown, &swallowed).code, VerdictCode::Unclear);
}

pub(in crate::diagnose) fn any_broker() -> impl Strategy<Value = BrokerSight> {
    let state = prop::sample::select(vec![MessageState::Waiting, MessageState::Unacked, MessageState::Dead]);
    prop_oneof![
        Just(BrokerSight::NotConfigured),
        Just(BrokerSight::NotSeen),
        Just(BrokerSight::NotThere),
        state.prop_map(message),
        (0..3_u64, 0..3_u64, 0..3_u64).prop_map(|(ready, unacked, dead)| queue(ready, unacked, dead)),
    ]
}

proptest! {
    /// Whatever else is seen: with an unread lock nothing open is ever judged as if it were free.
    #[test]
    fn an_unknown_lock_is_never_taken_for_a_free_one(
        status in prop::option::of(prop::sample::select(Status::ALL.to_vec())), age in 0..10_000_i64, broker in any_broker(),
    ) {
        let open = matches!(status, None | Some(Status::Processing | Status::Failed));
        for (sight, says) in [(LockSight::Unknown, Evidence::LockUnknown), (LockSight::NotNamed, Evidence::LockNotNamed)] {
            let verdict = judge(&facets(status.map(|status| record(status, age)), sight, broker.clone()));
            prop_assert_eq!(verdict.code == VerdictCode::Unclear, open);
            prop_assert!(verdict.evidence.contains(&says));
        }
    }

    /// A record that somebody works on, or that is young, is never called stuck.
    #[test]
    fn stuck_is_old_and_nobody_there(age in 0..10_000_i64, held in any::<bool>(), broker in any_broker()) {
        let lock = lock(if held { LockState::Held } else { LockState::None });
        let verdict = judge(&facets(Some(record(Status::Processing, age)), lock, broker));
        if matches!(verdict.code, VerdictCode::Stuck | VerdictCode::StuckOrUnprotected) {
            prop_assert!(!held && age > 300);
        }
    }
}
