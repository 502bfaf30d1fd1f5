//! Which rows an operation may touch: the table of allowed and forbidden states, as a pure function. Unknown is never
//! taken for free.

use super::{BrokerSight, LockSight};
use crate::clock::millis;
use crate::config::RetryMode;
use crate::ports::changes::Possible;
use app::model::{LockState, MessageState, RowOperation, Skip, Status};
use chrono::TimeDelta;
use std::time::Duration;

/// What is seen of one row.
#[derive(Debug, Clone)]
pub struct Standing {
    pub status: Status,
    /// Since it is as it is; `None`: the table does not say.
    pub age: Option<TimeDelta>,
    pub lease_is_live: bool,
    pub lock: LockSight,
    pub broker: BrokerSight,
    /// See [`super::minimum_age`].
    pub minimum_age: Duration,
    /// The broker takes a delivery back after this.
    pub consumer_timeout: Duration,
}

/// `None`: it may be touched. `mode`: how a message comes again after a retry.
#[must_use]
pub fn skip(operation: RowOperation, standing: &Standing, possible: Possible, mode: &RetryMode) -> Option<Skip> {
    let is_retry = operation == RowOperation::Retry;
    match (standing.status, operation) {
        (Status::Completed, _) => return Some(Skip::Completed),
        (Status::Unmapped, _) => return Some(Skip::Unmapped),
        (Status::Failed, RowOperation::MarkFailed)
        | (Status::Dead, RowOperation::MarkFailed | RowOperation::MarkDead) => return Some(Skip::Status),
        _ => {}
    }
    let lock = &standing.lock;
    if lock.unknown() || matches!(lock, LockSight::Mark(_)) {
        return Some(Skip::LockUnknown);
    }
    // An orphan's holder is gone: its record is terminal or missing, and the lock older than any handling.
    let is_held = lock.held() && !lock.is(LockState::Orphan);
    if is_held || standing.lease_is_live {
        return Some(Skip::Alive);
    }
    if is_retry && lock.is(LockState::Done) {
        return Some(Skip::DoneMarker);
    }
    if standing.status == Status::Processing {
        if !possible.tells_touched {
            return Some(Skip::CannotTell);
        }
        match standing.age.map(|age| age.to_std().unwrap_or_default()) {
            None => return Some(Skip::NoAge),
            Some(age) if age <= standing.minimum_age => {
                return Some(Skip::TooYoung { after_ms: millis(standing.minimum_age) });
            }
            Some(_) => {}
        }
    }
    // Another word for a failed row changes nothing for its message.
    let depends_on_delivery = standing.status == Status::Processing || is_retry;
    if let Some(skip) = known_delivery(standing).filter(|_| depends_on_delivery) {
        return Some(skip);
    }
    if !is_retry {
        return None;
    }
    match mode {
        RetryMode::Release => (!is_plausible(&standing.broker)).then_some(Skip::NoRedelivery),
        RetryMode::DeadLetter => (!may_be_dead(&standing.broker)).then_some(Skip::NotInDeadLetter),
        RetryMode::Republish(_) | RetryMode::Webhook(_) => None,
    }
}

fn known_delivery(standing: &Standing) -> Option<Skip> {
    match &standing.broker {
        BrokerSight::NotSeen => Some(Skip::BrokerNotSeen),
        BrokerSight::Message(found) => match found.state {
            MessageState::Waiting | MessageState::Unacked => Some(Skip::DeliveryKnown),
            MessageState::Dead => None,
        },
        BrokerSight::Queue { unacked: 0, .. } | BrokerSight::NotConfigured | BrokerSight::NotThere => None,
        // Whose delivery it is cannot be known, but none lasts longer than that.
        BrokerSight::Queue { .. } => {
            let age = standing.age.and_then(|age| age.to_std().ok());
            let is_over = age.is_some_and(|age| age > standing.consumer_timeout);
            (!is_over).then_some(Skip::DeliveryKnown)
        }
    }
}

/// Something may deliver it again once it is open.
fn is_plausible(broker: &BrokerSight) -> bool {
    match broker {
        BrokerSight::NotConfigured => true,
        BrokerSight::Queue { ready, unacked, .. } => ready + unacked > 0,
        BrokerSight::NotSeen | BrokerSight::NotThere | BrokerSight::Message(_) => false,
    }
}

/// The dead letter may hold it; a queue view knows only how many lie there.
fn may_be_dead(broker: &BrokerSight) -> bool {
    match broker {
        BrokerSight::Message(found) => found.state == MessageState::Dead,
        BrokerSight::Queue { dead, .. } => dead.is_some_and(|dead| dead > 0),
        BrokerSight::NotConfigured | BrokerSight::NotSeen | BrokerSight::NotThere => false,
    }
}

#[cfg(test)]
#[path = "eligible_tests.rs"]
mod tests;
