//! Filters of the Locks page and of `/api`: in the URL, without a script, counts untouched.

use crate::console::{Console, SOURCE};
use app::model::{Count, Lock, LockRow, LockState, LocksPanel, Panel, Role};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};

fn row(of: &str, key: &str, state: LockState, owner: &str) -> LockRow {
    LockRow {
        lock: Lock { state, key: format!("l:{of}:{key}"), owner: Some(owner.into()), ttl_ms: None },
        r#type: Some(of.into()),
        key: key.into(),
        record_status: None,
        reference: None,
        count: None,
        watched_ms: 0,
        not_releasable: None,
    }
}

async fn console() -> Console {
    let console = Console::start().await;
    let rows = vec![
        row("ORDER", "4711", LockState::Eternal, "Worker-A"),
        row("REFUND", "4712", LockState::Eternal, "worker-b"),
        row("ORDER", "4713 & co", LockState::Orphan, "worker-c"),
    ];
    let read_at: DateTime<Utc> = console.system.clock.now();
    let body = LocksPanel {
        store: "cache:6379/0".into(),
        kind: "string".into(),
        pattern: "l:{type}:{key}".into(),
        ttl_ms: None,
        held: Count::exact(0),
        expiring: Count::exact(0),
        done: Count::exact(0),
        eternal: Count::exact(2),
        orphan: Count::exact(1),
        unprotected: Count::exact(0),
        unknown: Some(Count::exact(0)),
        shared_owner: None,
        scan: None,
        scan_slow_ms: None,
        verdicts: Vec::new(),
        fits: Vec::new(),
        rows,
        next: None,
        problems: Vec::new(),
    };
    let panel = Panel { version: 9, read_at: Some(read_at), period_ms: 60_000, trouble: None, body: Some(body) };
    console.system.board.put(SOURCE, "locks", 9, &serde_json::to_string(&panel).unwrap());
    console
}

const CASES: [(&str, &[&str]); 8] = [
    ("", &["4711", "4712", "4713 & co"]),
    ("?state=eternal", &["4711", "4712"]),
    ("?state=orphan", &["4713 & co"]),
    ("?type=ORDER", &["4711", "4713 & co"]),
    ("?state=eternal&type=ORDER", &["4711"]),
    ("?q=WORKER-A", &["4711"]),
    ("?q=13+%26", &["4713 & co"]),
    ("?state=held", &[]),
];

#[tokio::test]
async fn the_api_gives_the_rows_that_match_and_the_counts_of_all() {
    let console = console().await;
    let viewer = console.token("viewer", Role::Viewer, None).await;
    for (query, keys) in CASES {
        let answer = console.get(&viewer, &format!("/api/sources/{SOURCE}/locks{query}")).await.json();
        let rows = answer["body"]["rows"].as_array().unwrap();
        let found: Vec<&str> = rows.iter().map(|row| row["key"].as_str().unwrap()).collect();
        assert_eq!(found, keys, "{query}");
        assert_eq!(answer["body"]["eternal"]["value"], 2, "{query}");
    }
    let refused = console.get(&viewer, &format!("/api/sources/{SOURCE}/locks?state=broken")).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.body.contains("eternal, unprotected, orphan, unknown, expiring, held"), "{}", refused.body);
    let document = console.get(&viewer, "/api/openapi.json").await.json();
    let parameters = document["paths"]["/api/sources/{source}/locks"]["get"]["parameters"].as_array().unwrap();
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["source", "state", "type", "q", "after"]);
}

#[tokio::test]
async fn the_page_shows_the_same_and_each_lock_leads_to_its_look_up() {
    let console = console().await;
    let lin = console.signed_in("lin.wei", Role::Operator).await;
    for (query, keys) in CASES {
        let page = console.get(&lin, &format!("/s/{SOURCE}/locks{query}")).await.body;
        for (of, key, escaped) in
            [("ORDER", "4711", "4711"), ("REFUND", "4712", "4712"), ("ORDER", "4713 & co", "4713%20%26%20co")]
        {
            let link = format!("/s/{SOURCE}/lookup?type={of}&amp;key={escaped}");
            assert_eq!(page.contains(&link), keys.contains(&key), "{query}: {key}");
        }
    }
    let page = console.get(&lin, &format!("/s/{SOURCE}/locks?state=eternal&type=ORDER&q=47")).await.body;
    // The state's links keep what else was chosen, and the form keeps the state.
    assert!(page.contains(&format!("/s/{SOURCE}/locks?state=orphan&amp;type=ORDER&amp;q=47")), "{page}");
    assert!(page.contains(r#"name="state" value="eternal""#) && page.contains(r#"value="47""#));
    let none = console.get(&lin, &format!("/s/{SOURCE}/locks?state=held")).await.body;
    assert!(none.contains("No lock matches"));
    let refused = console.get(&lin, &format!("/s/{SOURCE}/locks?state=broken")).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
}
