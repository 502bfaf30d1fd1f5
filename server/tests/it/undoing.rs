//! A run that is taken back, over real stores.

use crate::site::{BY_DELETING, Site, ann};
use crate::team::Engine;
use app::model::{RowOperation, Undo};
use server::action::Refused;
use server::action::rows::undo;

crate::team::on_every_engine!(a_run_is_undone_where_nobody_touched_it_since);

async fn a_run_is_undone_where_nobody_touched_it_since(engine: Engine) {
    let site = Site::of(engine, BY_DELETING).await;
    for (id, key) in [(1, "one"), (2, "two"), (3, "three")] {
        site.team.insert(id, key, 3, 600).await;
    }
    let before = site.rows().await;
    let undone = async |id: &str, by: &str| undo(&site.system, id, by, &ann(), "it was the wrong one").await;

    let marked = site.plan(RowOperation::MarkDead).await.unwrap();
    assert!(matches!(undone(&marked.id, "early").await, Err(Refused::NotOver)));
    site.confirm(&marked).await.unwrap();
    site.run(&marked).await;
    site.team.sql("UPDATE idempotent_record SET update_time = '2026-01-01 00:00:00' WHERE biz_id = 'two'").await;
    let undoing = undone(&marked.id, "first").await.unwrap();
    assert_eq!(undoing, Undo { undone: 2, differs: 1, ..Undo::default() });
    assert_eq!(undone(&marked.id, "first").await.unwrap(), undoing, "sent twice");
    let rows = site.rows().await;
    assert_eq!((rows["one"], rows["two"], rows["three"]), (3, 4, 3));

    let opened = site.plan(RowOperation::Retry).await.unwrap();
    site.confirm(&opened).await.unwrap();
    assert_eq!(site.run(&opened).await.done, 3);
    site.team.insert(7, "three", 1, 1).await;
    assert_eq!(undone(&opened.id, "second").await.unwrap(), Undo { undone: 2, differs: 1, ..Undo::default() });
    let rows = site.rows().await;
    assert_eq!((rows["one"], rows["two"], rows["three"]), (before["one"], 4, 1));
    let tally = site.system.state.jobs.tally(&opened.id).await.unwrap();
    assert_eq!((tally.undone, tally.done), (2, 1));
    assert!(matches!(undone(&opened.id, "first").await, Err(Refused::IdTaken)));
}
