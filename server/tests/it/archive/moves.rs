//! One chunk: exactly what is ripe is moved, whatever happens between its selection and its lock.

use super::site::{ARCHIVE, KEEP, OLD, Site, TABLE, YOUNG};
use crate::changes::table::dump;
use crate::team::Engine;
use app::model::Pk;
use futures::future::join_all;
use server::ports::archive::{Restored, Ripe};
use server::ports::changes::ChangeError;
use std::time::Duration;

crate::team::on_every_engine!(
    what_is_ripe_is_moved_and_nothing_else,
    every_byte_comes_back,
    a_row_that_was_turned_back_stays,
    a_row_that_somebody_holds_stays,
    what_keeps_a_row_from_going_rolls_all_back,
    a_column_that_came_meanwhile_is_not_lost,
    of_many_at_once_one_moves_a_row,
    a_key_that_is_there_again_stays_archived,
    what_became_of_a_chunk_is_found_out,
    the_archive_is_purged_by_its_own_age,
    a_chunk_of_thousands,
);

async fn what_is_ripe_is_moved_and_nothing_else(engine: Engine) {
    let site = Site::new(engine).await;
    // Processing, completed, failed, dead, and a code that nobody mapped.
    for (id, status) in [(1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (6, 2)] {
        site.insert(id, &format!("k{id}"), status, OLD * 100).await;
    }
    site.insert(7, "young", 2, YOUNG).await;
    site.insert(8, "just", 2, 0).await;
    let shifted = site.shift(&[1, 2, 3, 4, 5, 6, 7, 8, 99]).await.unwrap();
    assert_eq!((shifted.moved, shifted.gone), (2, 1), "{shifted:?}");
    assert_eq!((shifted.left.not_completed, shifted.left.too_young, shifted.left.locked), (4, 2, 0), "{shifted:?}");
    assert_eq!(site.ids().await, (vec![1, 3, 4, 5, 7, 8], vec![2, 6]));
    let again = site.shift(&[2, 6]).await.unwrap();
    assert_eq!((again.moved, again.gone), (0, 2));
    assert_eq!(site.ids_of(ARCHIVE).await, [2, 6], "nothing twice");
}

async fn every_byte_comes_back(engine: Engine) {
    let site = Site::rich(engine).await;
    site.insert_odd(1, "it''s 订单 😀").await;
    site.insert_odd(2, "other").await;
    let original = dump(&site.team, TABLE).await;
    assert_eq!(site.shift(&[1, 2]).await.unwrap().moved, 2);
    let kept = dump(&site.team, ARCHIVE).await;
    let without_computed: Vec<_> = original.iter().map(|row| row[..row.len() - 1].to_vec()).collect();
    assert_eq!(kept, without_computed);
    assert!(site.ids_of(TABLE).await.is_empty());
    let archived = site.archived().await;
    let restored = site.archiver().restore(&site.permit().await, TABLE, &archived).await.unwrap();
    assert_eq!(restored, [Restored::Done, Restored::Done]);
    assert_eq!(dump(&site.team, TABLE).await, original);
    assert!(site.ids_of(ARCHIVE).await.is_empty());
    let again = site.archiver().restore(&site.permit().await, TABLE, &archived).await.unwrap();
    assert_eq!(again, [Restored::Gone, Restored::Gone]);
}

async fn a_row_that_was_turned_back_stays(engine: Engine) {
    let site = Site::new(engine).await;
    for id in 1..=4 {
        site.insert(id, &format!("k{id}"), 2, OLD).await;
    }
    // All four were selected; then an upsert took one again, somebody touched one, and one was deleted.
    site.team.sql(&format!("UPDATE {TABLE} SET status = 1 WHERE id = 1")).await;
    site.team.sql(&format!("UPDATE {TABLE} SET update_time = {} WHERE id = 2", site.team.ago(1))).await;
    site.team.sql(&format!("DELETE FROM {TABLE} WHERE id = 3")).await;
    let shifted = site.shift(&[1, 2, 3, 4]).await.unwrap();
    assert_eq!((shifted.moved, shifted.gone, shifted.left.not_completed, shifted.left.too_young), (1, 1, 1, 1));
    assert_eq!(site.ids().await, (vec![1, 2], vec![4]));
}

async fn a_row_that_somebody_holds_stays(engine: Engine) {
    let site = Site::new(engine).await;
    for id in 1..=8 {
        site.insert(id, &format!("k{id}"), 2, OLD).await;
    }
    // Where they are most of the table MariaDB walks it, and waits for the row all the same.
    site.fill(100, 400).await;
    let mut holder = site.team.pool.begin().await.unwrap();
    // SQLite locks the file as a whole.
    sqlx::query("UPDATE idempotent_record SET status = 1 WHERE id = 3").execute(&mut *holder).await.unwrap();
    let began = site.system.clock.instant();
    let shifted = site.shift(&[1, 2, 3, 4, 5, 6, 7, 8]).await.unwrap();
    let (moved, locked) = if engine == Engine::Sqlite { (0, 8) } else { (7, 1) };
    assert_eq!((shifted.moved, shifted.left.locked, shifted.gone), (moved, locked, 0), "{shifted:?}");
    assert!(
        engine == Engine::Sqlite || site.system.clock.instant() - began < Duration::from_millis(900),
        "nobody waits behind a row"
    );
    holder.commit().await.unwrap();
    let shifted = site.shift(&[1, 2, 3, 4, 5, 6, 7, 8]).await.unwrap();
    assert_eq!((shifted.moved, shifted.left.not_completed), (7 - moved, 1), "{shifted:?}");
    let (left, archived) = site.ids().await;
    assert_eq!((&left[..2], archived), ([3, 100].as_slice(), vec![1, 2, 4, 5, 6, 7, 8]));
}

/// It came after the table was looked at.
async fn what_keeps_a_row_from_going_rolls_all_back(engine: Engine) {
    let site = Site::new(engine).await;
    site.insert(1, "free", 2, OLD).await;
    site.insert(2, "guarded", 2, OLD).await;
    match engine {
        Engine::Sqlite => {
            let sql = format!(
                "CREATE TRIGGER guard BEFORE DELETE ON {TABLE} WHEN OLD.biz_id = 'guarded' BEGIN SELECT RAISE(IGNORE); END"
            );
            site.team.sql(&sql).await;
        }
        Engine::Mariadb => {
            let sql = format!(
                "CREATE TRIGGER guard BEFORE DELETE ON {TABLE} FOR EACH ROW
                 IF OLD.biz_id = 'guarded' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'guarded'; END IF"
            );
            site.team.sql(&sql).await;
        }
        Engine::Postgres => {
            // In silence: the archive's copy is swallowed, the row would be gone.
            let sql = format!(
                "CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                   IF NEW.biz_id = 'guarded' THEN RETURN NULL; END IF; RETURN NEW; END $$;
                 CREATE TRIGGER guard BEFORE INSERT ON {ARCHIVE} FOR EACH ROW EXECUTE FUNCTION guard()"
            );
            site.team.sql(&sql).await;
        }
    }
    let refused = site.shift(&[1, 2]).await;
    assert!(matches!(refused, Err(ChangeError::Fault(_))), "{refused:?}");
    assert_eq!(site.ids().await, (vec![1, 2], vec![]));
    assert!(!site.examine().await.refusals.is_empty(), "and now it is seen");
}

async fn a_column_that_came_meanwhile_is_not_lost(engine: Engine) {
    let site = Site::new(engine).await;
    site.insert(1, "k1", 2, OLD).await;
    assert!(site.examine().await.refusals.is_empty());
    site.team.sql(&format!("ALTER TABLE {TABLE} ADD COLUMN trace_id VARCHAR(64)")).await;
    site.team.sql(&format!("UPDATE {TABLE} SET trace_id = 't-1'")).await;
    let refused = site.shift(&[1]).await;
    assert!(matches!(refused, Err(ChangeError::Fault(_))), "{refused:?}");
    assert_eq!(site.ids().await, (vec![1], vec![]));
    let refusals = site.examine().await.refusals;
    assert!(format!("{refusals:?}").contains("ArchiveLacksColumn"), "{refusals:?}");
    site.team.sql(&format!("ALTER TABLE {ARCHIVE} ADD COLUMN trace_id VARCHAR(64)")).await;
    assert!(site.examine().await.refusals.is_empty());
    assert_eq!(site.shift(&[1]).await.unwrap().moved, 1);
    let kept: String =
        sqlx::query_scalar("SELECT trace_id FROM idempotent_record_archive").fetch_one(&site.team.pool).await.unwrap();
    assert_eq!(kept, "t-1");
}

async fn of_many_at_once_one_moves_a_row(engine: Engine) {
    let site = Site::new(engine).await;
    site.fill(1, 60).await;
    let forth: Vec<u64> = (1..=60).collect();
    let back: Vec<u64> = forth.iter().rev().copied().collect();
    let shifted = join_all([site.shift(&forth), site.shift(&back), site.shift(&forth)]).await;
    let moved: u64 = shifted.into_iter().map(|shifted| shifted.unwrap().moved).sum();
    // Those that met on a row left it to the next run.
    let rest = site.shift(&forth).await.unwrap();
    assert_eq!(moved + rest.moved, 60);
    assert_eq!(site.ids().await, (vec![], (1..=60).collect::<Vec<i64>>()));
}

async fn a_key_that_is_there_again_stays_archived(engine: Engine) {
    let site = Site::new(engine).await;
    for id in 1..=5 {
        site.insert(id, &format!("k{id}"), 2, OLD).await;
    }
    site.shift(&[1, 2, 3, 4, 5]).await.unwrap();
    // A duplicate older than the archive was consumed.
    site.insert(6, "k3", 2, 0).await;
    let archived = site.archived().await;
    let restored = site.archiver().restore(&site.permit().await, TABLE, &archived).await.unwrap();
    assert_eq!(restored.iter().filter(|one| **one == Restored::Done).count(), 4, "{restored:?}");
    assert_eq!(restored[2], Restored::Exists);
    assert_eq!(site.ids().await, (vec![1, 2, 4, 5, 6], vec![3]));
}

async fn what_became_of_a_chunk_is_found_out(engine: Engine) {
    let site = Site::new(engine).await;
    site.fill(1, 6).await;
    let rows: Vec<Pk> = (1..=6).map(Pk::Int).collect();
    assert_eq!(site.archiver().moved(TABLE, &rows).await.unwrap(), 0);
    site.shift(&[1, 2, 3]).await.unwrap();
    // Somebody else deleted this one; it is in neither.
    site.team.sql(&format!("DELETE FROM {TABLE} WHERE id = 4")).await;
    assert_eq!(site.archiver().moved(TABLE, &rows).await.unwrap(), 3);
}

async fn the_archive_is_purged_by_its_own_age(engine: Engine) {
    let site = Site::new(engine).await;
    site.insert(1, "very-old", 2, OLD * 10).await;
    site.insert(2, "old", 2, OLD).await;
    site.shift(&[1, 2]).await.unwrap();
    let archived = site.archived().await;
    let ripe = Ripe { keep: KEEP.keep * 5 };
    assert_eq!(site.archiver().purge(&site.permit().await, TABLE, ripe, &archived).await.unwrap(), 1);
    assert_eq!(site.ids_of(ARCHIVE).await, [2]);
}

async fn a_chunk_of_thousands(engine: Engine) {
    let site = Site::new(engine).await;
    site.fill(1, 3_001).await;
    let shifted = site.shift(&(1..=3_001).collect::<Vec<_>>()).await.unwrap();
    assert_eq!((shifted.moved, shifted.left.all(), shifted.gone), (3_001, 0, 0));
    assert_eq!(site.ids().await, (vec![], (1..=3_001).collect::<Vec<i64>>()));
}
