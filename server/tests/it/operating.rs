//! Operations on rows from plan to run, over real stores: what is done, what is left alone and why, and what a crash leaves.

use crate::cli::Desk;
use crate::site::{BY_DELETING, BY_STATUS, Site, ann};
use crate::team::{Engine, SOURCE};
use app::model::{Pattern, RecordsQuery, Role as OperatorRole, RowOperation, Skip, Status};
use server::action::rows::{Ask, Selection, confirm, plan, retried, wish, work_off};
use server::action::{Actor, Refused};
use server::boot::{self, Role};
use server::ports::changes::{Change, Item};
use server::ports::jobs::{ItemOutcome, JobState, Wish};
use server::ports::state::Begin;
use server::ports::trail::EventKind;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

crate::team::on_every_engine!(
    what_was_planned_is_done_once_and_nothing_else,
    what_changed_since_the_plan_is_left_alone,
    a_run_that_died_is_taken_up_again,
    two_operators_meet_on_the_same_rows,
);

async fn what_was_planned_is_done_once_and_nothing_else(engine: Engine) {
    let site = Site::of(engine, BY_DELETING).await;
    let team = &site.team;
    for (id, key, status, age_s) in [
        (1, "failed", 3, 600),
        (2, "failed-now", 3, 1),
        (3, "dead", 4, 600),
        (4, "stuck", 1, 600),
        (5, "young", 1, 10),
        (6, "done", 2, 600),
        (7, "odd", 9, 600),
        (8, "alive", 1, 600),
    ] {
        team.insert(id, key, status, age_s).await;
    }
    team.lock("alive", "worker-3", 60_000).await;
    let planned = site.plan(RowOperation::Retry).await.unwrap();
    assert_eq!((planned.eligible, planned.sample.len()), (4, 4), "{planned:#?}");
    let skipped: Vec<&Skip> = planned.skipped.iter().map(|skipped| &skipped.why).collect();
    for why in [Skip::Completed, Skip::Unmapped, Skip::Alive] {
        assert!(skipped.contains(&&why), "{skipped:?}");
    }
    assert!(skipped.iter().any(|why| matches!(why, Skip::TooYoung { .. })), "{skipped:?}");
    assert_eq!(site.rows().await.len(), 8, "a plan changes nothing");
    let again = site.plan_as(&planned.id, RowOperation::Retry).await.unwrap();
    assert_eq!(again, planned);

    site.confirm(&planned).await.unwrap();
    // It came after the plan.
    team.insert(9, "failed-later", 3, 600).await;
    let ran = site.run(&planned).await;
    assert_eq!((ran.state.as_str(), ran.done, ran.skipped, ran.failed, ran.uncertain), ("done", 4, 4, 0, 0), "{ran:?}");
    let left: Vec<String> = site.rows().await.into_keys().collect();
    assert_eq!(left, ["alive", "done", "failed-later", "odd", "young"]);
    // Nobody's lock is left behind.
    let mut redis = team.redis_connection().await;
    let ours: Vec<String> = redis::cmd("KEYS").arg(format!("{}:*", team.prefix)).query_async(&mut redis).await.unwrap();
    assert_eq!(ours, [team.lock_key("alive")]);

    let entry = site.system.state.audit.get(&planned.id).await.unwrap().unwrap();
    assert_eq!((entry.actor.as_str(), entry.reason.as_str()), ("ann", "the worker died"));
    assert_eq!(entry.outcome.as_deref(), Some("done"));
    let items = site.system.state.jobs.items(&planned.id, Some(ItemOutcome::Done), None, 100).await.unwrap();
    assert!(
        items.iter().all(|item| item.before.as_ref().is_some_and(|image| image.0.contains("biz_id"))),
        "{items:#?}"
    );

    assert!(site.confirm(&planned).await.is_ok(), "sent twice");
    let twice = site.run(&planned).await;
    assert_eq!((twice.done, site.rows().await.len()), (4, 5));
}

async fn what_changed_since_the_plan_is_left_alone(engine: Engine) {
    let site = Site::of(engine, BY_STATUS).await;
    let team = &site.team;
    for (id, key) in [(1, "completed-since"), (2, "touched-since"), (3, "gone-since"), (4, "locked-since"), (5, "same")]
    {
        team.insert(id, key, 1, 600).await;
    }
    let planned = site.plan(RowOperation::MarkFailed).await.unwrap();
    assert_eq!(planned.eligible, 5, "{planned:#?}");
    site.confirm(&planned).await.unwrap();
    team.sql("UPDATE idempotent_record SET status = 2 WHERE id = 1").await;
    team.sql(&format!("UPDATE idempotent_record SET update_time = {} WHERE id = 2", team.ago(500))).await;
    team.sql("DELETE FROM idempotent_record WHERE id = 3").await;
    team.lock("locked-since", "worker-9", 60_000).await;
    let ran = site.run(&planned).await;
    assert_eq!((ran.state.as_str(), ran.done, ran.skipped), ("done", 1, 4), "{ran:?}");
    let whys = site.whys(&planned.id).await;
    let expected = [
        ("completed-since", "changed"),
        ("gone-since", "gone"),
        ("locked-since", "alive"),
        ("touched-since", "changed"),
    ];
    assert_eq!(whys, expected.map(|(key, why)| (key.to_owned(), why.to_owned())).into());
    let rows = site.rows().await;
    assert_eq!((rows["completed-since"], rows["touched-since"], rows["locked-since"], rows["same"]), (2, 1, 1, 3));
}

/// At each place where it may die: before anything was done, and after the database did it and before we wrote it down.
async fn a_run_that_died_is_taken_up_again(engine: Engine) {
    for write in [BY_STATUS, BY_DELETING] {
        let site = Site::of(engine, write).await;
        for id in 1..=8 {
            site.team.insert(id, &format!("k{id}"), 3, 600).await;
        }
        // Of failed rows: opening them deletes them, or marks them as dead.
        let operation = if write == BY_DELETING { RowOperation::Retry } else { RowOperation::MarkDead };
        let change = if write == BY_DELETING { Change::Open } else { Change::MarkDead };
        let planned = site.plan(operation).await.unwrap();
        site.confirm(&planned).await.unwrap();
        let (state, id) = (&site.system.state, planned.id.as_str());
        let lease = state.leases.acquire(&format!("job/{id}"), "the one that died").await.unwrap().unwrap();
        let items = state.jobs.next(id, 6).await.unwrap();
        let references: Vec<_> = items.iter().map(|item| item.reference.clone()).collect();
        let whole: BTreeMap<_, _> = site.changes().whole(&references).await.unwrap().into_iter().collect();
        let begun: Vec<_> = items
            .iter()
            .map(|item| (item.at, whole.get(&item.reference).cloned().filter(|_| write == BY_DELETING)))
            .collect();
        state.jobs.trying(&lease, id, &begun).await.unwrap();
        let begin = Begin {
            operation_id: id.to_owned(),
            operation: operation.as_str().to_owned(),
            source: SOURCE.to_owned(),
            actor: "ann".to_owned(),
            origin: "test".to_owned(),
            reason: "the worker died".to_owned(),
            at: site.system.clock.now(),
            target: "{}".to_owned(),
        };
        let permit = state.audit.begin(&begin).await.unwrap();
        // Three of the six were done when it died.
        let done: Vec<Item> = (items[..3].iter().zip(&begun))
            .map(|(item, (_, whole))| Item {
                reference: item.reference.clone(),
                stamp: item.stamp.clone(),
                whole: whole.clone(),
                minimum_age: Duration::ZERO,
            })
            .collect();
        site.changes().change(&permit, change, &done).await.unwrap();
        // It had taken their locks, too.
        for item in &items {
            site.team.lock(item.key.as_deref().unwrap(), &format!("oncewatch:{id}"), 30_000).await;
        }
        assert!(
            !work_off(&site.system, id, "another", &CancellationToken::new()).await.unwrap(),
            "while the lease of the dead one runs"
        );
        state.leases.release(&lease).await.unwrap();

        let ran = site.run(&planned).await;
        let counts = (ran.state.as_str(), ran.done, ran.skipped, ran.failed, ran.uncertain, ran.open);
        assert_eq!(counts, ("done", 8, 0, 0, 0, 0), "{write}: {ran:?}");
        let rows = site.rows().await;
        match write {
            BY_DELETING => assert!(rows.is_empty(), "{rows:?}"),
            _ => assert!(rows.values().all(|status| *status == 4), "{rows:?}"),
        }
        let items = state.jobs.items(id, Some(ItemOutcome::Done), None, 100).await.unwrap();
        assert!(items.iter().all(|item| item.before.is_some()), "each can be undone");
    }
}

async fn two_operators_meet_on_the_same_rows(engine: Engine) {
    let site = Site::of(engine, BY_STATUS).await;
    for id in 1..=60 {
        site.team.insert(id, &format!("k{id}"), 1, 600).await;
    }
    let (one, other) =
        (site.plan(RowOperation::MarkFailed).await.unwrap(), site.plan(RowOperation::MarkDead).await.unwrap());
    assert_eq!((one.eligible, other.eligible), (60, 60));
    site.confirm(&one).await.unwrap();
    site.confirm(&other).await.unwrap();
    let (one, other) = tokio::join!(site.run(&one), site.run(&other));
    assert_eq!((one.state.as_str(), other.state.as_str()), ("done", "done"), "{one:?} {other:?}");
    assert_eq!((one.failed + one.uncertain + other.failed + other.uncertain), 0, "{one:?} {other:?}");
    let rows = site.rows().await;
    let of = |status: i64| rows.values().filter(|found| **found == status).count() as u64;
    assert_eq!((of(3), of(4)), (one.done, other.done), "{one:?} {other:?} {rows:?}");
}

/// Killed after the audit was closed, and before the run was.
#[tokio::test]
async fn a_run_whose_end_was_only_audited_is_over() {
    let site = Site::of(Engine::Sqlite, BY_STATUS).await;
    site.team.insert(1, "one", 3, 600).await;
    let planned = site.plan(RowOperation::MarkDead).await.unwrap();
    site.confirm(&planned).await.unwrap();
    let begin = Begin {
        operation_id: planned.id.clone(),
        operation: "mark_dead".to_owned(),
        source: SOURCE.to_owned(),
        actor: "ann".to_owned(),
        origin: "test".to_owned(),
        reason: "the worker died".to_owned(),
        at: site.system.clock.now(),
        target: "{}".to_owned(),
    };
    site.system.state.audit.begin(&begin).await.unwrap();
    site.system.state.audit.complete(&planned.id, site.system.clock.now(), "stopped", "{}").await.unwrap();
    assert_eq!(site.run(&planned).await.state, "stopped");
    assert_eq!(site.rows().await["one"], 3, "nothing more was done");
}

#[tokio::test]
async fn an_unknown_lock_leaves_everything_alone() {
    let mut site = Site::of(Engine::Sqlite, BY_STATUS).await;
    site.team.insert(1, "stuck", 1, 600).await;
    site.team.redis = Some("redis://127.0.0.1:1".into());
    site.system = boot::system(site.team.config(), Role::Cli).await.unwrap();
    let planned = site.plan(RowOperation::MarkFailed).await.unwrap();
    assert_eq!((planned.eligible, &planned.skipped[0].why), (0, &Skip::LockUnknown), "{planned:#?}");
}

#[tokio::test]
async fn many_rows_are_confirmed_by_typing_and_old_plans_not_at_all() {
    let site = Site::of(Engine::Sqlite, BY_STATUS).await;
    for id in 1..=51 {
        site.team.insert(id, &format!("k{id}"), 3, 600).await;
    }
    let planned = site.plan(RowOperation::MarkDead).await.unwrap();
    assert_eq!(planned.phrase.as_deref(), Some("mark dead 51"));
    for typed in [None, Some(""), Some("mark dead 15")] {
        let refused = confirm(&site.system, &planned.id, &ann(), "", typed).await;
        assert!(matches!(refused, Err(Refused::Phrase { .. })), "{refused:?}");
    }
    let viewer = Actor { role: OperatorRole::Viewer, ..ann() };
    let refused = confirm(&site.system, &planned.id, &viewer, "", Some("mark dead 51")).await;
    assert!(matches!(refused, Err(Refused::Role { .. })), "{refused:?}");
    let expired = site.system.state.jobs.expire(planned.expires_at).await.unwrap();
    assert_eq!(expired, 1);
    let refused = confirm(&site.system, &planned.id, &ann(), "", Some("mark dead 51")).await;
    assert!(matches!(refused, Err(Refused::Expired)), "{refused:?}");
    assert!(site.system.state.jobs.next(&planned.id, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_run_is_paused_goes_on_and_is_stopped() {
    let site = Site::of(Engine::Sqlite, BY_STATUS).await;
    for id in 1..=10 {
        site.team.insert(id, &format!("k{id}"), 3, 600).await;
    }
    let planned = site.plan(RowOperation::MarkDead).await.unwrap();
    site.confirm(&planned).await.unwrap();
    let jobs = &site.system.state.jobs;
    assert!(jobs.wish(&planned.id, Some(Wish::Pause)).await.unwrap());
    assert_eq!(site.run(&planned).await.state, "paused");
    assert!(site.rows().await.values().all(|status| *status == 3));
    assert!(jobs.to_run().await.unwrap().is_empty());
    assert!(jobs.wish(&planned.id, None).await.unwrap());
    assert_eq!(jobs.to_run().await.unwrap()[0].state, JobState::Waiting);
    let ran = site.run(&planned).await;
    assert_eq!((ran.state.as_str(), ran.done), ("done", 10));
    assert!(!jobs.wish(&planned.id, Some(Wish::Stop)).await.unwrap(), "it is over");

    let second = site.plan(RowOperation::Retry).await.unwrap();
    site.confirm(&second).await.unwrap();
    assert!(jobs.wish(&second.id, Some(Wish::Stop)).await.unwrap());
    let stopped = site.run(&second).await;
    assert_eq!((stopped.state.as_str(), stopped.done, stopped.open), ("stopped", 0, 10));
}

/// `oncewatch mark-failed …` as somebody types it.
#[tokio::test]
async fn the_command_line_shows_first_and_does_then() {
    let site = Site::of(Engine::Sqlite, BY_STATUS).await;
    site.team.insert(1, "stuck-1", 1, 600).await;
    site.team.insert(2, "stuck-2", 1, 600).await;
    site.team.insert(3, "done-1", 2, 600).await;
    let desk = Desk::new(&site.team.toml());
    let nothing_said = desk.run(&["mark-failed", "--yes", "--reason", "x"]);
    assert_eq!(nothing_said.code, 2, "{nothing_said:?}");
    let no_reason = desk.run(&["mark-failed", "--all", "--yes"]);
    assert_eq!(no_reason.code, 2, "{no_reason:?}");
    let dry = desk.run(&["mark-failed", "--all", "--dry-run"]);
    assert!(dry.out.contains("Mark failed 2 records of points") && dry.out.contains("stuck-1"), "{dry:?}");
    assert!(dry.out.contains("left alone: 1 record, completed"), "{dry:?}");
    let unasked = desk.run(&["mark-failed", "--key", "stuck-1", "--reason", "the worker died"]);
    assert_eq!(unasked.code, 1, "{unasked:?}");
    assert!(site.rows().await.values().all(|status| *status != 3));
    let done = desk.run(&["mark-failed", "--key", "stuck-1", "--yes", "--reason", "the worker died", "--json"]).json();
    assert_eq!((&done["run"]["state"], &done["run"]["done"]), (&"done".into(), &1.into()), "{done:#}");
    let rows = site.rows().await;
    assert_eq!((rows["stuck-1"], rows["stuck-2"], rows["done-1"]), (3, 1, 2));
}

/// The look-up by key finds what a search for it finds.
#[tokio::test]
async fn a_plan_of_a_key_holds_that_key() {
    let site = Site::of(Engine::Sqlite, BY_STATUS).await;
    site.team.insert(1, "one", 3, 600).await;
    site.team.insert(2, "other", 3, 600).await;
    let mut query = RecordsQuery { limit: 200, status: Some(Status::Failed), ..RecordsQuery::default() };
    query.filter.key = Some(Pattern::Is("one".into()));
    let ask = Ask {
        operation_id: "op-1".into(),
        source: SOURCE.into(),
        operation: RowOperation::MarkDead,
        selection: Selection::All(Box::new(query)),
        actor: ann(),
        reason: String::new(),
    };
    let planned = plan(&site.system, ask).await.unwrap();
    assert_eq!((planned.eligible, planned.sample[0].record.key.as_deref()), (1, Some("one")));
    let unreasoned = confirm(&site.system, "op-1", &ann(), " ", None).await;
    assert!(matches!(unreasoned, Err(Refused::Reason)), "{unreasoned:?}");
}

/// Who tried, paused and stopped stands in the audit, and what became of each item; and `check` finds what was changed in it.
#[tokio::test]
async fn the_audit_has_every_step_and_check_reads_it_again() {
    let site = Site::of(Engine::Sqlite, BY_STATUS).await;
    for id in 1..=60 {
        site.team.insert(id, &format!("k{id}"), 3, 600).await;
    }
    let planned = site.plan(RowOperation::MarkDead).await.unwrap();
    let viewer = Actor { name: "vic".into(), role: OperatorRole::Viewer, ..ann() };
    assert!(confirm(&site.system, &planned.id, &viewer, "", planned.phrase.as_deref()).await.is_err());
    assert!(confirm(&site.system, &planned.id, &ann(), "", Some("mark dead 61")).await.is_err());
    site.confirm(&planned).await.unwrap();
    wish(&site.system, &planned.id, &ann(), Some(Wish::Pause)).await.unwrap();
    assert_eq!(site.run(&planned).await.state, "paused");
    wish(&site.system, &planned.id, &ann(), None).await.unwrap();
    assert_eq!(site.run(&planned).await.done, 60);
    let events = site.system.state.trail.of(&planned.id, None).await.unwrap();
    let kinds: Vec<(EventKind, &str)> = events.iter().map(|(_, event)| (event.kind, event.actor.as_str())).collect();
    let item = (EventKind::Item, "");
    assert_eq!(kinds[..2], [(EventKind::Paused, "ann"), (EventKind::Resumed, "ann")]);
    assert_eq!(kinds[2..62], [item; 60]);
    assert_eq!(kinds[62..], [(EventKind::Ended, "")]);
    let tried: Vec<(String, Option<String>)> = site
        .system
        .state
        .audit
        .recent(None, 10)
        .await
        .unwrap()
        .into_iter()
        .map(|entry| (entry.actor, entry.outcome))
        .collect();
    let said = |who: &str, what: &str| (who.to_owned(), Some(what.to_owned()));
    assert_eq!(
        tried,
        [said("ann", "done"), said("ann", "refused"), said("vic", "refused")],
        "each is an entry of its own"
    );

    let desk = Desk::new(&site.team.toml());
    let fine = desk.run(&["check"]);
    assert!(!fine.out.contains("The audit was"), "{fine:?}");
    let state = sqlx::AnyPool::connect(&site.team.state.url).await.unwrap();
    sqlx::query("UPDATE oncewatch_audit_event SET body = '{}' WHERE id = 10").execute(&state).await.unwrap();
    let found = desk.run(&["check"]);
    assert_eq!(found.code, 1, "{found:?}");
    let told = format!("The audit was changed at row 10, of operation {}", planned.id);
    assert!(found.out.contains(&told), "{found:?}");
}

/// A retry that nobody answers comes back to what needs a person, and goes when somebody does.
#[tokio::test]
async fn a_retry_without_an_effect_is_told() {
    for write in [BY_STATUS, BY_DELETING] {
        let mut site = Site::of(Engine::Sqlite, write).await;
        site.team.more = "[source.retry]\nafter = '2s'\n".into();
        site.team.insert(1, "nobody", 1, 600).await;
        site.team.insert(2, "somebody", 1, 600).await;
        let site = Site::over(site.team).await;
        let planned = site.plan(RowOperation::Retry).await.unwrap();
        site.confirm(&planned).await.unwrap();
        assert_eq!(site.run(&planned).await.done, 2);
        let (state, source) = (&site.system.state, SOURCE);
        retried::look(&site.system).await.unwrap();
        assert_eq!(
            (state.retries.without_effect(source).await.unwrap(), state.retries.retried(source).await.unwrap().len()),
            (0, 2)
        );
        let taken_up = match write {
            BY_DELETING => site.team.row(3, "somebody", 1, 0),
            _ => "UPDATE idempotent_record SET status = 1 WHERE id = 2".to_owned(),
        };
        site.team.sql(&taken_up).await;
        let minimum_age = site.system.sources[0].minimum_age(server::diagnose::Handling::default());
        // The lock's TTL of the configuration counts as well.
        assert_eq!(minimum_age, Duration::from_secs(20));
        let state_pool = sqlx::AnyPool::connect(&site.team.state.url).await.unwrap();
        sqlx::query("UPDATE oncewatch_retried SET retried_at = retried_at - 21000").execute(&state_pool).await.unwrap();
        retried::look(&site.system).await.unwrap();
        assert_eq!(
            (state.retries.without_effect(source).await.unwrap(), state.retries.retried(source).await.unwrap().len()),
            (1, 1)
        );
        let late = match write {
            BY_DELETING => site.team.row(4, "nobody", 2, 0),
            _ => "UPDATE idempotent_record SET status = 2 WHERE id = 1".to_owned(),
        };
        site.team.sql(&late).await;
        retried::look(&site.system).await.unwrap();
        assert_eq!(state.retries.retried(source).await.unwrap(), []);
    }
}
