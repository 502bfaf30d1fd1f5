//! A team's source on good and on bad days. Figures are made up; their shapes are those of the wire model.

use app::layout::Signs;
use app::model::*;
use app::pages::lookup::{Data as LookupData, Found};
use app::pages::records::Data as RecordsData;
use app::pages::{PageContext, fault, link, locks, signin};
use app::ui::Zone;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Calm,
    Degraded,
    /// Read twelve minutes ago, and nothing failed since.
    Stale,
    /// Nothing answers.
    Blind,
    /// Nothing was read yet.
    Waiting,
}

pub const HOSTILE_KEYS: [(&str, &str); 4] = [
    ("script", "</script><script>alert(1)</script>"),
    ("attribute", "\" onmouseover=\"alert(1)"),
    ("emoji", "订单-🎉-👩‍👩‍👧-\u{202e}gnp.exe"),
    ("entity", "&lt;b&gt; <b>bold</b> {{7*7}}"),
];

pub fn now() -> DateTime<Utc> {
    "2026-11-29T08:42:08Z".parse().unwrap()
}

fn ago(seconds: i64) -> DateTime<Utc> {
    now() - TimeDelta::seconds(seconds)
}

pub fn context(lang: Lang, theme: Theme, page: &str) -> PageContext {
    let url = if page == "settings" { "/settings".to_owned() } else { format!("/s/points/{page}") };
    PageContext {
        viewer: Viewer {
            name: "lin.wei".into(),
            role: Role::Admin,
            lang,
            theme,
            form_token: "token-of-this-session".into(),
        },
        sources: vec![head("points", Health::Reachable), head("payment_callback", Health::Unreachable)],
        source: (page != "settings").then(|| "points".into()),
        signs: Signs { aging: Some(Count::exact(37)), wrong_locks: Some(11), dead_letters: Some(46) },
        now: now(),
        zone: Zone { name: "Asia/Shanghai".into(), offsets: vec![(0, 28_800)] },
        url,
        operation_id: "01939b0e-0000-7000-8000-000000000000".into(),
        flash: (page == "locks").then(|| Flash::LockReleased { key: "idem_lock:REFUND_DONE:R20261128-0071".into() }),
    }
}

fn head(name: &str, broker: Health) -> SourceHead {
    SourceHead {
        name: name.into(),
        engine: "MySQL".into(),
        records: Health::Reachable,
        locks: Health::Reachable,
        broker,
    }
}

fn panel<T>(case: Case, layer: Layer, body: T) -> Panel<T> {
    let mut panel = Panel { version: 7, read_at: Some(ago(5)), period_ms: 5_000, trouble: None, body: Some(body) };
    match case {
        Case::Calm | Case::Degraded => {}
        Case::Stale => panel.read_at = Some(ago(12 * 60)),
        Case::Blind => {
            panel.read_at = Some(ago(22 * 60));
            let detail = "connection refused (os error 111)".into();
            panel.trouble = Some(Trouble {
                fault: Fault::Unreachable { layer, detail },
                since: ago(22 * 60),
                attempts: 22,
                next_try_at: ago(-18),
            });
        }
        Case::Waiting => return Panel::waiting(5_000),
    }
    panel
}

pub fn row(key: &str, status: Status, seconds: i64) -> Row {
    Row {
        record: Record {
            source: "points".into(),
            id: Some("88214503".into()),
            r#type: Some("ORDER_DONE".into()),
            key: Some(key.into()),
            status,
            created_at: Some(ago(seconds)),
            updated_at: Some(ago(seconds)),
            attempts: None,
            error: None,
            owner: Some("points-7c4f-2".into()),
            lease_until: None,
        },
        reference: RecordRef { table: "idempotent_record".into(), pk: Pk::Int(88_214_503) },
    }
}

fn records_panel(case: Case) -> Panel<RecordsPanel> {
    let bad = case != Case::Calm;
    let bucket = |from_s: u64, to_s: Option<u64>, count| AgeBucket {
        from_ms: from_s * 1000,
        to_ms: to_s.map(|to| to * 1000),
        count,
    };
    let body = RecordsPanel {
        strategy: Strategy::Tail,
        processing: Some(Count::exact(if bad { 390 } else { 212 })),
        completed: Some(Count { value: 48_203_117, quality: Quality::Estimated }),
        failed: Some(Count { value: 10_000, quality: Quality::Capped }),
        dead: None,
        unmapped: Some(Count::exact(0)),
        ages: vec![
            bucket(0, Some(15), 212),
            bucket(15, Some(60), if bad { 96 } else { 0 }),
            bucket(60, Some(300), if bad { 31 } else { 0 }),
            bucket(300, Some(600), if bad { 14 } else { 0 }),
            bucket(600, Some(1800), if bad { 29 } else { 0 }),
            bucket(1800, None, if bad { 8 } else { 0 }),
        ],
        aging: Some(Count::exact(if bad { 37 } else { 0 })),
        aging_after_ms: 600_000,
        oldest: if bad {
            (0..9).map(|n| row(&format!("2026112900421{n}"), Status::Processing, 47 * 60 - n * 90)).collect()
        } else {
            Vec::new()
        },
        pass: Some(Pass { walked: 18_300_000, estimated: Some(48_203_117), complete_as_of: Some(ago(4 * 3600)) }),
        vanished: 0,
        problems: Vec::new(),
    };
    panel(case, Layer::Records, body)
}

fn lock_row(key: &str, state: LockState, record_status: Option<Status>) -> LockRow {
    let why = match state {
        LockState::Eternal | LockState::Orphan => None,
        LockState::Unprotected => Some(WhyNot::NoLock),
        _ => Some(WhyNot::HandlerAlive),
    };
    LockRow {
        lock: Lock {
            state,
            key: format!("idem_lock:{key}"),
            owner: (state != LockState::Unprotected).then(|| "refund-worker-2/9b1e".into()),
            ttl_ms: matches!(state, LockState::Orphan | LockState::Expiring | LockState::Held).then_some(2_400),
        },
        r#type: key.split_once(':').map(|(of, _)| of.into()),
        key: key.split_once(':').map_or(key, |(_, key)| key).into(),
        record_status,
        reference: record_status.map(|_| RecordRef { table: "idempotent_record".into(), pk: Pk::Int(1) }),
        not_releasable: why,
    }
}

fn locks_panel(case: Case) -> Panel<LocksPanel> {
    let bad = case != Case::Calm;
    let count = |value: u64| Count::exact(if bad { value } else { 0 });
    let rows = if bad {
        vec![
            lock_row("REFUND_DONE:R20261128-0071", LockState::Eternal, Some(Status::Failed)),
            lock_row("REFUND_DONE:R20261129-0003", LockState::Eternal, None),
            lock_row("ORDER_DONE:20261129004519", LockState::Unprotected, Some(Status::Processing)),
            lock_row("ORDER_DONE:20261129004655", LockState::Expiring, Some(Status::Processing)),
            lock_row("SIGN_IN:u881204:20261129", LockState::Orphan, Some(Status::Completed)),
            lock_row("COUPON:C-77120", LockState::Held, Some(Status::Processing)),
        ]
    } else {
        Vec::new()
    };
    let body = LocksPanel {
        store: "cache:6379/0".into(),
        pattern: "idem_lock:{type}:{key}".into(),
        held: Count::exact(326),
        expiring: count(14),
        done: Count::exact(18_204),
        eternal: count(3),
        orphan: count(2),
        unprotected: count(8),
        shared_owner: None,
        scan: Some(Pass { walked: 1_240_000, estimated: Some(2_000_000), complete_as_of: None }),
        verdicts: Vec::new(),
        rows,
    };
    panel(case, Layer::Lock, body)
}

fn queue(name: &str, ready: Option<u64>, consumers: u64, dead_letter: bool) -> Queue {
    Queue {
        name: name.into(),
        kind: Some("quorum".into()),
        ready,
        unacked: Some(if dead_letter { 0 } else { 47 }),
        consumers: Some(consumers),
        in_per_second: Some(26.4),
        acked_per_second: Some(25.2),
        redelivered_per_second: (!dead_letter).then_some(0.68),
        dead_letter,
    }
}

fn broker_panel(case: Case) -> Panel<BrokerPanel> {
    let bad = case != Case::Calm;
    let body = BrokerPanel {
        kind: "rabbitmq".into(),
        address: "mq:15672".into(),
        vhost: "/".into(),
        version: Some("4.0.5".into()),
        unmatched: if bad { vec!["points.audit.*".into()] } else { Vec::new() },
        queues: vec![
            queue("points.order", Some(if bad { 1_204 } else { 2 }), 8, false),
            queue("points.refund", Some(0), 2, false),
            queue("points.dlq", Some(if bad { 46 } else { 0 }), 0, true),
        ],
    };
    panel(case, Layer::Broker, body)
}

fn minutes(case: Case) -> Vec<Minute> {
    if case == Case::Waiting {
        return Vec::new();
    }
    // Nothing was read from 110 to 100 minutes ago.
    (1..180)
        .rev()
        .filter(|back| !(100..110).contains(back))
        .map(|back| {
            let at = DateTime::from_timestamp(now().timestamp() / 60 * 60 - back * 60, 0).unwrap();
            let rise = if case == Case::Calm { 0 } else { (40 - back).max(0) };
            Minute {
                processing: Some(200 + back % 7 + rise * 4),
                aging: Some(rise),
                oldest_ms: Some(rise * 60_000),
                failed: Some(1_200 + (180 - back) / 3),
                locks_held: Some(300 + back % 11),
                locks_wrong: Some(if rise > 20 { 13 } else { 0 }),
                ready: Some(rise * 30 + back % 5),
                unacked: Some(47),
                dead_letter: Some(if case == Case::Calm { 0 } else { 20 + (180 - back) / 7 }),
                ..Minute::empty(at)
            }
        })
        .collect()
}

pub fn overview(case: Case) -> Overview {
    let attention = match case {
        Case::Degraded | Case::Stale => vec![
            Attention::Records { verdict: VerdictCode::Stuck, count: 29, oldest_at: Some(ago(47 * 60)) },
            Attention::UnprotectedRecords { count: 8 },
            Attention::EternalLocks { count: 3 },
            Attention::OrphanLocks { count: 2 },
            Attention::DeadLetters { count: 46 },
            Attention::UnmappedRecords { count: 4 },
        ],
        Case::Blind => vec![Layer::Records, Layer::Lock, Layer::Broker]
            .into_iter()
            .map(|layer| Attention::NotSeen { layer, since: ago(22 * 60) })
            .collect(),
        Case::Calm | Case::Waiting => Vec::new(),
    };
    Overview {
        source: "points".into(),
        now: now(),
        records: records_panel(case),
        locks: Some(locks_panel(case)),
        brokers: vec![broker_panel(case)],
        minutes: minutes(case),
        attention,
    }
}

pub fn locks(case: Case) -> locks::Data {
    locks::Data { source: "points".into(), panel: Some(locks_panel(case)) }
}

pub fn brokers(case: Case) -> Brokers {
    Brokers { brokers: vec![broker_panel(case)] }
}

pub fn records(key: &str) -> RecordsData {
    let mut odd = row(key, Status::Failed, 90);
    odd.record.error = Some(format!("java.lang.IllegalStateException: {key}"));
    odd.record.attempts = Some(3);
    let mut items = vec![row("20261129004217", Status::Processing, 47 * 60), odd];
    items.extend((0..12).map(|n| row(&format!("202611290043{n:02}"), Status::Processing, 60 * (40 - n))));
    list(None, Ok(RecordsPage { items, next: Some("n".into()), previous: None, window: Window::All }))
}

fn list(status: Option<Status>, list: Result<RecordsPage, Fault>) -> RecordsData {
    let query = RecordsQuery { status, r#type: Some("ORDER_DONE".into()), cursor: None, limit: 50 };
    RecordsData { source: "points".into(), query, panel: records_panel(Case::Degraded), list }
}

pub fn record_lists() -> Vec<(&'static str, RecordsData, &'static str)> {
    let page = |items, next: Option<&str>, window| {
        Ok(RecordsPage { items, next: next.map(Into::into), previous: None, window })
    };
    let examined = Window::Examined { rows: 100_000, back_to: Some(ago(11 * 3600)) };
    vec![
        (
            "open",
            list(Some(Status::Processing), page(vec![row("1", Status::Processing, 9)], None, Window::OpenSet)),
            "the collector follows",
        ),
        ("outside", list(Some(Status::Failed), page(vec![], Some("c"), examined)), "Nothing in the 100,000 rows"),
        ("empty", list(Some(Status::Failed), page(vec![], None, Window::All)), "there really is none"),
        ("unmapped", list(Some(Status::Dead), page(vec![], None, Window::All)), "No code of this table means dead"),
        (
            "timeout",
            list(None, Err(Fault::TimedOut { layer: Layer::Records, after_ms: 3_000 })),
            "did not answer within 3\u{a0}s",
        ),
    ]
}

fn verdict(code: VerdictCode, evidence: Vec<Evidence>) -> Option<Verdict> {
    Some(Verdict { code, params: Map::new(), evidence })
}

fn lookup(key: &str, records: Vec<Row>, lock: Option<Lock>, verdict: Option<Verdict>) -> Lookup {
    Lookup {
        r#type: Some("ORDER_DONE".into()),
        key: key.into(),
        records,
        lock,
        broker: Some(BrokerFacet {
            view: BrokerView::Queue,
            state: None,
            deliveries: None,
            ready: Some(0),
            unacked: Some(0),
            dead: Some(0),
        }),
        trace: Vec::new(),
        verdict,
        unseen: Vec::new(),
        operations: vec![Operation { name: OperationName::ReleaseLock, allowed: false, why: Some(WhyNot::NoLock) }],
    }
}

fn found(lookup: Lookup) -> LookupData {
    LookupData { source: "points".into(), found: Found::Key(Box::new(lookup)) }
}

fn lock_of(key: &str, state: LockState, owner: Option<&str>, ttl_ms: Option<i64>) -> Option<Lock> {
    Some(Lock { state, key: format!("idem_lock:ORDER_DONE:{key}"), owner: owner.map(Into::into), ttl_ms })
}

pub fn lookup_of(_: &str, key: &str) -> LookupData {
    let since = Evidence::RecordSince { status: Status::Processing, since: Some(ago(2820)), age_ms: Some(2_820_000) };
    let verdict = verdict(
        VerdictCode::Stuck,
        vec![since, Evidence::NoLock, Evidence::QueuesEmpty, Evidence::OldAfter { after_ms: 300_000 }],
    );
    found(lookup(key, vec![row(key, Status::Processing, 2820)], lock_of(key, LockState::None, None, None), verdict))
}

pub fn lookups() -> Vec<(&'static str, LookupData)> {
    let key = "20261129004217";
    let stuck = lookup_of("", key);
    let mut calm = lookup(
        key,
        vec![row(key, Status::Completed, 660)],
        lock_of(key, LockState::Done, Some("done:1796000000000"), Some(82_800_000)),
        verdict(VerdictCode::Healthy, vec![Evidence::LockDone { at: None }]),
    );
    calm.operations[0].why = Some(WhyNot::DoneMarker);
    let mut orphan = lookup(
        key,
        vec![],
        lock_of(key, LockState::Orphan, Some("refund-worker-2/9b1e"), None),
        verdict(
            VerdictCode::Claiming,
            vec![Evidence::NoRecord, Evidence::LockHeld { owner: Some("refund-worker-2/9b1e".into()), ttl_ms: None }],
        ),
    );
    orphan.verdict.as_mut().unwrap().params.insert("orphan".into(), json!(true));
    orphan.operations[0] = Operation { name: OperationName::ReleaseLock, allowed: true, why: None };
    let mut unclear = lookup(
        key,
        vec![row(key, Status::Processing, 1140)],
        None,
        verdict(VerdictCode::Unclear, vec![Evidence::LockUnknown, Evidence::NotSeen { layer: Layer::Broker }]),
    );
    unclear.unseen = vec![Layer::Lock, Layer::Broker];
    unclear.broker = None;
    unclear.operations[0].why = Some(WhyNot::LockUnknown);
    let double = lookup(
        key,
        vec![row(key, Status::Completed, 4800), row(key, Status::Completed, 4801)],
        None,
        verdict(VerdictCode::NotUnique, vec![Evidence::Records { count: 2 }]),
    );
    let mut blind = lookup(key, vec![], lock_of(key, LockState::Held, Some("points-7c4f-8"), Some(9_100)), None);
    blind.unseen = vec![Layer::Records];
    let mut unknown = lookup(
        "no-such-key",
        vec![],
        lock_of(key, LockState::None, None, None),
        verdict(VerdictCode::UnknownKey, vec![Evidence::NoRecord, Evidence::NoLock]),
    );
    unknown.r#type = None;
    vec![
        ("stuck", stuck),
        ("healthy", found(calm)),
        ("orphan", found(orphan)),
        ("unclear", found(unclear)),
        ("double", found(double)),
        ("blind", found(blind)),
        ("unknown", found(unknown)),
    ]
}

pub fn settings() -> Settings {
    let capability =
        |name, there, from: &str| Capability { name, there, from: (!from.is_empty()).then(|| from.into()) };
    let source = |name: &str, strategy, problems| SourceSettings {
        head: head(name, Health::NotConfigured),
        table: "points.idempotent_record".into(),
        database_version: Some("8.0.36".into()),
        timezone: "Asia/Shanghai".into(),
        strategy,
        estimated_rows: Some(48_203_117),
        capabilities: vec![
            capability(CapabilityName::LookupByKey, true, "uk_type_id (biz_type, biz_id)"),
            capability(CapabilityName::OneRecordPerKey, false, ""),
            capability(CapabilityName::StuckAndInProgress, true, "status 1"),
            capability(CapabilityName::Ages, true, "create_time, update_time"),
            capability(CapabilityName::Attempts, false, ""),
            capability(CapabilityName::LastError, false, ""),
            capability(CapabilityName::FailedAndDead, false, ""),
            capability(CapabilityName::OwnerAndLease, false, ""),
        ],
        problems,
        codes: vec![("processing".into(), vec!["1".into()]), ("completed".into(), vec!["2".into()])],
        lock_pattern: Some("idem_lock:{type}:{key}".into()),
        lock_ttl_ms: Some(15_000),
        retry_after_ms: 300_000,
        records: records_panel(Case::Degraded),
    };
    let tail = StrategyChoice { strategy: Strategy::Tail, index: Some("PRIMARY".into()), columns: vec!["id".into()] };
    let ddl = "ALTER TABLE `points`.`idempotent_record`\n  ADD UNIQUE INDEX `uk_type_id` (`biz_type`, `biz_id`);";
    Settings {
        version: "0.1.0".into(),
        config_path: Some("/etc/oncewatch/oncewatch.toml".into()),
        sources: vec![
            source(
                "points",
                Some(tail),
                vec![
                    Problem::NoUniqueIndex { suggested_ddl: ddl.into() },
                    Problem::QueueNotFound { glob: "points.audit.*".into() },
                ],
            ),
            source("payment_callback", None, vec![]),
        ],
    }
}

pub fn sign_ins() -> Vec<(&'static str, signin::Data)> {
    let data = |failed| signin::Data {
        host: "ops.example.com".into(),
        sources: 3,
        name: "lin.wei".into(),
        next: "/s/points/locks".into(),
        failed,
        now: now(),
    };
    vec![
        ("usual", data(None)),
        ("wrong", data(Some(signin::Failure::Wrong { tries_left: Some(2) }))),
        ("many", data(Some(signin::Failure::TooMany { until: ago(-42) }))),
        ("over", data(Some(signin::Failure::SessionOver))),
    ]
}

pub fn links() -> Vec<(&'static str, link::Data)> {
    use link::{Failure, Link};
    let setup = |failed| Link::Setup {
        action: "/link/x".into(),
        expires_at: ago(-1800),
        min_password: 12,
        name: String::new(),
        failed,
    };
    [
        ("setup", setup(None)),
        ("short", setup(Some(Failure::ShortPassword))),
        ("signin", Link::SignIn { action: "/link/x".into(), expires_at: ago(-1800), operator: "lin.wei".into() }),
        ("used", Link::Used { at: ago(90), operator: Some("lin.wei".into()) }),
        ("expired", Link::Expired { at: ago(90) }),
        ("unknown", Link::Unknown),
    ]
    .map(|(name, link)| (name, link::Data { now: now(), link }))
    .into()
}

pub fn faults() -> Vec<(&'static str, fault::Data)> {
    vec![
        ("404", fault::Data::NotFound),
        ("403", fault::Data::Forbidden { needed: Role::Operator }),
        ("500", fault::Data::Fault(Fault::Internal { request_id: "01JDW7-9Q2K".into() })),
        ("400", fault::Data::Fault(Fault::BadInput { what: "status".into(), detail: "\"x\" is none of …".into() })),
    ]
}
