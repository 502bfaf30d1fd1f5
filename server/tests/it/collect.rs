//! Collectors over real tables.

use crate::eventually::eventually;
use crate::team::{Console, Engine, Index, SOURCE, Team};
use app::model::{Count, Fault, Panel, Quality, RecordsPanel, RecordsQuery, Status, Strategy, TimeRange, Window};
use app::reads::Reads;
use chrono::TimeDelta;
use server::boot;
use sqlx::AssertSqlSafe;
use std::time::Duration;

/// Each test on each engine.
macro_rules! on_engines {
    ($($test:ident),+ $(,)?) => {
        mod sqlite { $(#[tokio::test] async fn $test() { super::$test(super::Engine::Sqlite).await; })+ }
        mod mariadb { $(#[tokio::test] async fn $test() { super::$test(super::Engine::Mariadb).await; })+ }
    };
}

on_engines!(
    a_table_is_counted_by_tail_and_by_index_alike,
    a_late_commit_below_the_mark_is_found,
    what_finishes_leaves_and_what_is_deleted_has_vanished,
    a_truncated_table_begins_a_new_generation,
    lists_of_open_records_come_from_the_open_set,
);

fn body(panel: &Panel<RecordsPanel>) -> &RecordsPanel {
    panel.body.as_ref().expect("a body")
}

fn processing(panel: &Panel<RecordsPanel>) -> Option<u64> {
    panel.body.as_ref()?.processing.map(|count| count.value)
}

async fn mixed(engine: Engine, index: Index) -> Team {
    let team = Team::new(engine, index).await;
    for (id, (status, age_s)) in
        [(1, 5), (1, 90), (1, 400), (1, 4_000), (2, 9), (2, 9_000), (3, 60), (4, 60), (9, 60)].into_iter().enumerate()
    {
        team.insert(id as u64 + 1, &format!("k{id}"), status, age_s).await;
    }
    team
}

async fn a_table_is_counted_by_tail_and_by_index_alike(engine: Engine) {
    for (index, strategy) in [(Index::None, Strategy::Tail), (Index::OnStatus, Strategy::StatusIndex)] {
        let team = mixed(engine, index).await;
        let console = team.collecting().await;
        let panel = console.records(|panel| panel.body.is_some()).await;
        let body = body(&panel);
        assert_eq!(body.strategy, strategy);
        let exact = |value| Some(Count::exact(value));
        assert_eq!((body.processing, body.failed, body.dead, body.unmapped), (exact(4), exact(1), exact(1), exact(1)));
        match strategy {
            Strategy::Tail => assert_eq!(body.completed, exact(2)),
            _ => assert_eq!(body.completed.map(|count| count.quality), body.completed.map(|_| Quality::Estimated)),
        }
        let ages: Vec<u64> = body.ages.iter().map(|bucket| bucket.count).collect();
        assert_eq!(ages, [1, 0, 1, 1, 0, 1], "< 15 s, < 1, < 5, < 10, < 30 min, older");
        assert_eq!((body.aging, body.aging_after_ms), (exact(2), 300_000));
        let oldest: Vec<_> = body.oldest.iter().map(|row| row.record.key.clone().unwrap()).collect();
        assert_eq!(oldest, ["k3", "k2", "k1", "k0"]);
        assert!(panel.trouble.is_none() && panel.read_at.is_some() && panel.version > 0);
        assert_eq!(last_minute(&console).await, (Some(4), Some(2)));
    }
}

/// Processing and aging of the newest minute, which is written after its panel.
async fn last_minute(console: &Console) -> (Option<i64>, Option<i64>) {
    let history = &console.system.state.history;
    let now = console.system.clock.now();
    let (from, to) = (now - TimeDelta::hours(1), now + TimeDelta::hours(1));
    let read = async || history.minutes(SOURCE, from, to).await.unwrap();
    let minutes = eventually(read, |minutes| !minutes.is_empty()).await;
    minutes.last().map(|minute| (minute.processing, minute.aging)).expect("a minute")
}

/// Ids are handed out at the insert and seen at the commit: a long transaction shows its id after larger ones.
async fn a_late_commit_below_the_mark_is_found(engine: Engine) {
    let team = Team::new(engine, Index::None).await;
    team.insert(10, "first", 1, 0).await;
    let console = team.collecting().await;
    console.records(|panel| processing(panel) == Some(1)).await;
    if engine == Engine::Mariadb {
        let mut late = team.pool.begin().await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(team.row(11, "late", 1, 0))).execute(&mut *late).await.unwrap();
        team.insert(12, "early", 1, 0).await;
        console.records(|panel| processing(panel) == Some(2)).await;
        late.commit().await.unwrap();
    } else {
        team.insert(12, "early", 1, 0).await;
        console.records(|panel| processing(panel) == Some(2)).await;
        team.insert(11, "late", 1, 0).await;
    }
    let panel = console.records(|panel| processing(panel) == Some(3)).await;
    assert!(body(&panel).oldest.iter().any(|row| row.record.key.as_deref() == Some("late")));
}

async fn what_finishes_leaves_and_what_is_deleted_has_vanished(engine: Engine) {
    let team = mixed(engine, Index::None).await;
    let console = team.collecting().await;
    console.records(|panel| processing(panel) == Some(4)).await;
    team.sql("UPDATE idempotent_record SET status = 2 WHERE biz_id = 'k0'").await;
    let panel = console.records(|panel| processing(panel) == Some(3)).await;
    assert_eq!((body(&panel).completed, body(&panel).vanished), (Some(Count::exact(3)), 0));
    team.sql("DELETE FROM idempotent_record WHERE biz_id = 'k1'").await;
    let panel = console.records(|panel| processing(panel) == Some(2)).await;
    assert_eq!((body(&panel).completed, body(&panel).vanished), (Some(Count::exact(3)), 1));
    team.insert(50, "new", 2, 0).await;
    console.records(|panel| body(panel).completed == Some(Count::exact(4))).await;
    // Read again with its stretch, it is still one row.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let panel = console.records(|_| true).await;
    assert_eq!(body(&panel).completed, Some(Count::exact(4)));
}

async fn a_truncated_table_begins_a_new_generation(engine: Engine) {
    let team = mixed(engine, Index::None).await;
    let console = team.collecting().await;
    console.records(|panel| processing(panel) == Some(4)).await;
    team.sql("DELETE FROM idempotent_record").await;
    team.insert(1, "again", 1, 0).await;
    let panel = console.records(|panel| processing(panel) == Some(1)).await;
    let body = body(&panel);
    assert_eq!(
        (body.completed, body.failed, body.unmapped),
        (Some(Count::exact(0)), Some(Count::exact(0)), Some(Count::exact(0)))
    );
}

async fn lists_of_open_records_come_from_the_open_set(engine: Engine) {
    let team = Team::new(engine, Index::None).await;
    for id in 1..=25 {
        team.insert(id, &format!("k{id}"), if id % 5 == 0 { 2 } else { 1 }, 0).await;
    }
    let console = team.collecting().await;
    console.records(|panel| processing(panel) == Some(20)).await;
    let page = async |cursor| {
        let query = RecordsQuery { status: Some(Status::Processing), cursor, limit: 8, ..RecordsQuery::default() };
        console.reads.records(SOURCE, &query).await.unwrap()
    };
    let keys = |page: &app::model::RecordsPage| {
        page.items.iter().map(|row| row.record.id.clone().unwrap()).collect::<Vec<_>>()
    };
    let first = page(None).await;
    assert_eq!(
        (keys(&first), &first.window),
        (["24", "23", "22", "21", "19", "18", "17", "16"].map(String::from).to_vec(), &Window::OpenSet)
    );
    assert_eq!(first.previous, None);
    let second = page(first.next.clone()).await;
    let third = page(second.next.clone()).await;
    assert_eq!((keys(&third), third.next.clone()), (["4", "3", "2", "1"].map(String::from).to_vec(), None));
    assert_eq!(keys(&page(third.previous.clone()).await), keys(&second));
    assert_eq!(keys(&page(second.previous.clone()).await), keys(&first));
    // A row that finished since the collector saw it is not shown as open.
    team.sql("UPDATE idempotent_record SET status = 2 WHERE id = 24").await;
    assert_eq!(keys(&page(None).await).first().map(String::as_str), Some("23"));
}

/// `count` rows, of which the first, and each one `every` rows on, is processing.
fn many(count: u32, every: u32) -> String {
    format!(
        "INSERT INTO idempotent_record
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
         SELECT i, 'k' || i, 'ORDER_DONE', CASE WHEN i % {every} = 1 % {every} THEN 1 ELSE 2 END, datetime('now'), datetime('now') FROM n"
    )
}

#[tokio::test]
async fn a_large_table_is_walked_in_pieces_and_every_row_is_counted_once() {
    let mut team = Team::new(Engine::Sqlite, Index::None).await;
    team.limits = "scan_rows = 100";
    team.sql(&many(2_500, 500)).await;
    let console = team.collecting().await;
    let walking = console.records(|panel| panel.body.is_some()).await;
    let body = walking.body.unwrap();
    assert_eq!((body.pass.unwrap().complete_as_of, body.completed.unwrap().quality), (None, Quality::Partial));
    assert!(body.completed.unwrap().value < 2_495);
    let whole = |panel: &Panel<RecordsPanel>| {
        panel.body.as_ref().is_some_and(|body| body.pass.as_ref().is_some_and(|pass| pass.complete_as_of.is_some()))
    };
    let panel = console.records(whole).await;
    let body = panel.body.unwrap();
    assert_eq!(
        (body.processing, body.completed, body.pass.unwrap().walked),
        (Some(Count::exact(5)), Some(Count::exact(2_495)), 2_500)
    );

    // Consumers that delete on failure often delete the newest row: that is no other table.
    team.sql("DELETE FROM idempotent_record WHERE id = 2500").await;
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(whole(&console.records(|_| true).await));
    }
    team.insert(2_501, "next", 1, 0).await;
    console.records(|panel| processing(panel) == Some(6)).await;

    team.sql("DELETE FROM idempotent_record WHERE id > 150").await;
    let panel = console.records(|panel| processing(panel) == Some(1) && whole(panel)).await;
    assert_eq!(panel.body.unwrap().completed, Some(Count::exact(149)));
}

#[tokio::test]
async fn beyond_its_bound_the_open_set_keeps_the_oldest_and_says_at_least() {
    let mut team = Team::new(Engine::Sqlite, Index::None).await;
    team.limits = "open_set = 1000";
    team.sql(&many(1_200, 1)).await;
    let console = team.collecting().await;
    let panel = console.records(|panel| processing(panel).is_some()).await;
    let count = body(&panel).processing.unwrap();
    assert_eq!(count.quality, Quality::Capped);
    assert!((938..=1_000).contains(&count.value), "{count:?}");
    assert_eq!(body(&panel).aging.map(|count| count.quality), Some(Quality::Capped));
}

#[tokio::test]
async fn a_table_that_is_changed_is_read_as_it_is_now() {
    let team = mixed(Engine::Sqlite, Index::None).await;
    let console = team.collecting().await;
    console.records(|panel| processing(panel) == Some(4)).await;
    team.sql("ALTER TABLE idempotent_record RENAME TO elsewhere").await;
    let panel = console.records(|panel| panel.trouble.is_some()).await;
    assert_eq!(processing(&panel), Some(4));
    team.sql("ALTER TABLE elsewhere RENAME TO idempotent_record").await;
    team.sql("CREATE INDEX by_status ON idempotent_record (status, update_time)").await;
    let panel = console.records(|panel| panel.trouble.is_none()).await;
    assert_eq!((body(&panel).strategy, processing(&panel)), (Strategy::StatusIndex, Some(4)));
}

#[tokio::test]
async fn a_source_that_is_down_at_start_is_down_and_then_up() {
    let (mut team, proxy) = behind_a_proxy().await;
    team.insert(1, "k", 1, 0).await;
    proxy.cut().await;
    let console = team.collecting().await;
    let panel = console.records(|panel| panel.trouble.is_some()).await;
    assert_eq!((panel.body, panel.read_at), (None, None), "unreachable is no zero");
    assert!(console.reads.overview(SOURCE, TimeRange::default()).await.unwrap().course.steps.is_empty());
    proxy.restore().await.unwrap();
    let panel = console.records(|panel| panel.trouble.is_none()).await;
    assert_eq!(processing(&panel), Some(1));
    team.records_url = None;
}

#[tokio::test]
async fn a_source_that_goes_away_keeps_its_last_figures_and_says_so() {
    let (team, proxy) = behind_a_proxy().await;
    team.insert(1, "k", 1, 0).await;
    let console = team.collecting().await;
    let before = console.records(|panel| processing(panel) == Some(1)).await;
    proxy.cut().await;
    let panel = console.records(|panel| panel.trouble.as_ref().is_some_and(|trouble| trouble.attempts >= 2)).await;
    let trouble = panel.trouble.as_ref().unwrap();
    assert!(matches!(trouble.fault, Fault::Unreachable { .. } | Fault::TimedOut { .. }), "{trouble:?}");
    assert!(!trouble.fault.to_string().contains("oncewatch-pw"), "{trouble:?}");
    assert!(trouble.next_try_at > trouble.since);
    assert_eq!(processing(&panel), Some(1));
    assert!(panel.read_at.unwrap() >= before.read_at.unwrap());
    proxy.restore().await.unwrap();
    team.insert(2, "k2", 1, 0).await;
    let panel = console.records(|panel| panel.trouble.is_none()).await;
    assert_eq!(processing(&panel), Some(2));
}

/// A MariaDB table that can be cut off.
pub async fn behind_a_proxy() -> (Team, lab::Proxy) {
    let mut team = Team::new(Engine::Mariadb, Index::None).await;
    let url = url::Url::parse(&team.database.url).unwrap();
    let target = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap()).parse().unwrap();
    let proxy = lab::Proxy::start(target).await.unwrap();
    let mut through = url.clone();
    through.set_host(Some(&proxy.addr().ip().to_string())).unwrap();
    through.set_port(Some(proxy.addr().port())).unwrap();
    team.records_url = Some(through.to_string());
    (team, proxy)
}

#[tokio::test]
async fn of_two_instances_one_collects_and_both_serve_the_same() {
    let team = mixed(Engine::Sqlite, Index::None).await;
    let first = team.collecting().await;
    first.records(|panel| processing(panel) == Some(4)).await;
    // As a second server on a shared state database would.
    let mut second = Console::over(team.config(), boot::Role::Cli).await;
    second.collect();
    second.records(|panel| processing(panel) == Some(4)).await;
    let leads = |console: &Console| console.system.open_sets.of(SOURCE).leads();
    assert!(leads(&first) && !leads(&second));
    team.insert(70, "k70", 1, 0).await;
    let seen = second.records(|panel| processing(panel) == Some(5)).await;
    assert!(!leads(&second));
    assert_eq!(
        first.records(|panel| panel.version >= seen.version).await.body.map(|body| body.processing),
        Some(Some(Count::exact(5)))
    );
    // Without the open set, the second lists what it can read cheaply, and says how far it looked.
    let query = RecordsQuery { status: Some(Status::Processing), limit: 8, ..RecordsQuery::default() };
    assert_ne!(second.reads.records(SOURCE, &query).await.unwrap().window, Window::OpenSet);

    first.stop().await;
    team.insert(71, "k71", 1, 0).await;
    second.records(|panel| processing(panel) == Some(6)).await;
    assert!(leads(&second));
}
