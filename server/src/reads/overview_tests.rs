use super::attention;
use app::model::{
    Attention, BrokerKind, BrokerPanel, Count, Fault, Layer, LocksPanel, Panel, Queue, RecordsPanel, Strategy, Trouble,
    VerdictCode, VerdictCount,
};
use chrono::{DateTime, Utc};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_941_066, 0).unwrap()
}

fn live<T>(body: T) -> Panel<T> {
    Panel { version: 1, read_at: Some(now()), period_ms: 5_000, trouble: None, body: Some(body) }
}

fn records(aging: u64, unmapped: u64) -> RecordsPanel {
    RecordsPanel {
        strategy: Strategy::Tail,
        processing: Some(Count::exact(aging)),
        completed: None,
        failed: None,
        dead: None,
        unmapped: Some(Count::exact(unmapped)),
        ages: Vec::new(),
        aging: Some(Count::exact(aging)),
        aging_after_ms: 300_000,
        oldest: Vec::new(),
        oldest_age_ms: None,
        pass: None,
        vanished: 0,
        problems: Vec::new(),
    }
}

fn locks(unprotected: u64, verdicts: &[(VerdictCode, u64)]) -> LocksPanel {
    let none = Count::exact(0);
    LocksPanel {
        store: "cache:6379/0".into(),
        kind: "string".into(),
        pattern: "idem_lock:{type}:{key}".into(),
        ttl_ms: Some(15_000),
        held: none,
        expiring: none,
        done: none,
        eternal: none,
        orphan: none,
        unprotected: Count::exact(unprotected),
        unknown: None,
        shared_owner: None,
        scan: None,
        scan_slow_ms: None,
        fits: Vec::new(),
        verdicts: verdicts
            .iter()
            .map(|(verdict, count)| VerdictCount { verdict: *verdict, count: *count, oldest_at: None })
            .collect(),
        next: None,
        rows: Vec::new(),
        problems: Vec::new(),
    }
}

fn queues(ready: u64, dead: u64) -> BrokerPanel {
    let queue = |name: &str, ready, dead_letter| Queue {
        name: name.into(),
        kind: None,
        ready: Some(ready),
        unacked: Some(0),
        consumers: None,
        in_per_second: None,
        acked_per_second: None,
        redelivered_per_second: None,
        dead_letter,
        delivery_limit: None,
        consumer_timeout_ms: None,
        group: None,
    };
    BrokerPanel {
        kind: BrokerKind::RabbitMq,
        address: "mq:15672".into(),
        vhost: Some("/".into()),
        version: None,
        searching: false,
        unmatched: Vec::new(),
        queues: vec![queue("points", ready, false), queue("points.dlq", dead, true)],
    }
}

fn found(verdict: VerdictCode, count: u64) -> Attention {
    Attention::Records { verdict, count, oldest_at: None }
}

#[test]
fn what_is_well_needs_nobody() {
    let verdicts = [(VerdictCode::InProgress, 12), (VerdictCode::FailedWaiting, 3)];
    assert_eq!(attention(&live(records(0, 0)), Some(&live(locks(0, &verdicts))), &[live(queues(3, 0))], now()), []);
}

#[test]
fn verdicts_come_worst_first_and_are_not_told_twice() {
    let verdicts = [(VerdictCode::FailedInDeadLetter, 1), (VerdictCode::InProgress, 12), (VerdictCode::Stuck, 2)];
    assert_eq!(
        attention(&live(records(2, 4)), Some(&live(locks(5, &verdicts))), &[live(queues(0, 6))], now()),
        [
            found(VerdictCode::Stuck, 2),
            found(VerdictCode::FailedInDeadLetter, 1),
            Attention::UnprotectedRecords { count: 3 },
            Attention::DeadLetters { count: 6 },
            Attention::UnmappedRecords { count: 4 },
        ]
    );
}

#[test]
fn old_records_are_unclear_while_redis_is_away() {
    // Eternal locks were seen before; whether they are there now nobody knows.
    let mut away = live(LocksPanel { eternal: Count::exact(3), ..locks(0, &[(VerdictCode::Stuck, 2)]) });
    let fault = Fault::Unreachable { layer: Layer::Lock, detail: "connection refused".into() };
    away.trouble = Some(Trouble { fault, since: now(), attempts: 3, next_try_at: now() });
    assert_eq!(
        attention(&live(records(7, 0)), Some(&away), &[], now()),
        [Attention::NotSeen { layer: Layer::Lock, since: now() }, found(VerdictCode::Unclear, 7),]
    );
}

#[test]
fn a_database_that_is_away_is_not_called_redis() {
    let trouble = |layer| {
        let fault = Fault::Unreachable { layer, detail: "connection refused".into() };
        Some(Trouble { fault, since: now(), attempts: 3, next_try_at: now() })
    };
    let records = Panel { trouble: trouble(Layer::Records), ..live(records(7, 0)) };
    let locks = Panel { trouble: trouble(Layer::Records), ..live(locks(0, &[])) };
    let found = attention(&records, Some(&locks), &[], now());
    assert_eq!(found, [Attention::NotSeen { layer: Layer::Records, since: now() }]);
}

#[test]
fn without_locks_age_and_queues_decide() {
    assert_eq!(attention(&live(records(2, 0)), None, &[live(queues(0, 0))], now()), [found(VerdictCode::Stuck, 2)]);
    assert_eq!(
        attention(&live(records(2, 0)), None, &[live(queues(3, 0))], now()),
        [found(VerdictCode::StuckOrUnprotected, 2)]
    );
    assert_eq!(attention(&live(records(2, 0)), None, &[], now()), [found(VerdictCode::StuckOrUnprotected, 2)]);
}
