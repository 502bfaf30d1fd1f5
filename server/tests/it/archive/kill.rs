//! Killed between any two statements, a run is taken up again: nothing is lost, nothing is twice, and the counts are right.

use super::site::Site;
use crate::team::Engine;
use server::action::archive::work_off;
use std::future::poll_fn;
use std::task::Poll;
use tokio_util::sync::CancellationToken;

crate::team::on_every_engine!(a_run_that_dies_again_and_again);

const ROWS: u64 = 120;

/// Runs it until it would wait for the nth time for an answer, and never goes on: what a kill leaves.
async fn killed_at<F: Future>(run: F, waits: usize) -> Option<F::Output> {
    let mut run = Box::pin(run);
    let mut waited = 0;
    poll_fn(move |context| match run.as_mut().poll(context) {
        Poll::Ready(ended) => Poll::Ready(Some(ended)),
        Poll::Pending if waited >= waits => Poll::Ready(None),
        Poll::Pending => {
            waited += 1;
            Poll::Pending
        }
    })
    .await
}

async fn a_run_that_dies_again_and_again(engine: Engine) {
    let site = Site::without_archive(engine, "keep = \"7d\"\nbatch = 10").await;
    site.archiver().create(&site.permit().await, super::site::TABLE).await.unwrap();
    site.fill(1, ROWS).await;
    let begun = site.begin().await.unwrap();
    let (shutdown, mut deaths) = (CancellationToken::new(), 0);
    for waits in (1..).step_by(3) {
        let run = work_off(&site.system, &begun.id, "one that dies", &shutdown, &|_| ());
        match killed_at(run, waits).await {
            Some(ended) => {
                assert!(ended.unwrap());
                break;
            }
            None => deaths += 1,
        }
        let (left, archived) = settled(&site).await;
        let mut all: Vec<i64> = left.iter().chain(&archived).copied().collect();
        all.sort_unstable();
        assert_eq!(all, (1..=ROWS as i64).collect::<Vec<_>>(), "after {waits} waits: {left:?} {archived:?}");
        site.let_leases_run_out().await;
    }
    let ran = site.look(&begun.id).await;
    assert!(deaths > 20, "it died {deaths} times");
    assert_eq!((ran.state.as_str(), ran.moved), ("done", ROWS), "{ran:?}");
    assert_eq!(site.ids().await, (vec![], (1..=ROWS as i64).collect::<Vec<_>>()));
    // No chunk's entry stays open.
    let mut moved = 0;
    for number in 1..=ran.chunks {
        let entry = site.system.state.audit.get(&format!("{}/{number}", ran.id)).await.unwrap().unwrap();
        let detail: serde_json::Value = serde_json::from_str(&entry.detail.unwrap()).unwrap();
        moved += detail["moved"].as_u64().unwrap();
    }
    assert_eq!(moved, ROWS);
}

/// Of one moment: a statement of the dead one may still be on its way.
async fn settled(site: &Site) -> (Vec<i64>, Vec<i64>) {
    let mut before = site.ids().await;
    loop {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        let now = site.ids().await;
        if now == before {
            return now;
        }
        before = now;
    }
}
