use super::{body, processing, value, whole};
use crate::team::{Engine, Index, Team};
use app::model::{Quality, Strategy};
use sqlx::AssertSqlSafe;

/// Each promise on each engine, for each way of following.
macro_rules! promises {
    ($($promise:ident),+ $(,)?) => {
        promises!(@engine sqlite Sqlite; $($promise),+);
        promises!(@engine mariadb Mariadb; $($promise),+);
        promises!(@engine postgres Postgres; $($promise),+);
    };
    (@engine $name:ident $engine:ident; $($promise:ident),+) => {
        mod $name {
            use crate::team::{Engine::$engine, Index};
            $(mod $promise {
                use super::*;
                #[tokio::test] async fn by_status_index() { super::super::$promise($engine, Index::OnStatus).await; }
                #[tokio::test] async fn by_tail() { super::super::$promise($engine, Index::None).await; }
                #[tokio::test] async fn by_time_index() { super::super::$promise($engine, Index::OnTime).await; }
                #[tokio::test] async fn by_walk() { super::super::$promise($engine, Index::OnlyKey).await; }
            })+
        }
    };
}

promises!(
    every_row_is_counted_once,
    late_commits_in_reverse_order_are_found,
    what_finishes_leaves_and_what_comes_back_is_seen,
    a_table_that_was_emptied_begins_anew,
);

fn strategy(index: Index) -> Strategy {
    match index {
        Index::OnStatus => Strategy::StatusIndex,
        Index::None => Strategy::Tail,
        Index::OnTime => Strategy::TimeIndex,
        Index::OnlyKey => Strategy::Walk,
    }
}

/// Four processing (k0 to k3), two completed (k4, k5), one failed, dead and unmapped.
async fn mixed(engine: Engine, index: Index) -> Team {
    let team = Team::new(engine, index).await;
    let rows = [(1, 5), (1, 90), (1, 400), (1, 4_000), (2, 9), (2, 9_000), (3, 60), (4, 60), (9, 60)];
    for (id, (status, age_s)) in rows.into_iter().enumerate() {
        team.insert(id as u64 + 1, &format!("k{id}"), status, age_s).await;
    }
    team
}

async fn every_row_is_counted_once(engine: Engine, index: Index) {
    let team = mixed(engine, index).await;
    let console = team.collecting().await;
    let panel = console.records(whole).await;
    let body = body(&panel);
    assert_eq!(body.strategy, strategy(index));
    let counts = [body.processing, body.failed, body.dead, body.unmapped];
    assert_eq!(counts.map(value), [4, 1, 1, 1].map(Some));
    assert!(counts.iter().flatten().all(|count| count.quality == Quality::Exact), "{counts:?}");
    if index != Index::OnStatus {
        assert_eq!(value(body.completed), Some(2));
        let pass = body.pass.as_ref().unwrap();
        assert!(pass.complete_as_of.is_some() && pass.walked == 9, "{pass:?}");
    }
    let oldest: Vec<_> = body.oldest.iter().map(|row| row.record.key.clone().unwrap()).collect();
    assert_eq!(oldest, ["k3", "k2", "k1", "k0"]);
    assert_eq!(value(body.aging), Some(2));
}

/// Ids and times are given out at the insert and seen at the commit: long transactions show theirs after later ones.
async fn late_commits_in_reverse_order_are_found(engine: Engine, index: Index) {
    let team = Team::new(engine, index).await;
    team.insert(10, "k10", 1, 0).await;
    let console = team.collecting().await;
    console.records(|panel| processing(panel) == Some(1)).await;
    if engine == Engine::Sqlite {
        // It has one writer at a time: lower ids and earlier times simply come later.
        for (id, age_s) in [(13, 0), (12, 1), (11, 2)] {
            team.insert(id, &format!("k{id}"), 1, age_s).await;
            console.records(|panel| processing(panel) == Some(15 - id)).await;
        }
        return;
    }
    let mut open = Vec::new();
    for id in [11, 12] {
        let mut transaction = team.pool.begin().await.unwrap();
        let row = team.row(id, &format!("k{id}"), 1, 0);
        sqlx::raw_sql(AssertSqlSafe(row)).execute(&mut *transaction).await.unwrap();
        open.push(transaction);
    }
    // A second on, so that its time is later than theirs.
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    team.insert(13, "k13", 1, 0).await;
    console.records(|panel| processing(panel) == Some(2)).await;
    for found in [3, 4] {
        open.pop().unwrap().commit().await.unwrap();
        console.records(|panel| processing(panel) == Some(found)).await;
    }
}

async fn what_finishes_leaves_and_what_comes_back_is_seen(engine: Engine, index: Index) {
    let team = mixed(engine, index).await;
    let console = team.collecting().await;
    console.records(|panel| whole(panel) && processing(panel) == Some(4)).await;
    team.sql("UPDATE idempotent_record SET status = 2 WHERE biz_id = 'k0'").await;
    let panel = console.records(|panel| processing(panel) == Some(3)).await;
    assert_eq!(body(&panel).vanished, 0);
    team.sql("DELETE FROM idempotent_record WHERE biz_id = 'k1'").await;
    let panel = console.records(|panel| processing(panel) == Some(2)).await;
    assert_eq!(body(&panel).vanished, u64::from(index != Index::OnStatus));
    // Taken again by a consumer, which says when; and by hand, which does not.
    let now = team.ago(0);
    team.sql(&format!("UPDATE idempotent_record SET status = 1, update_time = {now} WHERE biz_id = 'k4'")).await;
    console.records(|panel| processing(panel) == Some(3)).await;
    team.sql("UPDATE idempotent_record SET status = 1 WHERE biz_id = 'k5'").await;
    let panel = console.records(|panel| processing(panel) == Some(4)).await;
    if index != Index::OnStatus {
        let panel = console.records(|panel| body(panel).completed.map(|count| count.value) == Some(1)).await;
        assert_eq!(value(body(&panel).failed), Some(1));
    }
    assert_eq!(value(body(&panel).dead), Some(1));
}

async fn a_table_that_was_emptied_begins_anew(engine: Engine, index: Index) {
    let team = mixed(engine, index).await;
    let console = team.collecting().await;
    console.records(|panel| whole(panel) && processing(panel) == Some(4)).await;
    team.sql("DELETE FROM idempotent_record").await;
    team.insert(1, "again", 1, 0).await;
    let panel = console.records(|panel| whole(panel) && processing(panel) == Some(1)).await;
    assert_eq!(body(&panel).oldest[0].record.key.as_deref(), Some("again"));
    console.records(|panel| [body(panel).failed, body(panel).dead].map(value) == [Some(0), Some(0)]).await;
    if index != Index::OnStatus {
        console.records(|panel| value(body(panel).completed) == Some(0)).await;
    }
}
