use super::{Standing, skip};
use crate::config::{Republish, RetryMode};
use crate::diagnose::{BrokerSight, LockSight};
use crate::ports::brokers::Found;
use crate::ports::changes::Possible;
use app::model::{Lock, LockState, MessageState, RowOperation, Skip, Status};
use chrono::{DateTime, TimeDelta};
use proptest::prelude::*;
use std::time::Duration;

const POSSIBLE: Possible =
    Possible { open: true, mark_failed: true, mark_dead: true, open_deletes: false, tells_touched: true };
const AFTER: Duration = Duration::from_secs(300);
const CONSUMER_TIMEOUT: Duration = Duration::from_secs(1_800);

fn lock(state: LockState) -> LockSight {
    LockSight::Seen {
        lock: Lock { state, key: "k".into(), owner: Some("w".into()), ttl_ms: Some(9_000) },
        done_at: None,
    }
}

fn mark() -> LockSight {
    LockSight::Mark(Lock { state: LockState::Held, key: "k".into(), owner: None, ttl_ms: None })
}

fn queue(ready: u64, unacked: u64) -> BrokerSight {
    BrokerSight::Queue { ready, unacked, dead: None, as_of: DateTime::UNIX_EPOCH }
}

fn message(state: MessageState) -> BrokerSight {
    BrokerSight::Message(Found { state, queue: "q".into(), deliveries: None, idle_ms: None })
}

fn standing(status: Status, age_s: i64) -> Standing {
    Standing {
        status,
        age: Some(TimeDelta::seconds(age_s)),
        lease_is_live: false,
        lock: lock(LockState::None),
        broker: queue(3, 0),
        minimum_age: AFTER,
        consumer_timeout: CONSUMER_TIMEOUT,
    }
}

#[test]
fn the_table_of_what_may_be_touched() {
    use {LockState as L, RowOperation as O, Status as S};
    let old = || standing(S::Processing, 600);
    let young = Skip::TooYoung { after_ms: 300_000 };
    for (operation, standing, expected) in [
        (O::Retry, standing(S::Completed, 600), Some(Skip::Completed)),
        (O::MarkFailed, standing(S::Completed, 600), Some(Skip::Completed)),
        (O::MarkDead, standing(S::Completed, 600), Some(Skip::Completed)),
        (O::Retry, standing(S::Unmapped, 600), Some(Skip::Unmapped)),
        (O::Retry, standing(S::Failed, 5), None),
        (O::Retry, standing(S::Dead, 5), None),
        (O::Retry, old(), None),
        (O::Retry, standing(S::Processing, 60), Some(young.clone())),
        (O::MarkFailed, old(), None),
        (O::MarkFailed, standing(S::Failed, 600), Some(Skip::Status)),
        (O::MarkFailed, standing(S::Dead, 600), Some(Skip::Status)),
        (O::MarkFailed, standing(S::Processing, 60), Some(young)),
        (O::MarkDead, standing(S::Failed, 5), None),
        (O::MarkDead, old(), None),
        (O::MarkDead, standing(S::Dead, 600), Some(Skip::Status)),
        (O::Retry, Standing { lock: lock(L::Held), ..old() }, Some(Skip::Alive)),
        (O::Retry, Standing { lock: lock(L::Expiring), ..old() }, Some(Skip::Alive)),
        (O::Retry, Standing { lock: lock(L::Eternal), ..old() }, Some(Skip::Alive)),
        (O::Retry, Standing { lock: lock(L::Held), ..standing(S::Failed, 600) }, Some(Skip::Alive)),
        (O::MarkDead, Standing { lock: lock(L::Held), ..standing(S::Failed, 600) }, Some(Skip::Alive)),
        (O::Retry, Standing { lock: lock(L::Orphan), ..standing(S::Failed, 600) }, None),
        (O::Retry, Standing { lease_is_live: true, ..old() }, Some(Skip::Alive)),
        (O::Retry, Standing { lock: LockSight::Unknown, ..old() }, Some(Skip::LockUnknown)),
        (O::Retry, Standing { lock: LockSight::NotNamed, ..old() }, Some(Skip::LockUnknown)),
        (O::Retry, Standing { lock: mark(), ..standing(S::Failed, 600) }, Some(Skip::LockUnknown)),
        (O::Retry, Standing { lock: LockSight::NotConfigured, ..old() }, None),
        (O::Retry, Standing { lock: lock(L::Done), ..old() }, Some(Skip::DoneMarker)),
        (O::MarkDead, Standing { lock: lock(L::Done), ..old() }, None),
        (O::Retry, Standing { age: None, ..old() }, Some(Skip::NoAge)),
        (O::Retry, Standing { broker: BrokerSight::NotSeen, ..old() }, Some(Skip::BrokerNotSeen)),
        (O::MarkFailed, Standing { broker: BrokerSight::NotSeen, ..old() }, Some(Skip::BrokerNotSeen)),
        (O::MarkDead, Standing { broker: BrokerSight::NotSeen, ..standing(S::Failed, 5) }, None),
        (O::Retry, Standing { broker: message(MessageState::Waiting), ..old() }, Some(Skip::DeliveryKnown)),
        (O::Retry, Standing { broker: message(MessageState::Unacked), ..old() }, Some(Skip::DeliveryKnown)),
        (O::MarkFailed, Standing { broker: message(MessageState::Unacked), ..old() }, Some(Skip::DeliveryKnown)),
        (O::Retry, Standing { broker: message(MessageState::Dead), ..old() }, Some(Skip::NoRedelivery)),
        (O::MarkFailed, Standing { broker: message(MessageState::Dead), ..old() }, None),
        (O::Retry, Standing { broker: queue(0, 1), ..old() }, Some(Skip::DeliveryKnown)),
        (O::Retry, Standing { broker: queue(0, 1), ..standing(S::Processing, 1_801) }, None),
        (O::Retry, Standing { broker: queue(0, 0), ..old() }, Some(Skip::NoRedelivery)),
        (O::Retry, Standing { broker: BrokerSight::NotThere, ..old() }, Some(Skip::NoRedelivery)),
        (O::Retry, Standing { broker: BrokerSight::NotConfigured, ..old() }, None),
    ] {
        assert_eq!(skip(operation, &standing, POSSIBLE, &RetryMode::Release), expected, "{operation:?} {standing:#?}");
    }
    let blind = Possible { tells_touched: false, ..POSSIBLE };
    assert_eq!(skip(O::Retry, &old(), blind, &RetryMode::Release), Some(Skip::CannotTell));
    assert_eq!(skip(O::Retry, &standing(S::Failed, 5), blind, &RetryMode::Release), None);
}

#[test]
fn each_mode_takes_what_it_can_bring_back() {
    let dead = |dead| BrokerSight::Queue { ready: 0, unacked: 0, dead, as_of: DateTime::UNIX_EPOCH };
    let publish = || RetryMode::Republish(Republish { exchange: String::new(), routing_key: "points".into() });
    for (mode, broker, expected) in [
        (RetryMode::DeadLetter, message(MessageState::Dead), None),
        (RetryMode::DeadLetter, message(MessageState::Waiting), Some(Skip::DeliveryKnown)),
        (RetryMode::DeadLetter, dead(Some(2)), None),
        (RetryMode::DeadLetter, dead(Some(0)), Some(Skip::NotInDeadLetter)),
        (RetryMode::DeadLetter, dead(None), Some(Skip::NotInDeadLetter)),
        (RetryMode::DeadLetter, BrokerSight::NotThere, Some(Skip::NotInDeadLetter)),
        (RetryMode::DeadLetter, BrokerSight::NotSeen, Some(Skip::BrokerNotSeen)),
        (publish(), dead(Some(0)), None),
        (publish(), BrokerSight::NotThere, None),
        (publish(), queue(0, 1), Some(Skip::DeliveryKnown)),
        (publish(), BrokerSight::NotSeen, Some(Skip::BrokerNotSeen)),
    ] {
        let standing = Standing { broker, ..standing(Status::Failed, 600) };
        assert_eq!(skip(RowOperation::Retry, &standing, POSSIBLE, &mode), expected, "{mode:?} {standing:#?}");
    }
}

fn any_standing() -> impl Strategy<Value = Standing> {
    let lock = prop_oneof![
        Just(LockSight::NotConfigured),
        Just(LockSight::Unknown),
        Just(LockSight::NotNamed),
        Just(mark()),
        prop::sample::select(vec![
            LockState::Held,
            LockState::Expiring,
            LockState::Done,
            LockState::Eternal,
            LockState::Orphan,
            LockState::None,
            LockState::Unknown,
        ])
        .prop_map(lock),
    ];
    let state = prop::sample::select(vec![MessageState::Waiting, MessageState::Unacked, MessageState::Dead]);
    let broker = prop_oneof![
        Just(BrokerSight::NotConfigured),
        Just(BrokerSight::NotSeen),
        Just(BrokerSight::NotThere),
        state.prop_map(message),
        (0..3_u64, 0..3_u64).prop_map(|(ready, unacked)| queue(ready, unacked)),
    ];
    let status = prop::sample::select(Status::ALL.to_vec());
    (status, prop::option::of(-60..5_000_i64), any::<bool>(), lock, broker).prop_map(
        |(status, age, lease_is_live, lock, broker)| Standing {
            age: age.map(TimeDelta::seconds),
            lease_is_live,
            lock,
            broker,
            ..standing(status, 0)
        },
    )
}

proptest! {
    /// Whatever else is seen.
    #[test]
    fn what_is_finished_alive_or_unseen_is_never_touched(
        standing in any_standing(), operation in prop::sample::select(RowOperation::ALL.to_vec()),
    ) {
        if skip(operation, &standing, POSSIBLE, &RetryMode::Release).is_none() {
            prop_assert_ne!(standing.status, Status::Completed);
            prop_assert_ne!(standing.status, Status::Unmapped);
            prop_assert!(!standing.lock.unknown() && !standing.lease_is_live);
            prop_assert!(!standing.lock.held() || standing.lock.is(LockState::Orphan));
            if standing.status == Status::Processing {
                let age = standing.age.expect("its age is known");
                prop_assert!(age.to_std().is_ok_and(|age| age > AFTER));
                prop_assert_ne!(&standing.broker, &BrokerSight::NotSeen);
                prop_assert!(!standing.broker.message(MessageState::Unacked));
            }
            if operation == RowOperation::Retry {
                prop_assert_ne!(&standing.broker, &BrokerSight::NotSeen);
                prop_assert!(!standing.broker.message(MessageState::Waiting));
            }
        }
    }
}
