//! Rows that operations change, on every engine: only while they are what was frozen of them, and never anything else.

pub(crate) mod table;

use app::model::Status;
use futures::future::join_all;
use server::ports::changes::{Change, ChangeError, Changed, Undone};
use table::{Table, Writes};

crate::team::on_every_engine!(
    a_row_is_marked_and_is_what_it_was_again,
    a_row_that_is_not_what_was_frozen_is_left_alone,
    a_row_that_changed_just_now_is_too_young,
    a_row_that_another_transaction_holds_is_left_alone,
    a_deleted_row_comes_back_with_every_byte,
    a_deleted_row_does_not_come_back_over_a_new_one,
    a_huge_row_is_not_deleted,
    of_many_at_once_one_changes_a_row,
    what_a_trigger_prevents_is_rolled_back,
    a_reader_s_account_is_refused,
);

async fn a_row_is_marked_and_is_what_it_was_again(engine: crate::team::Engine) {
    let table = Table::new(engine, Writes::Status).await;
    table.insert(1, "stuck", 1, 600).await;
    table.insert(2, "other", 1, 600).await;
    let original = table.dump().await;
    let items = table.items(&[1]).await;
    let changed = table.change(Change::MarkFailed, &items).await.unwrap();
    let [Changed::Done { before, after: Some(after) }] = changed.as_slice() else { panic!("{changed:?}") };
    let frozen = table.freeze(&[1]).await;
    assert_eq!(frozen[0].row.record.status, Status::Failed);
    assert_eq!(frozen[0].stamp, *after);
    let age = table.age_s(1).await;
    assert!((0..30).contains(&age), "touched by the database's clock: {age} s");
    assert_eq!(table.freeze(&[2]).await[0].row.record.status, Status::Processing);

    let permit = table.permit().await;
    let undone = table.changes.undo(&permit, &items[0].reference, before, Some(after)).await;
    assert_eq!(undone, Ok(Undone::Done));
    assert_eq!(table.dump().await, original, "every value, the time of its last change among them");
    let again = table.changes.undo(&permit, &items[0].reference, before, Some(after)).await;
    assert_eq!(again, Ok(Undone::Done), "it is what it was");

    let dead = table.change(Change::MarkDead, &table.items(&[1]).await).await.unwrap();
    assert!(matches!(dead.as_slice(), [Changed::Done { .. }]), "{dead:?}");
    assert_eq!(table.freeze(&[1]).await[0].row.record.status, Status::Dead);
}

async fn a_row_that_is_not_what_was_frozen_is_left_alone(engine: crate::team::Engine) {
    let table = Table::new(engine, Writes::Status).await;
    for id in 1..=6 {
        table.insert(id, &format!("k{id}"), 1, 600).await;
    }
    let items = table.items(&[1, 2, 3, 4, 5, 6]).await;
    table.sql("UPDATE idempotent_record SET status = 2 WHERE id = 1").await;
    table.sql("UPDATE idempotent_record SET owner = 'worker-9' WHERE id = 2").await;
    table.sql("DELETE FROM idempotent_record WHERE id = 3").await;
    table.sql("UPDATE idempotent_record SET retry_count = 1 WHERE id = 4").await;
    // It came back under another id.
    table.sql("DELETE FROM idempotent_record WHERE id = 5").await;
    table.insert(7, "k5", 1, 600).await;
    let before = table.dump().await;
    let changed = table.change(Change::MarkFailed, &items).await.unwrap();
    let left = [Changed::Differs, Changed::Differs, Changed::Gone, Changed::Differs, Changed::Gone];
    assert_eq!(changed[..5], left);
    assert!(matches!(changed[5], Changed::Done { .. }), "{changed:?}");
    let after = table.dump().await;
    assert_eq!(before.len(), after.len());
    assert_eq!(before.iter().zip(&after).filter(|(one, other)| one != other).count(), 1);
}

async fn a_row_that_changed_just_now_is_too_young(engine: crate::team::Engine) {
    let table = Table::new(engine, Writes::Delete).await;
    table.insert(1, "young", 1, 20).await;
    table.insert(2, "old", 1, 90).await;
    let changed = table.change(Change::Open, &table.items(&[1, 2]).await).await.unwrap();
    assert_eq!(changed[0], Changed::TooYoung);
    assert!(matches!(changed[1], Changed::Done { after: None, .. }), "{changed:?}");
    assert_eq!(table.ids().await, [1]);
}

async fn a_row_that_another_transaction_holds_is_left_alone(engine: crate::team::Engine) {
    let table = Table::new(engine, Writes::Status).await;
    for id in 1..=8 {
        table.insert(id, &format!("k{id}"), 1, 600).await;
    }
    let items = table.items(&[1, 2, 3, 4, 5, 6, 7, 8]).await;
    let mut holder = table.team.pool.begin().await.unwrap();
    sqlx::query("UPDATE idempotent_record SET retry_count = 5 WHERE id = 3").execute(&mut *holder).await.unwrap();
    let changed = table.change(Change::MarkFailed, &items).await.unwrap();
    let done = changed.iter().filter(|changed| matches!(changed, Changed::Done { .. })).count();
    // SQLite locks the file as a whole.
    let expected = if engine == crate::team::Engine::Sqlite { 0 } else { 7 };
    assert_eq!((done, &changed[2]), (expected, &Changed::Locked), "{changed:?}");
    holder.rollback().await.unwrap();
    assert!(matches!(table.change(Change::MarkFailed, &items[2..3]).await.unwrap().as_slice(), [Changed::Done { .. }]));
}

async fn a_deleted_row_comes_back_with_every_byte(engine: crate::team::Engine) {
    let table = Table::new(engine, Writes::Delete).await;
    table.insert(1, "it''s 订单 😀", 3, 600).await;
    table.odd_values(1).await;
    let original = table.dump().await;
    let items = table.items(&[1]).await;
    let changed = table.change(Change::Open, &items).await.unwrap();
    let [Changed::Done { before, after: None }] = changed.as_slice() else { panic!("{changed:?}") };
    assert!(table.ids().await.is_empty());
    let permit = table.permit().await;
    let undone = table.changes.undo(&permit, &items[0].reference, before, None).await;
    assert_eq!(undone, Ok(Undone::Done));
    assert_eq!(table.dump().await, original);
}

async fn a_deleted_row_does_not_come_back_over_a_new_one(engine: crate::team::Engine) {
    let table = Table::new(engine, Writes::Delete).await;
    table.insert(1, "k1", 3, 600).await;
    let items = table.items(&[1]).await;
    let changed = table.change(Change::Open, &items).await.unwrap();
    let [Changed::Done { before, after: None }] = changed.as_slice() else { panic!("{changed:?}") };
    // Its redelivery was consumed.
    table.insert(2, "k1", 2, 0).await;
    let permit = table.permit().await;
    let undone = table.changes.undo(&permit, &items[0].reference, before, None).await;
    assert_eq!(undone, Ok(Undone::Differs));
    assert_eq!(table.ids().await, [2]);
}

async fn a_huge_row_is_not_deleted(engine: crate::team::Engine) {
    let table = Table::new(engine, Writes::Delete).await;
    table.insert(1, "small", 3, 600).await;
    table.insert(2, "huge", 3, 600).await;
    table.grow(2, 2_000_000).await;
    let changed = table.change(Change::Open, &table.items(&[1, 2]).await).await.unwrap();
    assert!(matches!(changed.as_slice(), [Changed::Done { .. }, Changed::TooLarge]), "{changed:?}");
    assert_eq!(table.ids().await, [2]);
}

async fn of_many_at_once_one_changes_a_row(engine: crate::team::Engine) {
    let table = Table::new(engine, Writes::Status).await;
    for id in 1..=40 {
        table.insert(id, &format!("k{id}"), 1, 600).await;
    }
    let items = table.items(&(1..=40).collect::<Vec<_>>()).await;
    // In opposite orders, which is how transactions meet.
    let mut backwards = items.clone();
    backwards.reverse();
    let both = join_all([
        table.change(Change::MarkFailed, &items),
        table.change(Change::MarkDead, &backwards),
        table.change(Change::MarkFailed, &items),
    ]);
    let results: Vec<Vec<Changed>> = both.await.into_iter().map(Result::unwrap).collect();
    let is_done = |changed: &Changed| matches!(changed, Changed::Done { .. });
    for at in 0..40 {
        let done = [&results[0][at], &results[1][39 - at], &results[2][at]].into_iter().filter(|one| is_done(one));
        assert!(done.count() <= 1, "row {at}: {results:?}");
    }
    assert!(results.iter().flatten().any(is_done));
}

async fn what_a_trigger_prevents_is_rolled_back(engine: crate::team::Engine) {
    let table = Table::new(engine, Writes::Status).await;
    table.insert(1, "free", 1, 600).await;
    table.insert(2, "guarded", 1, 600).await;
    table.guard("guarded").await;
    let before = table.dump().await;
    let refused = table.change(Change::MarkFailed, &table.items(&[1, 2]).await).await;
    assert!(matches!(refused, Err(ChangeError::Fault(_))), "{refused:?}");
    assert_eq!(table.dump().await, before);
}

async fn a_reader_s_account_is_refused(engine: crate::team::Engine) {
    let table = Table::new(engine, Writes::Status).await;
    table.insert(1, "k1", 1, 600).await;
    let items = table.items(&[1]).await;
    let Some(reader) = table.read_only().await else { return };
    let permit = table.permit().await;
    let refused = reader.change(&permit, Change::MarkFailed, &items).await;
    assert!(matches!(refused, Err(ChangeError::Fault(_))), "{refused:?}");
    assert_eq!(table.freeze(&[1]).await[0].row.record.status, Status::Processing);
}
