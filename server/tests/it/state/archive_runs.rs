//! Runs that archive, and their tables' cursors.

use super::{State, assert_exists, assert_fenced, conformance, now};
use server::ports::archive_runs::{ArchiveCursor, NewArchiveRun, StoredArchiveRun};
use server::ports::jobs::{JobState, Wish};

conformance!(a_run_is_kept_once_and_steered, progress_and_cursor_go_together);

fn new(id: &str) -> NewArchiveRun {
    NewArchiveRun {
        id: id.to_owned(),
        source: "points".to_owned(),
        actor: "ann".to_owned(),
        origin: "cli ann@host".to_owned(),
        reason: "空间不足".to_owned(),
        options: "{}".to_owned(),
        begun_at: now(),
    }
}

async fn a_run_is_kept_once_and_steered(state: State) {
    let runs = &state.stores.archive_runs;
    runs.begin(&new("a")).await.unwrap();
    assert_exists(&runs.begin(&new("a")).await);
    runs.begin(&new("b")).await.unwrap();
    let run = runs.run("a").await.unwrap().unwrap();
    let kept = NewArchiveRun { begun_at: run.new.begun_at, ..new("a") };
    assert_eq!((&run.new, run.state, run.wish, run.number), (&kept, JobState::Waiting, None, 1));
    let ids = |runs: Vec<StoredArchiveRun>| runs.into_iter().map(|run| run.new.id).collect::<Vec<_>>();
    assert_eq!(ids(runs.to_run().await.unwrap()), ["a", "b"], "the oldest first");
    assert_eq!(ids(runs.runs(Some("points"), None, 10).await.unwrap()), ["b", "a"], "the newest first");
    assert_eq!(ids(runs.runs(None, Some(2), 10).await.unwrap()), ["a"]);
    assert_eq!(ids(runs.runs(Some("other"), None, 10).await.unwrap()), Vec::<String>::new());
}

async fn progress_and_cursor_go_together(state: State) {
    let runs = &state.stores.archive_runs;
    runs.begin(&new("a")).await.unwrap();
    let lease = state.lease("archive/points").await;
    let cursor = |place: Option<&str>| ArchiveCursor { table: "记录".into(), place: place.map(str::to_owned) };
    assert_eq!(runs.cursor("points", "记录").await.unwrap(), None);
    runs.put(&lease, Some(("a", "{\"moved\":1}")), "points", Some(&cursor(Some("{\"id\":7}")))).await.unwrap();
    assert_eq!(runs.cursor("points", "记录").await.unwrap().as_deref(), Some("{\"id\":7}"));
    assert_eq!(runs.run("a").await.unwrap().unwrap().progress, "{\"moved\":1}");
    runs.put(&lease, None, "points", Some(&cursor(None))).await.unwrap();
    assert_eq!(runs.cursor("points", "记录").await.unwrap(), None);

    assert!(runs.wish("a", Some(Wish::Pause)).await.unwrap());
    assert_eq!(runs.run("a").await.unwrap().unwrap().wish, Some(Wish::Pause));
    runs.turn(&lease, "a", JobState::Paused, "", now()).await.unwrap();
    assert!(runs.to_run().await.unwrap().is_empty());
    assert!(runs.wish("a", None).await.unwrap());
    runs.turn(&lease, "a", JobState::Done, "{}", now()).await.unwrap();
    assert!(!runs.wish("a", Some(Wish::Stop)).await.unwrap(), "it is over");
    assert!(runs.run("a").await.unwrap().unwrap().ended_at.is_some());

    state.let_all_leases_run_out().await;
    assert_fenced(&runs.put(&lease, Some(("a", "late")), "points", Some(&cursor(Some("late")))).await);
    assert_fenced(&runs.turn(&lease, "a", JobState::Running, "", now()).await);
    assert_eq!(runs.cursor("points", "记录").await.unwrap(), None);
}
