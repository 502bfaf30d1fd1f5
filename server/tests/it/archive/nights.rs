//! Runs that begin by themselves.

use super::site::{OLD, Site};
use crate::eventually::eventually;
use crate::team::Engine;
use server::action::archive::{run_of, runner};
use server::boot::{self, Role};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_scheduled_run_begins_once_and_works() {
    let archiving = "keep = \"7d\"\nschedule = \"* * * * *\"\nwindow = \"1h\"";
    let site = Site::without_archive(Engine::Sqlite, archiving).await;
    site.archiver().create(&site.permit().await, super::site::TABLE).await.unwrap();
    site.insert(1, "stuck", 1, OLD).await;
    site.fill(2, 100).await;
    // Two instances over one state: the occurrence has one id.
    let other = Arc::new(boot::system(site.team.config(), Role::Cli).await.unwrap());
    let shutdown = CancellationToken::new();
    let runners = [site.system.clone(), other].map(|system| runner::start(&system, &shutdown));
    let left = eventually(async || site.ids().await.0, |left| left.len() == 1).await;
    assert_eq!(left, [1]);
    let done = async || {
        let runs = site.system.state.archive_runs.runs(None, None, 10).await.unwrap();
        runs.iter().map(|run| run_of(run).unwrap()).collect::<Vec<_>>()
    };
    let runs = eventually(done, |runs| runs.iter().all(|run| run.state == "done")).await;
    shutdown.cancel();
    for runner in runners {
        runner.wait().await;
    }
    // A minute may have passed, and the next one found nothing.
    let first = runs.last().unwrap();
    assert!(first.id.starts_with("schedule/points/") && first.actor == "schedule", "{runs:?}");
    assert_eq!((first.moved, runs.len() <= 2), (99, true), "{runs:?}");
}
