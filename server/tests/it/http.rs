//! Promises of the web as a whole.

mod archive;
mod audit;
mod course;
mod csv;
mod ingest;
mod operations;
mod security;

use crate::console::{Console, SOURCE, anonymous};
use app::model::{Panel, Role};
use axum::body::Body;
use axum::http::{Method, StatusCode};
use futures::StreamExt;
use server::http::openapi::Document;
use server::http::routes::table;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use utoipa::OpenApi;

#[tokio::test]
async fn every_page_is_there_for_who_may_see_it() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    console.sql("INSERT INTO idempotent_record (biz_id, biz_type, status) VALUES ('42', 'ORDER_DONE', 1)").await;
    for path in [
        "overview",
        "records",
        "records?status=processing",
        "lookup",
        "lookup?type=ORDER_DONE&key=42",
        "locks",
        "brokers",
        "archive",
    ] {
        let page = console.get(&lin, &format!("/s/points/{path}")).await;
        assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.body);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
    }
    assert_eq!(console.get(&lin, "/").await.header("location"), "/s/points/overview");
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::OK);
    assert_eq!(console.get(&lin, "/audit").await.status, StatusCode::OK);

    let items = console.get(&lin, "/api/sources/points/records").await.json()["items"].clone();
    let reference = items[0]["ref"].as_str().unwrap();
    let record = console.get(&lin, &format!("/s/points/records/{reference}")).await;
    assert_eq!(record.status, StatusCode::OK);
    assert!(record.body.contains("ORDER_DONE"));
    assert_eq!(console.get(&lin, &format!("/api/sources/points/records/{reference}")).await.json()["key"], "42");
    console.sql("DELETE FROM idempotent_record").await;
    assert_eq!(console.get(&lin, &format!("/s/points/records/{reference}")).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_is_not_there_is_said_to_people_and_programs() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    let page = console.get(&lin, "/nothing").await;
    assert_eq!((page.status, page.header("content-type")), (StatusCode::NOT_FOUND, "text/html; charset=utf-8"));
    assert!(page.body.contains("There is nothing here"));
    let api = console.get(&lin, "/api/nothing").await;
    assert_eq!((api.status, api.header("content-type")), (StatusCode::NOT_FOUND, "application/problem+json"));
    assert_eq!(api.json()["code"], "not_found");
    assert_eq!(api.json()["request_id"], api.header("x-request-id"));
    assert_eq!(console.get(&lin, "/s/nothing/overview").await.status, StatusCode::NOT_FOUND);
    assert_eq!(console.get(&lin, "/api/sources/nothing/overview").await.json()["code"], "no_source");
    let request = console.request(&lin, Method::DELETE, "/settings").body(Body::empty()).unwrap();
    assert_eq!(console.send(request).await.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn a_search_is_the_same_for_pages_and_programs() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    console
        .sql("INSERT INTO idempotent_record (biz_id, biz_type, status) VALUES ('2023-1', 'A B', 1), ('2023-2', 'A B', 7), ('2024-1', 'C', 2)")
        .await;
    let keys = async |query: &str| -> Vec<String> {
        let answer = console.get(&lin, &format!("/api/sources/points/records?{query}")).await;
        let items = answer.json()["items"].clone();
        items
            .as_array()
            .unwrap_or_else(|| panic!("{}", answer.body))
            .iter()
            .map(|item| item["key"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(keys("q=key:2023*").await, ["2023-2", "2023-1"]);
    assert_eq!(keys("q=key:2023*+type:%22A+B%22&status=processing").await, ["2023-1"]);
    let unmapped = console.get(&lin, "/api/sources/points/records?q=2023-2").await.json()["items"][0].clone();
    assert_eq!((&unmapped["status"], &unmapped["code"]), (&"unmapped".into(), &"7".into()));

    let whole = console.get(&lin, "/s/points/records?q=status:unmapped+2023*").await;
    assert_eq!(whole.header("location"), "/s/points/records?status=unmapped&q=key%3A2023%2A");
    let page = console.get(&lin, whole.header("location")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(
        page.body.contains("2023-2") && !page.body.contains("2023-1") && page.body.contains("stored as 7"),
        "{}",
        page.body
    );
    // What a form without script sends, and where it leads.
    let sent = console.get(&lin, "/s/points/records?status=unmapped&q=age%3A%3C1h&q=key%3A2023*+type%3AC").await;
    assert_eq!(
        (sent.status, sent.header("location")),
        (StatusCode::SEE_OTHER, "/s/points/records?status=unmapped&type=C&q=key%3A2023%2A%20age%3A%3C1h")
    );
    let cleared = console.get(&lin, "/s/points/records?status=unmapped&q=").await;
    assert_eq!(cleared.header("location"), "/s/points/records?status=unmapped");
    let spaced = console.get(&lin, "/s/points/records?q=type%3A%22+x%22&q=").await;
    assert_eq!(spaced.header("location"), "/s/points/records?q=type%3A%22%20x%22");
    assert_eq!(console.get(&lin, spaced.header("location")).await.status, StatusCode::OK);

    let refused = console.get(&lin, "/s/points/records?status=failed&q=age:ten").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.body.contains("value=\"age:ten\"") && refused.body.contains("character 5"), "{}", refused.body);
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_named() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    for (path, code, says) in [
        ("records?status=lost", "bad_input", "parameter status"),
        ("records?limit=many", "bad_input", "parameter limit"),
        ("records?q=stauts:failed", "bad_search", "character 1: \"stauts\""),
        ("records?q=status:failed&status=dead", "bad_search", "status is given twice"),
        ("lookup", "bad_input", "parameter key"),
    ] {
        let answer = console.get(&lin, &format!("/api/sources/points/{path}")).await;
        let problem = answer.json();
        assert_eq!((answer.status, problem["code"].as_str()), (StatusCode::BAD_REQUEST, Some(code)), "{path}");
        assert!(problem["detail"].as_str().unwrap().contains(says), "{path}: {}", answer.body);
        assert!(problem["fault"].is_object(), "{path}: {}", answer.body);
    }
}

#[tokio::test]
async fn any_key_can_be_looked_up_and_is_shown_as_text() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Operator).await;
    let long = "长".repeat(1_365);
    for key in [
        "</script><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "'; DROP TABLE x; --",
        "🙈 订单/1?&#%",
        &long,
    ] {
        let encoded: String = url::form_urlencoded::byte_serialize(key.as_bytes()).collect();
        let page = console.get(&lin, &format!("/s/points/lookup?type=ORDER_DONE&key={encoded}")).await;
        assert_eq!(page.status, StatusCode::OK, "{key}");
        assert!(!page.body.contains("<script>alert") && !page.body.contains("<img src=x"), "{key}");
        let found = console.get(&lin, &format!("/api/sources/points/lookup?type=ORDER_DONE&key={encoded}")).await;
        assert_eq!(found.json()["key"], key);
    }
}

#[tokio::test]
async fn language_and_theme_are_the_browsers_and_then_what_was_chosen() {
    let console = Console::start().await;
    let page = |headers: &'static [(&'static str, &'static str)]| {
        let request =
            headers.iter().fold(console.request(&anonymous(), Method::GET, "/signin"), |request, (name, value)| {
                request.header(*name, *value)
            });
        console.send(request.body(Body::empty()).unwrap())
    };
    assert!(page(&[]).await.body.contains("lang=\"en\""));
    assert!(page(&[("accept-language", "zh-CN,zh;q=0.9")]).await.body.contains("lang=\"zh-CN\""));
    let body = page(&[("accept-language", "en"), ("cookie", "oncewatch_lang=zh; oncewatch_theme=dark")]).await.body;
    assert!(body.contains("lang=\"zh-CN\"") && body.contains("data-theme=\"dark\""), "{body}");

    let saved = console.post(&anonymous(), "/preferences", &[("lang", "zh"), ("back", "/signin?next=%2F")]).await;
    assert_eq!((saved.status, saved.header("location")), (StatusCode::SEE_OTHER, "/signin?next=%2F"));
    assert_eq!(saved.cookie("oncewatch_lang").as_deref(), Some("zh"));
    assert_eq!(saved.cookie("oncewatch_theme"), None);
    let elsewhere = console.post(&anonymous(), "/preferences", &[("theme", "dark"), ("back", "//evil.example")]).await;
    assert_eq!(elsewhere.header("location"), "/");
}

#[tokio::test]
async fn the_document_describes_exactly_the_api_of_the_table() {
    let routes: BTreeSet<(String, String)> = table()
        .iter()
        .filter(|route| route.path.starts_with("/api/"))
        .map(|route| (route.method.as_str().to_lowercase(), route.path.to_owned()))
        .collect();
    let document = serde_json::to_value(Document::openapi()).unwrap();
    let described: BTreeSet<(String, String)> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| item.as_object().unwrap().keys().map(|method| (method.clone(), path.clone())))
        .collect();
    assert_eq!(routes, described);
}

#[tokio::test]
async fn every_reference_of_the_document_leads_somewhere() {
    let document = serde_json::to_value(Document::openapi()).unwrap();
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
}

#[tokio::test]
async fn assets_are_revalidated_and_compressed() {
    let console = Console::start().await;
    let css = console.get(&anonymous(), "/pkg/oncewatch.css").await;
    assert_eq!((css.status, css.header("content-type")), (StatusCode::OK, "text/css; charset=utf-8"));
    let request =
        console.request(&anonymous(), Method::GET, "/pkg/oncewatch.css").header("if-none-match", css.header("etag"));
    assert_eq!(console.send(request.body(Body::empty()).unwrap()).await.status, StatusCode::NOT_MODIFIED);
    for encoding in ["br", "gzip"] {
        let request =
            console.request(&anonymous(), Method::GET, "/pkg/oncewatch.css").header("accept-encoding", encoding);
        assert_eq!(console.send(request.body(Body::empty()).unwrap()).await.header("content-encoding"), encoding);
    }
}

/// A tag that compression had to weaken is one of a file that was compressed for this visit.
#[tokio::test]
async fn what_the_build_compressed_is_served_as_it_is() {
    let console = Console::start().await;
    for path in ["/pkg/oncewatch.wasm", "/pkg/oncewatch.js"] {
        let ask = async |encodings: &str| {
            let request = console.request(&anonymous(), Method::GET, path).header("accept-encoding", encodings);
            console.send(request.body(Body::empty()).unwrap()).await
        };
        let (small, plain) = (ask("gzip, br").await, ask("br;q=0").await);
        assert_eq!((small.header("content-encoding"), small.header("vary")), ("br", "accept-encoding"), "{path}");
        assert!(!small.header("etag").starts_with("W/"), "{path}");
        assert_eq!(plain.status, StatusCode::OK);
        assert_ne!(small.header("etag"), plain.header("etag"), "{path}");
    }
}

#[tokio::test]
async fn probes_answer_machines() {
    let console = Console::start().await;
    assert_eq!(console.get(&anonymous(), "/healthz").await.body, "ok\n");
    let ready = console.get(&anonymous(), "/readyz").await;
    assert_eq!((ready.status, ready.body.as_str()), (StatusCode::OK, "ready\n"));
    let scraper = console.token("prometheus", Role::Viewer, None).await;
    let metrics = console.get(&scraper, "/metrics").await;
    assert_eq!(metrics.status, StatusCode::OK);
    assert!(metrics.header("content-type").starts_with("text/plain; version=0.0.4"));
}

#[tokio::test]
async fn a_stream_gives_what_is_there_then_what_changes_and_ends_with_the_server() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    let panel = |attempts: u64| serde_json::to_string(&Panel::<()>::waiting(attempts)).unwrap();
    console.system.board.put(SOURCE, "records", 7, &panel(1));

    let request = console.request(&lin, Method::GET, "/api/events?source=points").body(Body::empty()).unwrap();
    let (parts, body) = console.stream(request).await;
    assert_eq!((parts.status, &parts.headers["content-type"]), (StatusCode::OK, &"text/event-stream".parse().unwrap()));
    let mut events = body.into_data_stream();
    let mut next = async || {
        let event = tokio::time::timeout(Duration::from_secs(60), events.next()).await.expect("an event in time");
        event.map(|bytes| String::from_utf8(bytes.unwrap().to_vec()).unwrap())
    };
    let first = next().await.unwrap();
    assert!(first.contains("event: records") && first.contains("id: 7") && first.contains("\"version\":7"), "{first}");

    console.system.board.put("orders", "records", 8, &panel(1));
    console.system.board.put(SOURCE, "locks", 9, &panel(2));
    let second = next().await.unwrap();
    assert!(second.contains("event: locks") && second.contains("\"period_ms\":2"), "{second}");

    // More than the channel holds while nobody listens: the latest is what arrives.
    for version in 10..400 {
        console.system.board.put(SOURCE, "records", version, &panel(3));
    }
    let latest = next().await.unwrap();
    assert!(latest.contains("id: 399"), "{latest}");

    console.shutdown.cancel();
    assert_eq!(next().await, None);
    assert_eq!(console.get(&lin, "/api/events?source=nothing").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_server_ends_soon_although_a_page_is_open() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let reads = Arc::new(server::reads::LiveReads::new(console.system.clone()));
    let serving = server::http::serve(console.system.clone(), reads, listener, console.shutdown.clone());
    let serving = server::telemetry::task::spawn("serve-test", serving);

    let mut page = TcpStream::connect(address).await.unwrap();
    let cookie = lin.cookie.unwrap();
    let request = format!("GET /api/events?source=points HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n\r\n");
    page.write_all(request.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    page.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");

    console.shutdown.cancel();
    tokio::time::timeout(Duration::from_secs(60), serving).await.expect("it ends").unwrap().unwrap();
}

#[tokio::test]
async fn a_broken_state_is_said_and_nobody_gets_in() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Admin).await;
    console.state_sql("ALTER TABLE oncewatch_session RENAME TO elsewhere").await;
    let api = console.get(&lin, "/api/settings").await;
    assert_eq!((api.status, api.json()["code"].as_str()), (StatusCode::SERVICE_UNAVAILABLE, Some("state")));
    assert!(!api.body.contains("oncewatch_session"), "{}", api.body);
    let page = console.get(&lin, "/settings").await;
    assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(page.body.contains("</html>") && !page.body.contains("oncewatch_session"), "{}", page.body);
}
