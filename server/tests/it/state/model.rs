//! Whatever two holders do to one lease, in whatever order: a write succeeds exactly when its lease is the newest and
//! alive. So no two fences are ever good at the same time.

use super::{State, conformance};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use server::ports::state::{Lease, StateError};

conformance!(no_two_fences_are_good_at_the_same_time);

const HOLDERS: [&str; 2] = ["here", "there"];

#[derive(Debug, Clone)]
enum Step {
    Acquire(usize),
    /// The lease that was given out as the nth, old ones included.
    Renew(prop::sample::Index),
    Release(prop::sample::Index),
    RunOut,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..HOLDERS.len()).prop_map(Step::Acquire),
        2 => any::<prop::sample::Index>().prop_map(Step::Renew),
        2 => any::<prop::sample::Index>().prop_map(Step::Release),
        2 => Just(Step::RunOut),
    ]
}

/// What must be so: every lease ever given out, and which of them is good.
#[derive(Default)]
struct Model {
    given_out: Vec<Lease>,
    good: Option<i64>,
}

impl Model {
    async fn follow(&mut self, state: &State, name: &str, step: &Step) {
        let leases = &state.stores.leases;
        match step {
            Step::Acquire(holder) => {
                let acquired = leases.acquire(name, HOLDERS[*holder]).await.unwrap();
                assert_eq!(acquired.is_some(), self.good.is_none(), "free is what nobody holds");
                if let Some(lease) = acquired {
                    assert!(self.given_out.iter().all(|old| old.fence < lease.fence), "fences grow");
                    self.good = Some(lease.fence);
                    self.given_out.push(lease);
                }
            }
            Step::Renew(_) | Step::Release(_) if self.given_out.is_empty() => {}
            Step::Renew(nth) => {
                let lease = nth.get(&self.given_out);
                let renewed = leases.renew(lease).await.unwrap();
                assert_eq!(renewed.map(|lease| lease.fence), self.good.filter(|good| *good == lease.fence));
            }
            Step::Release(nth) => {
                let lease = nth.get(&self.given_out);
                leases.release(lease).await.unwrap();
                self.good = self.good.filter(|good| *good != lease.fence);
            }
            Step::RunOut => {
                state.let_all_leases_run_out().await;
                self.good = None;
            }
        }
    }

    /// Everybody who ever held the lease tries to write.
    async fn check_writes(&self, state: &State, name: &str) {
        let writes = self.given_out.iter().map(|lease| state.stores.snapshots.put(lease, name, "records", "{}"));
        let results = futures::future::join_all(writes).await;
        for (lease, result) in self.given_out.iter().zip(results) {
            match result {
                Ok(_) => assert_eq!(self.good, Some(lease.fence)),
                Err(StateError::Fenced { .. }) => assert_ne!(self.good, Some(lease.fence)),
                Err(other) => panic!("{other}"),
            }
        }
    }
}

async fn no_two_fences_are_good_at_the_same_time(state: State) {
    let mut runner = TestRunner::new(Config { cases: 16, failure_persistence: None, ..Config::default() });
    let handle = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || {
        let case = std::cell::Cell::new(0_u32);
        let outcome = runner.run(&prop::collection::vec(step(), 1..12), |steps| {
            case.set(case.get() + 1);
            let name = format!("case {}", case.get());
            handle.block_on(async {
                let mut model = Model::default();
                for step in &steps {
                    model.follow(&state, &name, step).await;
                    model.check_writes(&state, &name).await;
                }
            });
            Ok(())
        });
        outcome.unwrap();
    })
    .await
    .unwrap();
}
