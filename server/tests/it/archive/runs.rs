//! Whole runs: what they move, where the next one begins, what stops them, what the audit says.

use super::site::{ARCHIVE, OLD, Site, TABLE, YOUNG, ann};
use crate::team::{Engine, Index, Team};
use app::model::ArchiveNote;
use chrono::TimeDelta;
use server::action::archive::{Ask, RestoreAsk, Speed, Which, begin, plan, restore, wish, work_off};
use server::ports::jobs::Wish;
use tokio_util::sync::CancellationToken;

crate::team::on_every_engine!(
    a_run_moves_what_is_ripe_and_says_so,
    what_completes_behind_the_cursor_is_moved_by_the_next_run,
    fifty_thousand_rows,
    a_run_is_paused_goes_on_and_is_stopped,
    two_runners_meet,
    tables_in_numbers_have_archives_in_numbers,
    a_table_without_an_id_is_walked_as_well,
    records_come_back_by_key_and_by_time,
);

async fn a_run_moves_what_is_ripe_and_says_so(engine: Engine) {
    let site = Site::new(engine).await;
    site.insert(1, "stuck", 1, OLD * 10).await;
    site.fill(2, 400).await;
    site.insert(401, "failed", 3, OLD).await;
    site.insert(402, "young", 2, YOUNG).await;
    let planned = plan(&site.system, "points").await.unwrap();
    assert_eq!((planned.ripe(), planned.tables[0].examined), (399, 402), "{planned:?}");
    assert_eq!(site.ids_of(TABLE).await.len(), 402, "a plan changes nothing");
    let ran = site.run().await;
    assert_eq!((ran.state.as_str(), ran.moved, ran.note.as_ref()), ("done", 399, None), "{ran:?}");
    assert_eq!((ran.left.not_completed, ran.left.too_young, ran.left.locked), (2, 1, 0), "{ran:?}");
    assert_eq!(site.ids().await, (vec![1, 401, 402], (2..=400).collect::<Vec<i64>>()));

    let state = &site.system.state;
    let entry = state.audit.get(&ran.id).await.unwrap().unwrap();
    assert_eq!(
        (entry.actor.as_str(), entry.operation.as_str(), entry.outcome.as_deref()),
        ("ann", "archive", Some("done"))
    );
    let mut moved = 0;
    for number in 1..=ran.chunks {
        let chunk = state.audit.get(&format!("{}/{number}", ran.id)).await.unwrap().unwrap();
        assert_eq!((chunk.operation.as_str(), chunk.outcome.as_deref()), ("archive_chunk", Some("moved")));
        let detail: serde_json::Value = serde_json::from_str(&chunk.detail.unwrap()).unwrap();
        moved += detail["moved"].as_u64().unwrap();
    }
    assert_eq!(moved, 399);
    // Sent twice: it ran once.
    let again = begin(&site.system, Ask { operation_id: ran.id.clone(), ..site.ask() }).await.unwrap();
    assert_eq!(again, ran);
}

async fn what_completes_behind_the_cursor_is_moved_by_the_next_run(engine: Engine) {
    let site = Site::new(engine).await;
    site.insert(1, "first", 2, OLD).await;
    site.insert(2, "slow", 1, OLD).await;
    site.fill(3, 50).await;
    assert_eq!(site.run().await.moved, 49);
    let cursor = site.system.state.archive_runs.cursor("points", TABLE).await.unwrap();
    site.team.sql(&format!("UPDATE {TABLE} SET status = 2, update_time = {} WHERE id = 2", site.team.ago(OLD))).await;
    site.fill(51, 60).await;
    let ran = site.run().await;
    assert_eq!((ran.moved, ran.left.all()), (11, 0), "{cursor:?} {ran:?}");
    // The table was emptied and its ids begin anew.
    site.fill(1, 5).await;
    assert_eq!(site.run().await.moved, 5);
    let (left, archived) = site.ids().await;
    assert_eq!((left.len(), archived.len()), (0, 65));
}

async fn fifty_thousand_rows(engine: Engine) {
    let site = Site::new(engine).await;
    site.fill(1, 50_000).await;
    site.team.sql(&format!("UPDATE {TABLE} SET status = 1 WHERE id IN (1, 25000, 50000)")).await;
    let ran = site.run().await;
    assert_eq!((ran.state.as_str(), ran.moved, ran.left.not_completed), ("done", 49_997, 3), "{ran:?}");
    let (left, archived) = site.ids().await;
    assert_eq!((left, archived.len()), (vec![1, 25_000, 50_000], 49_997));
    assert!(archived.windows(2).all(|pair| pair[0] < pair[1]), "each once");
}

async fn a_run_is_paused_goes_on_and_is_stopped(engine: Engine) {
    let site = Site::new(engine).await;
    site.fill(1, 30).await;
    let begun = site.begin().await.unwrap();
    wish(&site.system, &begun.id, &ann(), Some(Wish::Pause)).await.unwrap();
    assert_eq!(site.work(&begun.id).await.state, "paused");
    assert_eq!(site.ids_of(ARCHIVE).await.len(), 0);
    wish(&site.system, &begun.id, &ann(), None).await.unwrap();
    let ran = site.work(&begun.id).await;
    assert_eq!((ran.state.as_str(), ran.moved), ("done", 30));
    assert!(wish(&site.system, &begun.id, &ann(), Some(Wish::Stop)).await.is_err(), "it is over");

    site.fill(31, 40).await;
    let second = site.begin().await.unwrap();
    wish(&site.system, &second.id, &ann(), Some(Wish::Stop)).await.unwrap();
    let stopped = site.work(&second.id).await;
    assert_eq!((stopped.state.as_str(), stopped.moved), ("stopped", 0));
    assert!(stopped.ended_at.is_some());

    // Its window was over before it came to anything.
    let until = Some(site.system.clock.now() - TimeDelta::seconds(1));
    let late = begin(&site.system, Ask { until, ..site.ask() }).await.unwrap();
    let ended = site.work(&late.id).await;
    assert_eq!((ended.state.as_str(), ended.note), ("stopped", Some(ArchiveNote::WindowEnded)));
    assert_eq!(site.ids_of(TABLE).await.len(), 10);
    assert_eq!(site.run().await.moved, 10, "the next one goes on");
}

async fn two_runners_meet(engine: Engine) {
    let site = Site::new(engine).await;
    site.fill(1, 500).await;
    let begun = site.begin().await.unwrap();
    let shutdown = CancellationToken::new();
    let work = |holder: &'static str| work_off(&site.system, &begun.id, holder, &shutdown, &|_| ());
    let (one, other) = tokio::join!(work("one"), work("other"));
    let worked = [one.unwrap(), other.unwrap()].into_iter().filter(|worked| *worked).count();
    assert!(worked >= 1);
    let ran = site.look(&begun.id).await;
    assert_eq!((ran.state.as_str(), ran.moved), ("done", 500), "{ran:?}");
    assert_eq!(site.ids().await, (vec![], (1..=500).collect::<Vec<i64>>()));
}

async fn tables_in_numbers_have_archives_in_numbers(engine: Engine) {
    let mut team = Team::new(engine, Index::None).await;
    team.tables = "log_*";
    team.archive = Some("old_log_*".into());
    for name in ["log_07", "log_08"] {
        team.sql(&team.table(name)).await;
        for id in 1..=3 {
            team.sql(&team.row_of(name, id, &format!("{name}-{id}"), 2, OLD)).await;
        }
    }
    let site = Site::of(team, "keep = \"7d\"").await;
    for name in ["log_07", "log_08"] {
        site.archiver().create(&site.permit().await, name).await.unwrap();
    }
    let ran = site.run().await;
    assert_eq!((ran.state.as_str(), ran.moved), ("done", 6), "{ran:?}");
    for name in ["log_07", "log_08"] {
        assert!(site.ids_of(name).await.is_empty());
        assert_eq!(site.ids_of(&format!("old_{name}")).await, [1, 2, 3]);
    }
    let which = Which::Key { r#type: None, key: "log_08-2".into() };
    let restored = restore(&site.system, &ask(which)).await.unwrap();
    assert_eq!(restored.done, 1);
    assert_eq!((site.ids_of("log_08").await, site.ids_of("old_log_08").await), (vec![2], vec![1, 3]));
}

async fn a_table_without_an_id_is_walked_as_well(engine: Engine) {
    for index in [Index::OnlyKey, Index::OnTime] {
        let site = Site::of(Team::new(engine, index).await, "keep = \"7d\"").await;
        site.archiver().create(&site.permit().await, TABLE).await.unwrap();
        site.fill(1, 300).await;
        site.insert(301, "stuck", 1, OLD * 10).await;
        site.insert(302, "young", 2, YOUNG).await;
        let ran = site.run().await;
        assert_eq!((ran.state.as_str(), ran.moved, ran.left.all()), ("done", 300, 2), "{index:?} {ran:?}");
        assert_eq!(site.ids_of(TABLE).await, [301, 302]);
    }
}

fn ask(which: Which) -> RestoreAsk {
    RestoreAsk {
        operation_id: uuid::Uuid::new_v4().to_string(),
        source: "points".into(),
        which,
        most: None,
        actor: ann(),
        reason: "the audit asks".into(),
    }
}

async fn records_come_back_by_key_and_by_time(engine: Engine) {
    let site = Site::new(engine).await;
    site.insert(1, "week", 2, OLD).await;
    site.insert(2, "month", 2, OLD * 4).await;
    site.insert(3, "year", 2, OLD * 45).await;
    assert_eq!(site.run().await.moved, 3);
    let restored =
        restore(&site.system, &ask(Which::Key { r#type: Some("ORDER_DONE".into()), key: "week".into() })).await;
    assert_eq!(restored.unwrap().done, 1);
    let now = site.system.clock.now();
    let (from, to) = (now - TimeDelta::days(60), now - TimeDelta::days(20));
    let restored = restore(&site.system, &ask(Which::Span { from, to })).await.unwrap();
    assert_eq!((restored.done, restored.exists), (1, 0));
    assert_eq!(site.ids().await, (vec![1, 2], vec![3]));
    // They lie behind the cursor, and are found all the same.
    let polite = begin(&site.system, Ask { speed: Speed::Polite, ..site.ask() }).await.unwrap();
    assert_eq!(site.work(&polite.id).await.moved, 2);

    // Consumed again after it was archived.
    site.insert(9, "week", 2, 0).await;
    let restored = restore(&site.system, &ask(Which::Key { r#type: None, key: "week".into() })).await.unwrap();
    assert_eq!((restored.done, restored.exists), (0, 1));
    let (left, archived) = site.ids().await;
    assert_eq!((left, archived), (vec![9], vec![1, 2, 3]));
}
