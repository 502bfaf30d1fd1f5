//! The keeper of a background task's lease, in real time.

use super::{Engine, State};
use server::clock::{Clock, SystemClock};
use server::lease::{Keeper, keep};
use server::telemetry::task;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

fn start(state: &State, holder: &str, shutdown: &CancellationToken) -> (Keeper, JoinHandle<()>) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let (keeper, keeping) = keep(&state.stores.leases, &clock, "job".to_owned(), holder.to_owned(), shutdown.clone());
    (keeper, task::spawn("lease", keeping))
}

async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(120), what).await.expect("within two minutes")
}

#[tokio::test]
async fn a_lease_outlives_its_ten_seconds_and_passes_on_at_the_end() {
    let state = State::fresh(Engine::Sqlite).await;
    let shutdown = CancellationToken::new();
    let (mut here, keeping) = start(&state, "here", &shutdown);
    let first = soon(here.held()).await;
    let later = CancellationToken::new();
    let (mut there, there_keeping) = start(&state, "there", &later);
    for _ in 0..24 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let lease = here.current().expect("kept");
        assert_eq!(lease.fence, first.fence);
        state.stores.snapshots.put(&lease, "points", "records", "{}").await.expect("still the holder");
        assert!(there.current().is_none());
    }

    shutdown.cancel();
    soon(keeping).await.unwrap();
    assert!(here.current().is_none());
    assert_eq!(soon(there.held()).await.fence, first.fence + 1, "given back, not left to run out");
    later.cancel();
    soon(there_keeping).await.unwrap();
}

#[tokio::test]
async fn a_lost_lease_is_noticed_and_taken_again() {
    let state = State::fresh(Engine::Sqlite).await;
    let shutdown = CancellationToken::new();
    let (mut here, keeping) = start(&state, "here", &shutdown);
    let first = soon(here.held()).await;
    state.let_all_leases_run_out().await;
    let thief = state.stores.leases.acquire("job", "there").await.unwrap().unwrap();
    soon(async {
        while here.current().is_some() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    state.stores.leases.release(&thief).await.unwrap();
    assert_eq!(soon(here.held()).await.fence, first.fence + 2);
    shutdown.cancel();
    soon(keeping).await.unwrap();
}
