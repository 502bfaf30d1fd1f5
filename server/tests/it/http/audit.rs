//! The audit in the browser and by `/api`: who sees what of it, how it is searched, and whether it is whole.

use crate::console::{Answer, Console, SOURCE};
use app::model::Role;
use axum::http::StatusCode;
use server::ports::state::Begin;
use server::ports::trail::{Event, EventKind};

/// A run of points that ended, with an item; a release on orders that should have ended; and one that was refused.
async fn written(console: &Console) {
    let now = console.system.clock.now();
    let begin = |id: &str, operation: &str, source: &str, actor: &str| Begin {
        operation_id: id.into(),
        operation: operation.into(),
        source: source.into(),
        actor: actor.into(),
        origin: "browser 10.0.0.7".into(),
        reason: "member service restored".into(),
        at: now,
        target: r#"{"key":"lock:1","owner":"worker-3","biz_key":"1"}"#.into(),
    };
    let (audit, trail) = (&console.system.state.audit, &console.system.state.trail);
    audit.begin(&begin("op-1", "retry", SOURCE, "lin.wei")).await.unwrap();
    let body = serde_json::json!({
        "key": "2026-1", "type": "ORDER_DONE", "status": "failed", "outcome": "failed", "why": r#"{"code":"changed"}"#,
        "before": r#"{"status":"3"}"#, "after": r#"{"status":"1"}"#,
    });
    let event = |id: &str, kind, body: String| Event {
        operation_id: id.into(),
        kind,
        actor: String::new(),
        origin: String::new(),
        at: now,
        body,
    };
    trail.note(&event("op-1", EventKind::Item, body.to_string())).await.unwrap();
    audit.complete("op-1", now, "done", r#"{"done":0,"failed":1,"skipped":0}"#).await.unwrap();
    audit.begin(&begin("op-2", "release_lock", "orders", "chen.li")).await.unwrap();
    trail.note(&event("op-2", EventKind::Unfinished, "{}".into())).await.unwrap();
    audit.begin(&begin("op-1/refused/x", "retry", SOURCE, "zhou.min")).await.unwrap();
    let refused = r#"{"refused":{"code":"phrase","phrase":"retry 1"}}"#;
    audit.complete("op-1/refused/x", now, "refused", refused).await.unwrap();
}

fn numbers(answer: &Answer) -> Vec<i64> {
    let items = answer.json()["items"].clone();
    items
        .as_array()
        .unwrap_or_else(|| panic!("{}", answer.body))
        .iter()
        .map(|item| item["number"].as_i64().unwrap())
        .collect()
}

#[tokio::test]
async fn the_page_says_who_did_what_and_how_it_ended() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    let empty = console.get(&lin, "/audit").await;
    assert!(empty.body.contains("Nothing was done yet") && empty.body.contains("Chain not checked yet"));
    written(&console).await;
    let page = console.get(&lin, "/audit").await;
    assert_eq!(page.status, StatusCode::OK);
    for says in [
        "Retry one record",
        "1 failed",
        "member service restored",
        "2026-1",
        "it changed since the plan was made",
        "status 3 → 1",
        "One operation has no end.",
        "no end, though it should have one",
        "the phrase did not match “retry 1”",
        "/s/points/operations/op-1\"",
    ] {
        assert!(page.body.contains(says), "{says}: {}", page.body);
    }
    let found = console.get(&lin, "/audit?q=by%3Azhou.*&q=end%3Arefused").await;
    assert_eq!(
        (found.status, found.header("location")),
        (StatusCode::SEE_OTHER, "/audit?q=by%3Azhou.%2A%20end%3Arefused")
    );
    let found = console.get(&lin, found.header("location")).await;
    assert!(found.body.contains("zhou.min") && !found.body.contains("chen.li<"), "{}", found.body);
    let refused = console.get(&lin, "/audit?q=since%3Anoon").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.body.contains("value=\"since:noon\"") && refused.body.contains("character 7"), "{}", refused.body);
    let one = console.get(&lin, "/audit/1").await;
    assert!(one.status == StatusCode::OK && one.body.contains("What came of it"), "{}", one.body);
    assert_eq!(console.get(&lin, "/audit/99").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn programs_search_the_same_and_see_what_is_theirs() {
    let console = Console::start().await;
    written(&console).await;
    let all = console.token("all", Role::Viewer, None).await;
    for (query, found) in [
        ("", &[3, 2, 1][..]),
        ("?q=op:retry", &[3, 1]),
        ("?q=key:2026*", &[1]),
        ("?q=item:failed+by:lin.wei", &[1]),
        ("?q=plan:op-1", &[3, 1]),
        ("?q=end:none", &[2]),
        ("?q=source:orders", &[2]),
        ("?q=since:1h&limit=1", &[3]),
        ("?before=3", &[2, 1]),
        ("?after=1", &[3, 2]),
    ] {
        assert_eq!(numbers(&console.get(&all, &format!("/api/audit{query}")).await), found, "{query}");
    }
    let first = console.get(&all, "/api/audit").await.json();
    assert_eq!((&first["unfinished"], &first["chain"]), (&serde_json::json!([2]), &serde_json::Value::Null));
    assert_eq!(first["items"][2]["events"][0]["item"]["why"]["code"], "changed");
    let bad = console.get(&all, "/api/audit?q=since:noon").await;
    assert_eq!((bad.status, bad.json()["code"].as_str()), (StatusCode::BAD_REQUEST, Some("bad_search")));

    let only = console.token("only", Role::Operator, Some(SOURCE)).await;
    let mine = console.get(&only, "/api/audit").await;
    assert_eq!((numbers(&mine), &mine.json()["unfinished"]), (vec![3, 1], &serde_json::json!([])));
    assert_eq!(numbers(&console.get(&only, "/api/audit?q=source:orders").await), [0; 0]);
    assert_eq!(console.get(&only, "/api/audit/1").await.status, StatusCode::OK);
    assert_eq!(console.get(&only, "/api/audit/2").await.status, StatusCode::NOT_FOUND);
    let sheet = console.get(&only, "/api/audit.csv?q=op:retry").await;
    let lines: Vec<&str> = sheet.body.lines().collect();
    assert!(lines[0].starts_with("number,operation_id,operation,source,") && lines.len() == 3, "{}", sheet.body);
    assert!(lines[2].starts_with("1,op-1,retry,points,lin.wei,browser 10.0.0.7,"), "{}", sheet.body);
    assert_eq!(
        console.post_json(&only, "/api/audit/check", &serde_json::json!({})).await.status,
        StatusCode::FORBIDDEN
    );
}

#[tokio::test]
async fn the_chain_is_checked_by_whoever_may() {
    let console = Console::start().await;
    written(&console).await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    let ann = console.signed_in("ann", Role::Operator).await;
    assert_eq!(console.post(&lin, "/audit/check", &[]).await.status, StatusCode::FORBIDDEN);
    let checked = console.post(&ann, "/audit/check", &[]).await;
    assert_eq!((checked.status, checked.header("location")), (StatusCode::SEE_OTHER, "/audit"));
    let page = console.get(&lin, "/audit").await;
    assert!(page.body.contains("Chain intact") && page.body.contains("7 rows"), "{}", page.body);
    console.state_sql("UPDATE oncewatch_audit SET actor = 'eve' WHERE id = 2").await;
    let script = console.token("ops", Role::Operator, None).await;
    let found = console.post_json(&script, "/api/audit/check", &serde_json::json!({})).await.json();
    assert_eq!((&found["state"]["code"], &found["state"]["at"]["id"]), (&"broken".into(), &2.into()), "{found}");
    let page = console.get(&lin, "/audit").await;
    assert!(page.body.contains("Chain broken") && page.body.contains("row 2"), "{}", page.body);
}
