//! A Redis full of keys: what reading known locks costs, how long the search for unknown ones takes, and what that costs
//! whoever takes a lock meanwhile.

use super::console::Console;
use super::measure::{median, now, ratio, timed};
use super::report::{Line, ms};
use super::setting::Setting;
use super::team::{Engine, Team};
use app::model::{LocksPanel, Panel};
use lab::services::Running;
use redis::aio::MultiplexedConnection;
use server::adapters::locks::redis::connect;
use server::config::{Environment, LockKind, Locks, Secret, from_toml};
use server::ports::locks::Reading;
use std::time::{Duration, Instant};

const KNOWN: u64 = 1_000;
const KNOWN_WITHIN: Duration = Duration::from_millis(5);
const TIMES: usize = 51;
/// For three million keys.
const FOUND_WITHIN: Duration = Duration::from_secs(30);
const FOR_KEYS: u32 = 3_000_000;
const LATER_BY: Duration = Duration::from_micros(100);
/// How long locks are taken without a search.
const STRETCH: Duration = Duration::from_secs(8);
const BETWEEN: Duration = Duration::from_millis(1);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Every third key is a lock, and nine in ten of those are done markers.
const FILL: &str = "
    for n = tonumber(ARGV[1]), tonumber(ARGV[2]) do
        local key, value = 'session:' .. n, 'x'
        if n % 3 == 0 then
            key = 'idem_lock:ORDER_DONE:' .. n
            value = n % 30 == 0 and 'worker-' .. n or 'done:1795939200000'
        end
        redis.call('SET', key, value, 'PX', 21600000)
    end";
const CHUNK: u64 = 50_000;

pub async fn measured(setting: &Setting) -> Vec<Line> {
    let redis = lab::services::redis::start().await.expect("Redis starts");
    let mut connection = connection(&redis).await;
    fill(&mut connection, setting.keys).await;
    let mut lines = vec![known(&redis, setting.keys).await];
    lines.extend(searched(&redis, &mut connection, setting).await);
    lines
}

async fn connection(redis: &Running) -> MultiplexedConnection {
    let client = redis::Client::open(redis.url()).expect("an address");
    client.get_multiplexed_async_connection().await.expect("Redis takes connections")
}

async fn fill(connection: &mut MultiplexedConnection, keys: u64) {
    let script = redis::Script::new(FILL);
    for from in (1..=keys).step_by(usize::try_from(CHUNK).expect("few")) {
        let mut chunk = script.prepare_invoke();
        chunk.arg(from).arg((from + CHUNK - 1).min(keys));
        chunk.invoke_async::<()>(connection).await.expect("Redis takes keys");
    }
}

/// All of them in one question, as a cycle asks, spread over the key space.
async fn known(redis: &Running, keys: u64) -> Line {
    let locks = Locks {
        url: Secret::new(redis.url().to_owned()),
        kind: LockKind::String,
        pattern: "idem_lock:{type}:{key}".into(),
        done: Vec::new(),
        ttl: None,
    };
    let limits = from_toml("", &Environment::default()).expect("defaults").limits;
    let store = connect(&locks, &limits).expect("an address");
    let mut times = Vec::new();
    for at in 0..TIMES as u64 {
        let key = |n: u64| format!("idem_lock:ORDER_DONE:{}", (n * (keys / 3 / KNOWN) + at) * 3 + 3);
        let asked: Vec<String> = (0..KNOWN).map(key).collect();
        let (readings, took) = timed(store.read(&asked)).await;
        let there = |reading: &Reading| matches!(reading, Reading::Value { ttl_ms: Some(_), .. });
        assert!(readings.expect("Redis answers").iter().all(there));
        times.push(took);
    }
    Line::at_most("Redis", format!("{KNOWN} known locks, value and TTL"), median(times), KNOWN_WITHIN)
}

/// One lock that was taken: when, and how long it took.
type Taken = (Instant, Duration);

/// Takes a lock of its own each millisecond or two, until the end.
async fn take<T>(connection: &mut MultiplexedConnection, name: &str, end: impl Future<Output = T>) -> (T, Vec<Taken>) {
    let mut taken = Vec::new();
    let mut end = std::pin::pin!(end);
    loop {
        let key = format!("foreground:{name}:{}", taken.len());
        let mut set = redis::cmd("SET");
        set.arg(key).arg("worker").arg("NX").arg("PX").arg(15_000);
        let at = now();
        let (answer, took) = timed(set.query_async::<Option<String>>(connection)).await;
        assert_eq!(answer.expect("Redis answers").as_deref(), Some("OK"));
        taken.push((at, took));
        tokio::select! {
            ended = &mut end => return (ended, taken),
            () = tokio::time::sleep(BETWEEN) => {}
        }
    }
}

fn middle(taken: &[Taken], during: Option<(Instant, Instant)>) -> Duration {
    let counts = |at: &Instant| during.is_none_or(|(from, to)| (from..=to).contains(at));
    median(taken.iter().filter(|(at, _)| counts(at)).map(|(_, took)| *took).collect())
}

/// First searches of consoles that start anew, each between two stretches without one.
async fn searched(redis: &Running, connection: &mut MultiplexedConnection, setting: &Setting) -> Vec<Line> {
    if setting.pairs == 0 {
        return Vec::new();
    }
    let team = Team::new("bench", Engine::Sqlite, 100, redis).await;
    let sources = team.toml_with_locks("idem_lock:{type}:{key}");
    take(connection, "warm", tokio::time::sleep(Duration::from_secs(2))).await;
    let (mut without, mut with, mut lasted) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..setting.pairs {
        let (_, taken) = take(connection, &format!("off{pair}"), tokio::time::sleep(STRETCH)).await;
        without.push(middle(&taken, None));
        let mut eye = self::connection(redis).await;
        let (search, taken) = take(connection, &format!("on{pair}"), search(&sources, &mut eye)).await;
        with.push(middle(&taken, Some(search)));
        lasted.push(search.1 - search.0);
    }
    let (_, taken) = take(connection, "last", tokio::time::sleep(STRETCH)).await;
    without.push(middle(&taken, None));

    let (quiet, busy, lasted) = (median(without.clone()), median(with), median(lasted));
    let within = FOUND_WITHIN.mul_f64(setting.keys as f64 / f64::from(FOR_KEYS));
    let spread = without.iter().max().zip(without.iter().min()).map_or(Duration::ZERO, |(most, least)| *most - *least);
    let later = busy.saturating_sub(quiet);
    let measured = format!(
        "+{} ({} / {}, {:.2} ×; without differs by up to {})",
        fine(later),
        fine(busy),
        fine(quiet),
        ratio(busy, quiet),
        fine(spread)
    );
    vec![
        Line::promised(
            "Redis",
            format!("discovery of {} keys, first round", setting.keys),
            format!("{:.1} s", lasted.as_secs_f64()),
            format!("≤ {:.0} s", within.as_secs_f64()),
            lasted <= within,
        ),
        Line::promised(
            "Redis",
            "median `SET NX` of others, during discovery / without",
            measured,
            format!("≤ +{}", ms(LATER_BY)),
            later <= LATER_BY,
        ),
    ]
}

fn fine(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1_000.0)
}

/// When a new console's first search began and ended, by the calls that Redis counts: the panel is written once in a period.
async fn search(sources: &str, eye: &mut MultiplexedConnection) -> (Instant, Instant) {
    let before = scans(eye).await;
    let (mut began, mut ended, mut calls) = (None, now(), before);
    let console = Console::start("5s", sources).await;
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let seen = scans(eye).await;
        if seen > calls {
            began.get_or_insert_with(now);
            (ended, calls) = (now(), seen);
        }
        // After a round it rests for a minute.
        if let Some(began) = began.filter(|_| now() - ended > Duration::from_secs(3)) {
            let panel: Panel<LocksPanel> = console.json("/api/sources/bench/locks").await;
            if panel.body.and_then(|body| body.scan).is_some_and(|scan| scan.complete_as_of.is_some()) {
                return (began, ended);
            }
        }
    }
}

/// How often Redis was asked to `SCAN`.
async fn scans(eye: &mut MultiplexedConnection) -> u64 {
    let stats: String = redis::cmd("INFO").arg("commandstats").query_async(eye).await.expect("Redis answers");
    let calls = stats.lines().find_map(|line| line.strip_prefix("cmdstat_scan:calls=")?.split(',').next());
    calls.map_or(0, |calls| calls.parse().expect("a number"))
}
