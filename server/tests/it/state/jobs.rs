//! Plans and runs of operations on rows.

use super::{State, assert_exists, conformance, now};
use app::model::{Pk, RecordRef, Status};
use chrono::TimeDelta;
use server::ports::changes::Image;
use server::ports::jobs::{Confirming, ItemOutcome, JobState, NewItem, NewJob, Settled, Tally, Wish};
use server::ports::state::StateError;

conformance!(
    a_plan_is_confirmed_once_and_in_time,
    items_are_tried_settled_and_tried_again,
    who_lost_the_lease_writes_nothing,
    what_became_of_items_stays_in_the_audit_when_a_run_goes,
);

fn new_job(id: &str) -> NewJob {
    NewJob {
        id: id.to_owned(),
        operation: "retry".to_owned(),
        source: "points".to_owned(),
        actor: "ann".to_owned(),
        origin: "browser 10.0.0.7".to_owned(),
        reason: String::new(),
        options: r#"{"of":"积分 😀"}"#.to_owned(),
        planned_at: now(),
        expires_at: now() + TimeDelta::minutes(30),
    }
}

fn item(number: i128, skipped: Option<&str>) -> NewItem {
    NewItem {
        reference: RecordRef { table: "idempotent_record".into(), pk: Pk::Int(number) },
        r#type: Some("ORDER_DONE".into()),
        key: Some(format!("键-{number}")),
        status: Status::Failed,
        stamp: Image(format!(r#"{{"id":{number},"owner":"it's \\"}}"#)),
        skipped: skipped.map(str::to_owned),
    }
}

const BOB: Confirming<'_> = Confirming { actor: "bob", origin: "cli bob@host", reason: "the worker died" };

async fn a_plan_is_confirmed_once_and_in_time(state: State) {
    let jobs = &state.stores.jobs;
    jobs.plan(&new_job("op-1")).await.unwrap();
    assert_exists(&jobs.plan(&new_job("op-1")).await);
    let items: Vec<NewItem> =
        (0..250).map(|number| item(number, (number % 5 == 0).then_some("{\"code\":\"gone\"}"))).collect();
    assert!(!jobs.confirm("op-1", BOB, now()).await.unwrap(), "it is not whole yet");
    jobs.add("op-1", 0, &items).await.unwrap();
    jobs.planned("op-1").await.unwrap();
    assert_exists(&jobs.add("op-1", 250, &items).await);
    assert_eq!(jobs.tally("op-1").await.unwrap(), Tally { open: 200, skipped: 50, ..Tally::default() });
    assert_eq!(jobs.skipped("op-1").await.unwrap(), [("{\"code\":\"gone\"}".to_owned(), 50)]);
    assert!(jobs.to_run().await.unwrap().is_empty());
    assert!(jobs.confirm("op-1", BOB, now()).await.unwrap());
    assert!(!jobs.confirm("op-1", BOB, now()).await.unwrap());
    let job = jobs.job("op-1").await.unwrap().unwrap();
    assert_eq!(
        (job.state, job.new.actor.as_str(), job.new.reason.as_str()),
        (JobState::Waiting, "bob", "the worker died")
    );
    assert_eq!((job.new.options.as_str(), job.number), (r#"{"of":"积分 😀"}"#, 1));

    jobs.plan(&new_job("op-2")).await.unwrap();
    jobs.add("op-2", 0, &items).await.unwrap();
    jobs.planned("op-2").await.unwrap();
    let late = now() + TimeDelta::minutes(31);
    assert!(!jobs.confirm("op-2", BOB, late).await.unwrap());
    assert_eq!((jobs.expire(late).await.unwrap(), jobs.expire(late).await.unwrap()), (1, 0));
    assert_eq!(jobs.job("op-2").await.unwrap().unwrap().state, JobState::Expired);
    assert_eq!(jobs.tally("op-2").await.unwrap(), Tally::default());
    assert_eq!(jobs.tally("op-1").await.unwrap().open, 200, "one that runs keeps its items");
    let listed = |before| async move {
        let found = jobs.runs("points", before, 10).await.unwrap();
        found.into_iter().map(|job| job.new.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(None).await, ["op-1"], "what nobody confirmed is no run");
    assert!(listed(Some(1)).await.is_empty());
    assert!(jobs.runs("orders", None, 10).await.unwrap().is_empty());
}

async fn items_are_tried_settled_and_tried_again(state: State) {
    let jobs = &state.stores.jobs;
    jobs.plan(&new_job("op-1")).await.unwrap();
    jobs.add("op-1", 0, &(0..10).map(|number| item(number, None)).collect::<Vec<_>>()).await.unwrap();
    jobs.planned("op-1").await.unwrap();
    jobs.confirm("op-1", BOB, now()).await.unwrap();
    let lease = state.stores.leases.acquire("job/op-1", "here").await.unwrap().unwrap();
    let whole = Image(r#"{"note":"a'b \\ 多行"}"#.to_owned());
    jobs.trying(&lease, "op-1", &[(0, Some(whole.clone())), (1, None), (2, None)]).await.unwrap();
    let begun = jobs.next("op-1", 100).await.unwrap();
    assert_eq!(begun.iter().map(|item| item.at).collect::<Vec<_>>(), [0, 1, 2], "what was begun comes first");
    assert_eq!((begun[0].whole.as_ref(), begun[0].stamp.0.as_str()), (Some(&whole), r#"{"id":0,"owner":"it's \\"}"#));
    jobs.reopen(&lease, "op-1", &[2]).await.unwrap();
    let settled =
        |at, outcome, before: Option<&Image>| Settled { at, outcome, why: None, before: before.cloned(), after: None };
    let both = [settled(0, ItemOutcome::Done, Some(&whole)), settled(1, ItemOutcome::Uncertain, None)];
    jobs.settle(&lease, "op-1", &both, now()).await.unwrap();
    let since = now() - TimeDelta::days(1);
    assert_eq!(jobs.pressing("points", since).await.unwrap(), 1, "it goes on");
    let open = jobs.next("op-1", 3).await.unwrap();
    assert_eq!(open.iter().map(|item| item.at).collect::<Vec<_>>(), [2, 3, 4]);
    let done = jobs.items("op-1", Some(ItemOutcome::Done), None, 10).await.unwrap();
    assert_eq!((done.len(), done[0].before.as_ref(), done[0].whole.as_ref()), (1, Some(&whole), None));
    assert!(done[0].changed_at.is_some());
    jobs.settle(&lease, "op-1", &[settled(0, ItemOutcome::Undone, None)], now()).await.unwrap();
    let undone = jobs.items("op-1", Some(ItemOutcome::Undone), None, 10).await.unwrap();
    assert_eq!(undone[0].before.as_ref(), Some(&whole), "what was done stays known");
    let tally = jobs.tally("op-1").await.unwrap();
    assert_eq!((tally.open, tally.uncertain, tally.undone), (8, 1, 1));
    let behind = jobs.items("op-1", None, Some(7), 10).await.unwrap();
    assert_eq!(behind.iter().map(|item| item.at).collect::<Vec<_>>(), [8, 9]);

    assert!(jobs.wish("op-1", Some(Wish::Pause)).await.unwrap());
    assert_eq!(jobs.job("op-1").await.unwrap().unwrap().wish, Some(Wish::Pause));
    jobs.turn(&lease, "op-1", JobState::Paused, "somebody asked", now()).await.unwrap();
    assert!(jobs.to_run().await.unwrap().is_empty());
    assert!(jobs.wish("op-1", None).await.unwrap());
    assert_eq!(jobs.to_run().await.unwrap()[0].state, JobState::Waiting);
    jobs.turn(&lease, "op-1", JobState::Done, "", now()).await.unwrap();
    assert!(!jobs.wish("op-1", Some(Wish::Stop)).await.unwrap());
    assert!(jobs.job("op-1").await.unwrap().unwrap().ended_at.is_some());
}

async fn who_lost_the_lease_writes_nothing(state: State) {
    let (jobs, leases) = (&state.stores.jobs, &state.stores.leases);
    jobs.plan(&new_job("op-1")).await.unwrap();
    jobs.add("op-1", 0, &[item(1, None)]).await.unwrap();
    jobs.planned("op-1").await.unwrap();
    let lost = leases.acquire("job/op-1", "one").await.unwrap().unwrap();
    leases.release(&lost).await.unwrap();
    let held = leases.acquire("job/op-1", "other").await.unwrap().unwrap();
    let refused = jobs.trying(&lost, "op-1", &[(0, None)]).await;
    assert!(matches!(refused, Err(StateError::Fenced { .. })), "{refused:?}");
    let refused = jobs.turn(&lost, "op-1", JobState::Done, "", now()).await;
    assert!(matches!(refused, Err(StateError::Fenced { .. })), "{refused:?}");
    jobs.trying(&held, "op-1", &[(0, None)]).await.unwrap();
    assert_eq!(jobs.tally("op-1").await.unwrap().trying, 1);
}

async fn what_became_of_items_stays_in_the_audit_when_a_run_goes(state: State) {
    let jobs = &state.stores.jobs;
    for id in ["op-1", "op-2"] {
        jobs.plan(&new_job(id)).await.unwrap();
        jobs.add(id, 0, &(0..450).map(|number| item(number, None)).collect::<Vec<_>>()).await.unwrap();
        jobs.planned(id).await.unwrap();
        jobs.confirm(id, BOB, now()).await.unwrap();
    }
    let lease = state.stores.leases.acquire("job/op-1", "here").await.unwrap().unwrap();
    let settled =
        |at, outcome| Settled { at, outcome, why: Some("{}".into()), before: Some(Image("{}".into())), after: None };
    // On its way, and then at its end: only the end is an event.
    jobs.settle(&lease, "op-1", &[settled(0, ItemOutcome::Opened), settled(1, ItemOutcome::Sending)], now())
        .await
        .unwrap();
    let begun = jobs.next("op-1", 10).await.unwrap();
    assert_eq!(
        begun.iter().map(|item| item.outcome).collect::<Vec<_>>(),
        [Some(ItemOutcome::Opened), Some(ItemOutcome::Sending)]
    );
    let all: Vec<Settled> = (0..450).map(|at| settled(at, ItemOutcome::Done)).collect();
    jobs.settle(&lease, "op-1", &all, now()).await.unwrap();
    jobs.turn(&lease, "op-1", JobState::Done, "", now()).await.unwrap();
    let events = state.stores.trail.of("op-1", None).await.unwrap();
    assert_eq!(events.len(), 450);
    let first: serde_json::Value = serde_json::from_str(&events[0].1.body).unwrap();
    assert_eq!((&first["key"], &first["outcome"], &first["before"]), (&"键-0".into(), &"done".into(), &"{}".into()));

    assert_eq!(jobs.purge(&lease, now() - TimeDelta::days(1)).await.unwrap(), 0, "it is young");
    let later = now() + TimeDelta::days(1);
    let mut steps = 0;
    while jobs.purge(&lease, later).await.unwrap() > 0 {
        steps += 1;
    }
    assert_eq!(steps, 4, "two hundred items at once, and then the run");
    assert!(jobs.job("op-1").await.unwrap().is_none());
    assert_eq!(jobs.tally("op-2").await.unwrap().open, 450, "one that is not over stays");
    assert_eq!(state.stores.trail.of("op-1", None).await.unwrap().len(), 450);
    assert_eq!(state.stores.trail.broken().await.unwrap(), None);
}
