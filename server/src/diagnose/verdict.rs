use super::facets::{ArchiveSight, BrokerSight, Facets, LockSight};
use crate::clock::millis;
use app::model::{Evidence, Layer, LockState, MessageState, Status, Verdict, VerdictCode};
use chrono::TimeDelta;
use serde_json::{Map, Value, json};

/// Rules from top to bottom; the first that holds is the verdict.
#[must_use]
pub fn judge(facets: &Facets) -> Verdict {
    let code = code(facets);
    Verdict { code, params: params(code, facets), evidence: evidence(facets) }
}

fn code(facets: &Facets) -> VerdictCode {
    if facets.records.len() > 1 {
        return VerdictCode::NotUnique;
    }
    let marked = facets.lock.is(LockState::Done);
    let is_mark = matches!(facets.lock, LockSight::Mark(_));
    match facets.status() {
        Some(Status::Unmapped) => VerdictCode::Unmapped,
        Some(Status::Completed) if facets.effects() > 1 => VerdictCode::Leaked,
        // Whether they contradict each other hangs on what the archive holds.
        None if marked && facets.archive == ArchiveSight::NotSeen => VerdictCode::Unclear,
        None if marked && facets.archive.completed() => VerdictCode::Archived,
        Some(Status::Processing | Status::Failed) | None if marked => VerdictCode::MarkerContradicts,
        // It was to go when the handler failed: redeliveries end at it.
        Some(Status::Failed) if is_mark => VerdictCode::MarkerContradicts,
        Some(Status::Completed) if facets.broker.message(MessageState::Dead) => VerdictCode::DuplicateInDeadLetter,
        Some(Status::Completed) if facets.lock.held() => VerdictCode::FinishedLockHeld,
        Some(Status::Completed) => VerdictCode::Healthy,
        Some(Status::Dead) => VerdictCode::Dead,
        _ if facets.lock.unknown() => VerdictCode::Unclear,
        Some(Status::Processing) => processing(facets),
        Some(Status::Failed) => failed(facets),
        None => without_record(facets),
    }
}

fn processing(facets: &Facets) -> VerdictCode {
    if facets.alive() {
        return if facets.broker_has_nothing() { VerdictCode::InProgressAcked } else { VerdictCode::InProgress };
    }
    if facets.settled_as_duplicates() > 0 {
        return VerdictCode::Swallowed;
    }
    if facets.broker.message(MessageState::Dead) {
        return VerdictCode::ProcessingInDeadLetter;
    }
    if facets.broker.message(MessageState::Unacked) {
        return VerdictCode::Unprotected;
    }
    if facets.broker.message(MessageState::Waiting) {
        return VerdictCode::WaitingBehindRecord;
    }
    match facets.age() {
        Some(age) if !is_old(age, facets) => VerdictCode::InProgress,
        Some(_) if facets.broker_has_nothing() => VerdictCode::Stuck,
        // Also where the table does not say since when: then it may be young.
        _ => VerdictCode::StuckOrUnprotected,
    }
}

fn failed(facets: &Facets) -> VerdictCode {
    let broker = &facets.broker;
    if facets.lock.held() || broker.message(MessageState::Unacked) {
        VerdictCode::Retrying
    } else if broker.message(MessageState::Dead) || broker.dead_letter_has_messages() {
        VerdictCode::FailedInDeadLetter
    } else if broker.message(MessageState::Waiting) || broker.queue_has_messages() {
        VerdictCode::FailedWaiting
    } else if facets.broker_has_nothing() {
        VerdictCode::FailedMessageGone
    } else {
        VerdictCode::Failed
    }
}

fn without_record(facets: &Facets) -> VerdictCode {
    let broker = &facets.broker;
    let is_mark = matches!(facets.lock, LockSight::Mark(_));
    if facets.lock.held() || is_mark || broker.message(MessageState::Unacked) {
        VerdictCode::Claiming
    } else if facets.archive.completed() {
        // Before any word of a dead letter: what lies there was handled long ago, and would run again.
        VerdictCode::Archived
    } else if broker.message(MessageState::Dead) {
        VerdictCode::UnrecordedInDeadLetter
    } else if broker.message(MessageState::Waiting) || broker.queue_has_messages() {
        VerdictCode::NotConsumed
    } else {
        VerdictCode::UnknownKey
    }
}

fn is_old(age: TimeDelta, facets: &Facets) -> bool {
    age.to_std().is_ok_and(|age| age > facets.minimum_age)
}

fn params(code: VerdictCode, facets: &Facets) -> Map<String, Value> {
    let mut params = Map::new();
    if let Some(age) = facets.age() {
        params.insert("age_ms".into(), json!(age.num_milliseconds()));
    }
    let p99 = facets.handling.p99.filter(|_| code == VerdictCode::InProgress);
    if let (Some(p99), Some(age)) = (p99, facets.age().and_then(|age| age.to_std().ok()))
        && age > p99
    {
        params.insert("slow".into(), json!(true));
        params.insert("p99_ms".into(), json!(millis(p99)));
    }
    match code {
        VerdictCode::InProgress if facets.lock.is(LockState::Expiring) && !facets.lease_is_live() => {
            params.insert("at_risk".into(), json!(true));
        }
        VerdictCode::Claiming | VerdictCode::FinishedLockHeld if facets.lock.is(LockState::Orphan) => {
            params.insert("orphan".into(), json!(true));
        }
        // A dead letter that is not empty need not hold this very message.
        VerdictCode::FailedInDeadLetter => {
            params.insert("seen".into(), json!(facets.broker.message(MessageState::Dead)));
        }
        _ => {}
    }
    params
}

/// Record, then lock, then broker: the order in which an operator would look.
fn evidence(facets: &Facets) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    match facets.record() {
        None => {
            evidence.push(Evidence::NoRecord);
            evidence.extend(archive_evidence(&facets.archive));
        }
        Some(record) => {
            if facets.records.len() > 1 {
                evidence.push(Evidence::Records { count: facets.records.len() as u64 });
            }
            let age_ms = facets.age().map(|age| age.num_milliseconds());
            evidence.push(Evidence::RecordSince { status: record.status, since: record.since(), age_ms });
            if let Some(until) = record.lease_until {
                evidence.push(Evidence::LeaseUntil { until, live: facets.lease_is_live() });
            }
        }
    }
    if facets.effects() > 1 {
        evidence.push(Evidence::Effects { count: facets.effects() });
    }
    if facets.status() == Some(Status::Processing) && facets.settled_as_duplicates() > 0 {
        evidence.push(Evidence::SettledAsDuplicates { count: facets.settled_as_duplicates() });
    }
    evidence.extend(lock_evidence(&facets.lock));
    evidence.extend(broker_evidence(facets));
    if facets.status() == Some(Status::Processing) && !facets.alive() {
        let after_ms = millis(facets.minimum_age);
        evidence.push(Evidence::OldAfter { after_ms });
    }
    evidence
}

fn archive_evidence(archive: &ArchiveSight) -> Option<Evidence> {
    match archive {
        ArchiveSight::NotAsked | ArchiveSight::Nothing => None,
        ArchiveSight::NotSeen => Some(Evidence::NotSeen { layer: Layer::Archive }),
        ArchiveSight::Row(row) => Some(Evidence::InArchive {
            table: row.reference.table.clone(),
            status: row.record.status,
            since: row.record.since(),
        }),
    }
}

fn lock_evidence(lock: &LockSight) -> Option<Evidence> {
    match lock {
        LockSight::NotConfigured => None,
        LockSight::NotNamed => Some(Evidence::LockNotNamed),
        _ if lock.unknown() => Some(Evidence::LockUnknown),
        LockSight::Seen { lock: seen, .. } if lock.held() => {
            Some(Evidence::LockHeld { owner: seen.owner.clone(), ttl_ms: seen.ttl_ms })
        }
        LockSight::Mark(seen) => Some(Evidence::LockHeld { owner: None, ttl_ms: seen.ttl_ms }),
        LockSight::Seen { lock: seen, done_at } if seen.state == LockState::Done => {
            Some(Evidence::LockDone { at: *done_at })
        }
        LockSight::Seen { .. } | LockSight::Unknown => Some(Evidence::NoLock),
    }
}

fn broker_evidence(facets: &Facets) -> Option<Evidence> {
    match &facets.broker {
        BrokerSight::NotConfigured => None,
        BrokerSight::Message(found) => Some(Evidence::Message {
            state: found.state,
            queue: found.queue.clone(),
            deliveries: found.deliveries,
            idle_ms: found.idle_ms,
        }),
        BrokerSight::NotThere => Some(Evidence::MessageNotFound),
        BrokerSight::NotSeen => Some(Evidence::NotSeen { layer: Layer::Broker }),
        BrokerSight::Queue { .. } if facets.broker_has_nothing() => Some(Evidence::QueuesEmpty),
        BrokerSight::Queue { ready, unacked, dead, .. } => {
            Some(Evidence::Queues { ready: *ready, unacked: *unacked, dead: *dead })
        }
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
pub(super) mod tests;
