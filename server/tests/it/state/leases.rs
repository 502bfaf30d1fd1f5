//! Leases, and what a former holder can no longer do.

use super::{State, assert_fenced, conformance, now};
use app::model::Minute;
use chrono::TimeDelta;
use server::clock::{Clock, SystemClock};
use server::ports::state::Lease;

conformance!(
    a_lease_has_one_holder,
    of_many_racers_one_gets_the_lease,
    a_lease_that_ran_out_is_taken_over_with_a_greater_fence,
    what_the_former_holder_writes_is_refused,
    a_released_lease_is_free_at_once,
    a_local_deadline_stops_writes_before_the_database_does,
);

async fn a_lease_has_one_holder(state: State) {
    let leases = &state.stores.leases;
    let here = leases.acquire("collect/points/records", "here").await.unwrap().unwrap();
    assert_eq!((here.fence, here.holder.as_str()), (1, "here"));
    assert!(leases.acquire("collect/points/records", "there").await.unwrap().is_none());
    assert!(leases.acquire("collect/points/records", "here").await.unwrap().is_none(), "also not twice by one holder");
    assert!(leases.acquire("collect/orders/records", "there").await.unwrap().is_some(), "another lease is free");

    let renewed = leases.renew(&here).await.unwrap().expect("still held");
    assert_eq!(renewed.fence, here.fence, "renewing is no change of hands");
    assert!(renewed.deadline > here.deadline);
    assert!(leases.acquire("collect/points/records", "there").await.unwrap().is_none());
}

async fn of_many_racers_one_gets_the_lease(state: State) {
    let other_process = state.of_another_process().await;
    for round in 1..=3 {
        let racers = (0..16).map(|racer| {
            let leases = if racer % 2 == 0 { &state.stores.leases } else { &other_process.leases };
            async move { leases.acquire("race", &format!("racer {racer}")).await.unwrap() }
        });
        let holders: Vec<Lease> = futures::future::join_all(racers).await.into_iter().flatten().collect();
        assert_eq!(holders.len(), 1, "{holders:?}");
        assert_eq!(holders[0].fence, round);
        state.let_all_leases_run_out().await;
    }
}

async fn a_lease_that_ran_out_is_taken_over_with_a_greater_fence(state: State) {
    let leases = &state.stores.leases;
    let before = state.lease("job").await;
    state.let_all_leases_run_out().await;
    assert!(leases.renew(&before).await.unwrap().is_none(), "what ran out is not renewed, even when nobody took it");
    let after = leases.acquire("job", "there").await.unwrap().expect("free again");
    assert!(after.fence > before.fence);
    assert!(leases.renew(&before).await.unwrap().is_none());
    leases.release(&before).await.unwrap();
    assert!(leases.renew(&after).await.unwrap().is_some(), "the former holder cannot release it");
}

async fn what_the_former_holder_writes_is_refused(state: State) {
    let lost = state.lease("collect").await;
    state.stores.snapshots.put(&lost, "points", "records", "{}").await.unwrap();
    let minute = Minute { failed: Some(1), ..Minute::empty(now()) };
    state.let_all_leases_run_out().await;
    assert_fenced(&state.stores.snapshots.put(&lost, "points", "records", "late").await);

    let held = state.stores.leases.acquire("collect", "there").await.unwrap().unwrap();
    assert_fenced(&state.stores.snapshots.put(&lost, "points", "records", "late").await);
    assert_fenced(&state.stores.history.put(&lost, "points", &minute).await);
    assert_fenced(&state.stores.history.put(&lost, "points", &Minute::empty(now())).await);
    assert_fenced(&state.stores.history.purge(&lost, now()).await);
    assert_fenced(&state.stores.hours.sum_up(&lost, "points", now()).await);
    let stolen = Lease { holder: "here".to_owned(), ..held.clone() };
    assert_fenced(&state.stores.snapshots.put(&stolen, "points", "records", "late").await);

    let panels = state.stores.snapshots.since(0).await.unwrap();
    assert_eq!(panels.iter().map(|panel| panel.json.as_str()).collect::<Vec<_>>(), ["{}"]);
    assert!(state.stores.history.minutes("points", now() - TimeDelta::hours(1), now()).await.unwrap().is_empty());
    state.stores.snapshots.put(&held, "points", "records", "new").await.unwrap();
}

async fn a_released_lease_is_free_at_once(state: State) {
    let released = state.lease("job").await;
    state.stores.leases.release(&released).await.unwrap();
    assert_fenced(&state.stores.snapshots.put(&released, "points", "records", "{}").await);
    let next = state.stores.leases.acquire("job", "there").await.unwrap().expect("free");
    assert_eq!(next.fence, released.fence + 1);
}

async fn a_local_deadline_stops_writes_before_the_database_does(state: State) {
    let lease = state.lease("job").await;
    let late = Lease { deadline: SystemClock.instant(), ..lease };
    assert_fenced(&state.stores.snapshots.put(&late, "points", "records", "{}").await);
    assert!(state.stores.leases.renew(&late).await.unwrap().is_none());
}
