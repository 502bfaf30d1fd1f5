//! Archiving in the browser and by `/api`: plan, confirm, steer, and back again.

use crate::archive::site::{ARCHIVE, OLD, Site, YOUNG};
use crate::console::{Console, SOURCE};
use crate::team::Engine;
use app::model::Role;
use axum::http::StatusCode;
use serde_json::json;

/// A site whose archive is not there yet, and a console over it.
async fn over_a_table() -> (Site, Console) {
    let site = Site::without_archive(Engine::Sqlite, "keep = \"7d\"\nschedule = \"0 3 * * *\"").await;
    for (id, key, status, age_s) in [(1, "done", 2, OLD), (2, "stuck", 1, OLD), (3, "young", 2, YOUNG)] {
        site.insert(id, key, status, age_s).await;
    }
    let console = Console::of(site.team.config()).await;
    (site, console)
}

fn path(rest: &str) -> String {
    format!("/s/{SOURCE}/archive{rest}")
}

#[tokio::test]
async fn a_source_without_an_archive_says_how_to_have_one() {
    let console = Console::start().await;
    let ann = console.signed_in("ann", Role::Operator).await;
    let page = console.get(&ann, &path("")).await;
    assert!(page.status == StatusCode::OK && page.body.contains("[source.archive]"), "{}", page.body);
    let token = console.token("ops", Role::Operator, None).await;
    let answer = console.get(&token, "/api/sources/points/archive").await.json();
    assert_eq!((&answer["policy"], &answer["runs"]), (&json!(null), &json!([])));
    let plan = console.get(&token, "/api/sources/points/archive/plan").await;
    assert_eq!((plan.status, plan.json()["code"].as_str()), (StatusCode::NOT_FOUND, Some("not_configured")));
}

#[tokio::test]
async fn forms_plan_confirm_steer_and_restore() {
    let (site, console) = over_a_table().await;
    let ann = console.signed_in("ann", Role::Operator).await;
    let vic = console.signed_in("vic", Role::Viewer).await;
    let page = console.get(&vic, &path("")).await;
    assert!(page.body.contains("CREATE TABLE") && page.body.contains("0 3 * * *"), "{}", page.body);
    assert_eq!(console.get(&vic, &path("/plan")).await.status, StatusCode::FORBIDDEN);
    assert_eq!(console.post(&vic, &path("/run"), &[]).await.status, StatusCode::FORBIDDEN);

    let plan = console.get(&ann, &path("/plan")).await;
    for says in ["Archive one record", "name=\"create\"", "archive points", "Not completed", "Too young"] {
        assert!(plan.body.contains(says), "{says}: {}", plan.body);
    }
    let said = |phrase: &'static str, create: bool| {
        let mut fields = vec![("operation_id", "op-1"), ("reason", "room"), ("phrase", phrase), ("planned", "1")];
        fields.extend(create.then_some(("create", "yes")));
        fields
    };
    let wrong = console.post(&ann, &path("/run"), &said("archive", true)).await;
    assert_eq!((wrong.status, wrong.header("location")), (StatusCode::SEE_OTHER, &*path("/plan")));
    let tried = console.get(&ann, "/api/audit?q=end:refused").await.json();
    assert_eq!((&tried["items"][0]["operation"], &tried["items"][0]["actor"]), (&json!("archive"), &json!("ann")));
    let missing = console.post(&ann, &path("/run"), &said("archive points", false)).await;
    assert_eq!(missing.header("location"), path("/plan"), "nothing is made that nobody asked for");
    let begun = console.post(&ann, &path("/run"), &said("archive points", true)).await;
    assert_eq!(begun.header("location"), path(""), "{}", begun.body);
    assert_eq!(
        console.post(&ann, &path("/run"), &said("archive points", true)).await.header("location"),
        path(""),
        "sent twice"
    );
    let page = console.get(&ann, &path("")).await;
    assert!(page.body.contains("waiting") && page.body.contains("Reason: room"), "{}", page.body);

    let paused = console.post(&ann, &path("/pause"), &[("run", "op-1")]).await;
    assert_eq!(paused.header("location"), path(""));
    assert_eq!(site.work("op-1").await.state, "paused");
    assert!(console.get(&ann, &path("")).await.body.contains("Go on"));
    console.post(&ann, &path("/resume"), &[("run", "op-1")]).await;
    assert_eq!(site.work("op-1").await.moved, 1);
    let page = console.get(&ann, &path("")).await;
    assert!(page.body.contains("completed") && !page.body.contains("Go on"), "{}", page.body);
    assert_eq!(
        console.get(&ann, "/api/audit?q=plan:op-1+op:archive").await.json()["items"][0]["events"][0]["kind"],
        "paused"
    );

    let found = console.get(&ann, &path("/restore?key=done&type=&from=&to=")).await;
    assert!(found.body.contains("Restore one record") && !found.body.contains("id=\"phrase\""), "{}", found.body);
    let fields = [("operation_id", "op-2"), ("reason", "a customer asks"), ("key", "done"), ("found", "1")];
    let back = console.post(&ann, &path("/restore"), &fields).await;
    assert_eq!(back.header("location"), path(""), "{}", back.body);
    assert_eq!(site.ids().await, (vec![1, 2, 3], vec![]));
    let nothing = console.get(&ann, &path("/restore")).await;
    assert_eq!(nothing.status, StatusCode::SEE_OTHER, "nothing was said");
}

#[tokio::test]
async fn programs_do_the_same() {
    let (site, console) = over_a_table().await;
    let api = |rest: &str| format!("/api/sources/{SOURCE}/archive{rest}");
    let viewer = console.token("viewer", Role::Viewer, None).await;
    let ops = console.token("ops", Role::Operator, Some(SOURCE)).await;
    assert_eq!(console.get(&viewer, &api("")).await.status, StatusCode::OK);
    assert_eq!(console.get(&viewer, &api("/plan")).await.status, StatusCode::FORBIDDEN);
    assert_eq!(console.post_json(&viewer, &api(""), &json!({})).await.status, StatusCode::FORBIDDEN);

    let plan = console.get(&ops, &api("/plan")).await.json();
    assert_eq!((&plan["tables"][0]["ripe"], &plan["phrase"]), (&json!(1), &json!("archive points")), "{plan}");
    let run = |phrase: &str| json!({"operation_id": "op-1", "reason": "room", "phrase": phrase, "create_table": true});
    let wrong = console.post_json(&ops, &api(""), &run("yes")).await;
    assert_eq!((wrong.status, wrong.json()["code"].as_str()), (StatusCode::UNPROCESSABLE_ENTITY, Some("phrase")));
    let begun = console.post_json(&ops, &api(""), &run("archive points")).await.json();
    assert_eq!((&begun["state"], &begun["number"]), (&json!("waiting"), &json!(1)), "{begun}");
    let second = json!({"operation_id": "op-9", "reason": "room", "phrase": "archive points"});
    let another = console.post_json(&ops, &api(""), &second).await;
    assert_eq!((another.status, another.json()["code"].as_str()), (StatusCode::CONFLICT, Some("another_run")));
    site.work("op-1").await;
    assert_eq!(site.ids_of(ARCHIVE).await, [1]);
    let over = console.post_json(&ops, &api("/stop"), &json!({"run": "op-1"})).await;
    assert_eq!(over.status, StatusCode::CONFLICT);
    let standing = console.get(&ops, &api("")).await.json();
    assert_eq!((&standing["current"], &standing["runs"][0]["moved"]), (&json!(null), &json!(1)), "{standing}");
    assert_eq!(standing["warnings"][0]["code"], "broker_age_unknown");

    let nothing = console.get(&ops, &api("/restore")).await;
    assert_eq!(nothing.status, StatusCode::BAD_REQUEST);
    let found = console.get(&ops, &api("/restore?from=2000-01-01&to=2100-01-01")).await.json();
    assert_eq!((&found["found"], &found["sample"][0]["key"]), (&json!(1), &json!("done")), "{found}");
    let ask = json!({"operation_id": "op-2", "reason": "back", "key": "done", "found": 1});
    let restored = console.post_json(&ops, &api("/restore"), &ask).await.json();
    assert_eq!(restored["restored"]["done"], 1, "{restored}");
    let twice = console.post_json(&ops, &api("/restore"), &ask).await;
    assert_eq!((twice.status, twice.json()["code"].as_str()), (StatusCode::CONFLICT, Some("unfinished")));
    assert_eq!(site.ids_of("idempotent_record").await, [1, 2, 3]);
}
