//! Operations on rows as a browser asks for them.

use crate::console::{Answer, Console, Who};
use crate::site::BY_STATUS;
use crate::team::{Engine, Index, Team};
use app::model::Role;
use axum::http::StatusCode;
use server::action::rows::run;
use std::time::Duration;

/// A team with so many failed rows, the console over it, and somebody at its browser.
async fn desk(rows: u64, write: Option<&'static str>) -> (Team, Console, Who) {
    let mut team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    team.write = write;
    for id in 1..=rows {
        team.insert(id, &format!("k{id:02}"), 3, 600).await;
    }
    let console = Console::of(team.config()).await;
    let ann = console.signed_in("ann", Role::Operator).await;
    (team, console, ann)
}

/// The form of the list of records, as it is sent.
async fn plan(console: &Console, who: &Who, more: &[(&str, &str)]) -> Answer {
    let form = [&[("operation_id", "op-1"), ("back", "/s/points/records?status=failed")], more].concat();
    console.post(who, "/s/points/operations", &form).await
}

async fn page(console: &Console, who: &Who, path: &str) -> String {
    let answer = console.get(who, path).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    answer.body
}

#[tokio::test]
async fn what_is_selected_is_planned_confirmed_and_run_once() {
    let (_team, console, ann) = desk(3, Some(BY_STATUS)).await;
    let list = page(&console, &ann, "/s/points/records?status=failed").await;
    assert_eq!(list.matches("name=\"ref\"").count(), 3, "{list}");
    let of = |key: &str| {
        let row = list.split("<tr data-row=\"").find(|row| row.contains(key)).unwrap();
        row.split('"').next().unwrap().to_owned()
    };
    let (one, two) = (of("k01"), of("k02"));
    let nothing = plan(&console, &ann, &[("operation", "mark_dead"), ("scope", "rows")]).await;
    assert_eq!(nothing.header("location"), "/s/points/records?status=failed");
    assert!(nothing.cookie("oncewatch_flash").is_some(), "it is said that nothing was picked");

    let fields = [("operation", "mark_dead"), ("scope", "rows"), ("ref", &*one), ("ref", &*two)];
    let planned = plan(&console, &ann, &fields).await;
    assert_eq!(planned.status, StatusCode::SEE_OTHER, "{}", planned.body);
    let there = planned.header("location").to_owned();
    assert!(there.starts_with("/s/points/operations/op-1-"), "{there}");
    assert_eq!(plan(&console, &ann, &fields).await.header("location"), there, "sent twice");
    let other = plan(&console, &ann, &[("operation", "mark_dead"), ("scope", "rows"), ("ref", &*one)]).await;
    assert_ne!(other.header("location"), there, "gone back, and another selection");
    let shown = page(&console, &ann, &there).await;
    for said in ["Mark dead: 2 of 2 records", "k01", "Mark 2 records dead", "until somebody has touched"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }

    let unreasoned = console.post(&ann, &format!("{there}/confirm"), &[("reason", " ")]).await;
    assert_eq!(unreasoned.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(unreasoned.body.contains("id=\"reason-wrong\""), "{}", unreasoned.body);
    for _ in 0..2 {
        let confirmed = console.post(&ann, &format!("{there}/confirm"), &[("reason", "account is closed")]).await;
        assert_eq!((confirmed.status, confirmed.header("location")), (StatusCode::SEE_OTHER, &*there));
    }
    let waiting = page(&console, &ann, &there).await;
    assert!(waiting.contains("data-again") && waiting.contains("http-equiv=\"refresh\""), "{waiting}");
    assert!(page(&console, &ann, "/s/points/operations").await.contains("waiting"));
    let id = there.rsplit('/').next().unwrap();
    assert_eq!(run(&console.system, id, "here").await.unwrap().done, 2);

    let ran = page(&console, &ann, &there).await;
    for said in ["done", "account is closed", &format!("/audit?q=plan:{id}"), "Undo 2 records"] {
        assert!(ran.contains(said), "{said}: {ran}");
    }
    assert!(!ran.contains("data-again"), "it is over");
    let refused = console.post(&ann, &format!("{there}/pause"), &[]).await;
    assert_eq!(refused.header("location"), there);
    let items =
        console.get(&ann, &format!("/api/sources/points/operations/{id}/items?outcome=done&limit=1")).await.json();
    assert_eq!((&items["items"][0]["outcome"], &items["next"]), (&"done".into(), &0.into()), "{items}");
    let csv = console.get(&ann, &format!("/api/sources/points/operations/{id}/items.csv")).await;
    assert_eq!((csv.status, csv.body.lines().count()), (StatusCode::OK, 3), "{}", csv.body);

    let undo = [("operation_id", "undo-1"), ("reason", "the wrong ones")];
    assert_eq!(console.post(&ann, &format!("{there}/undo"), &undo).await.header("location"), there);
    assert!(page(&console, &ann, &there).await.contains("Everything that was done is undone."));
    assert_eq!(console.get(&ann, "/s/points/operations/no-such").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn many_rows_want_their_phrase_and_what_was_typed_stays() {
    let (_team, console, ann) = desk(51, Some(BY_STATUS)).await;
    let all = [("operation", "mark_dead"), ("scope", "match"), ("status", "failed"), ("q", "")];
    let there = plan(&console, &ann, &all).await.header("location").to_owned();
    let confirm = format!("{there}/confirm");
    let wrong = console.post(&ann, &confirm, &[("reason", "closed & gone"), ("phrase", "mark dead 15")]).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    for said in ["closed &amp; gone", "value=\"mark dead 15\"", "id=\"phrase-wrong\"", "That is not the phrase"] {
        assert!(wrong.body.contains(said), "{said}: {}", wrong.body);
    }
    assert!(wrong.body.contains(&format!("name=\"back\" value=\"{there}\"")), "the menu leads back to the plan");
    let right = console.post(&ann, &confirm, &[("reason", "closed"), ("phrase", " mark dead 51 ")]).await;
    assert_eq!(right.status, StatusCode::SEE_OTHER, "{}", right.body);
    let first = page(&console, &ann, &there).await;
    assert!(first.contains("Mark 51 records dead") && first.contains("?after=49"), "{first}");
    let last = page(&console, &ann, &format!("{there}?after=49")).await;
    assert_eq!(last.matches("class=\"lead key").count(), 1, "{last}");
}

#[tokio::test]
async fn an_old_plan_says_so_and_can_be_made_anew() {
    let (_team, console, ann) = desk(2, Some(BY_STATUS)).await;
    let all = [("operation", "mark_dead"), ("scope", "match"), ("q", "status:failed key:k*")];
    let there = plan(&console, &ann, &all).await.header("location").to_owned();
    console.clock.advance(Duration::from_secs(31 * 60));
    let late = console.post(&ann, &format!("{there}/confirm"), &[("reason", "too late")]).await;
    assert_eq!(late.header("location"), there);
    let shown = page(&console, &ann, &there).await;
    assert!(shown.contains("This plan is too old") && shown.contains("Plan it again"), "{shown}");
    assert!(shown.contains("name=\"q\" value=\"status:failed key:k*\"") && !shown.contains("/confirm"), "{shown}");
}

#[tokio::test]
async fn who_may_not_and_what_cannot_be_done_are_told() {
    let (_team, console, _) = desk(1, Some(BY_STATUS)).await;
    let vic = console.signed_in("vic", Role::Viewer).await;
    let list = page(&console, &vic, "/s/points/records").await;
    assert!(list.contains("Your role does not allow it") && !list.contains("name=\"operation\""), "{list}");
    let refused = plan(&console, &vic, &[("operation", "mark_dead"), ("scope", "page")]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);

    let (_team, console, ann) = desk(1, None).await;
    let list = page(&console, &ann, "/s/points/records").await;
    assert!(list.contains("no [source.records.write]") && !list.contains("name=\"ref\""), "{list}");
    assert!(page(&console, &ann, "/s/points/lookup?key=k01").await.contains("no [source.records.write]"));

    let (_team, console, ann) = desk(1, Some("touch = true")).await;
    let list = page(&console, &ann, "/s/points/records").await;
    assert!(list.contains("[source.records.write] does not say release."), "{list}");
    assert!(list.contains("value=\"mark_dead\"") && !list.contains("value=\"retry\""), "{list}");
    let refused = plan(&console, &ann, &[("operation", "retry"), ("scope", "match"), ("q", "")]).await;
    assert_eq!(refused.header("location"), "/s/points/records?status=failed");
    let shown = page(&console, &ann, "/s/points/lookup?key=k01").await;
    assert!(shown.contains("value=\"mark_dead\"") && shown.contains("not from this status"), "{shown}");
}

/// Whoever would write has no right to.
#[tokio::test]
async fn a_missing_grant_is_named() {
    for engine in [Engine::Mariadb, Engine::Postgres] {
        let mut team = Team::new(engine, Index::None).await.with_redis().await;
        let name = format!("reader_{}", uuid::Uuid::new_v4().simple());
        let mut url: url::Url = team.database.url.parse().unwrap();
        url.set_username(&name).unwrap();
        url.set_password(Some("pw")).unwrap();
        let (make, to) = match engine {
            Engine::Mariadb => {
                (format!("CREATE USER {name}@'127.0.0.1' IDENTIFIED BY 'pw'"), format!("{name}@'127.0.0.1'"))
            }
            _ => (format!("CREATE ROLE {name} LOGIN PASSWORD 'pw'"), name.clone()),
        };
        team.sql(&make).await;
        team.sql(&format!("GRANT SELECT ON idempotent_record TO {to}")).await;
        team.write = Some(String::leak(format!("url = \"{url}\"\n{BY_STATUS}")));
        team.insert(1, "one", 3, 600).await;
        let console = Console::of(team.config()).await;
        let ann = console.signed_in("ann", Role::Operator).await;
        let list = page(&console, &ann, "/s/points/records").await;
        assert!(list.contains("The account that writes may not. Missing: GRANT UPDATE ON"), "{engine:?}: {list}");
        team.sql(&format!("GRANT UPDATE ON idempotent_record TO {to}")).await;
        console.clock.advance(Duration::from_secs(61));
        let list = page(&console, &ann, "/s/points/records").await;
        assert!(list.contains("value=\"mark_dead\""), "{engine:?}: {list}");
        team.sql(&if engine == Engine::Mariadb { format!("DROP USER {to}") } else { format!("DROP OWNED BY {to}") })
            .await;
    }
}
