//! Promises of the web as a whole: what is refused, with what headers, in which words.

use crate::console::{Answer, Console, SOURCE, Who, anonymous};
use app::model::{Panel, Role};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use futures::StreamExt;
use server::http::openapi::Document;
use server::http::routes::{Access, Route, table};
use std::collections::BTreeSet;
use std::time::Duration;
use utoipa::OpenApi;

/// Open without signing in. May only shrink.
const OPEN_TO_ALL: [(&str, &str); 10] = [
    ("GET", "/signin"),
    ("POST", "/signin"),
    ("GET", "/link/{secret}"),
    ("POST", "/link/{secret}"),
    ("POST", "/preferences"),
    ("GET", "/pkg/oncewatch.js"),
    ("GET", "/pkg/oncewatch.wasm"),
    ("GET", "/pkg/oncewatch.css"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
];

fn address(route: &Route) -> String {
    route.path.replace("{source}", SOURCE).replace("{ref}", "00").replace("{secret}", "nothing")
}

async fn ask(console: &Console, who: &Who, route: &Route) -> Answer {
    let path = address(route);
    if route.method == Method::POST { console.post(who, &path, &[]).await } else { console.get(who, &path).await }
}

#[tokio::test]
async fn every_route_refuses_the_unknown() {
    let console = Console::start().await;
    for route in table() {
        let name = (route.method.as_str(), route.path);
        if OPEN_TO_ALL.contains(&name) {
            assert_eq!(route.access, Access::Public, "{name:?}");
            continue;
        }
        let answer = ask(&console, &anonymous(), &route).await;
        if route.takes_tokens() {
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{name:?}");
            assert_eq!(answer.header("content-type"), "application/problem+json", "{name:?}");
            assert_eq!(answer.header("www-authenticate"), "Bearer", "{name:?}");
        } else {
            assert_eq!(answer.status, StatusCode::SEE_OTHER, "{name:?}");
            assert!(answer.header("location").starts_with("/signin?"), "{name:?}");
        }
    }
}

#[tokio::test]
async fn every_route_refuses_a_role_below_its_own() {
    let console = Console::start().await;
    let viewer = console.signed_in("viewer", Role::Viewer).await;
    let operator = console.signed_in("operator", Role::Operator).await;
    let mut refused = 0;
    for route in table() {
        let below: &[&Who] = match route.access {
            Access::Public | Access::Viewer => &[],
            Access::Operator => &[&viewer],
            Access::Admin => &[&viewer, &operator],
        };
        for who in below {
            assert_eq!(
                ask(&console, who, &route).await.status,
                StatusCode::FORBIDDEN,
                "{} {}",
                route.method,
                route.path
            );
            refused += 1;
        }
    }
    assert!(refused >= 2, "the table has routes for operators");
}

#[tokio::test]
async fn every_response_carries_the_security_headers() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Admin).await;
    for (who, path) in [
        (&lin, "/settings"),
        (&anonymous(), "/signin"),
        (&lin, "/api/settings"),
        (&lin, "/nothing"),
        (&lin, "/pkg/oncewatch.css"),
    ] {
        let answer = console.get(who, path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self' 'nonce-"), "{path}: {policy}");
        for part in [
            "'wasm-unsafe-eval'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "style-src 'self';",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe-inline"), "{path}: {policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), value, "{path}");
        }
        assert!(!answer.header("x-request-id").is_empty(), "{path}");
        let cached = if path.starts_with("/pkg") { "public, no-cache" } else { "no-store" };
        assert_eq!(answer.header("cache-control"), cached, "{path}");
    }
}

#[tokio::test]
async fn a_pages_inline_script_has_the_nonce_of_its_header_and_no_other_page_has_it() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    let mut seen = BTreeSet::new();
    for _ in 0..2 {
        let page = console.get(&lin, "/s/points/overview").await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.body);
        let policy = page.header("content-security-policy");
        let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap().to_owned();
        for script in page.body.split("<script").skip(1) {
            assert!(script.contains(&format!("nonce=\"{nonce}\"")), "{script}");
        }
        assert!(page.body.contains("<script") && !page.body.contains(" style=") && !page.body.contains(" onclick="));
        assert!(seen.insert(nonce));
    }
}

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
    ] {
        let page = console.get(&lin, &format!("/s/points/{path}")).await;
        assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.body);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
    }
    assert_eq!(console.get(&lin, "/").await.header("location"), "/s/points/overview");
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::OK);

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
async fn foreign_hosts_are_turned_away() {
    let console = Console::with("[server]\npublic_url = \"https://ops.example.com\"").await;
    for (host, status) in [
        ("localhost:8080", StatusCode::OK),
        ("127.0.0.1:8080", StatusCode::OK),
        ("ops.example.com", StatusCode::OK),
        ("evil.example", StatusCode::MISDIRECTED_REQUEST),
        ("localhost.evil.example", StatusCode::MISDIRECTED_REQUEST),
    ] {
        let request = Request::get("/healthz").header(header::HOST, host).body(Body::empty()).unwrap();
        assert_eq!(console.send(request).await.status, status, "{host}");
    }
    let request = Request::get("/healthz").body(Body::empty()).unwrap();
    assert_eq!(console.send(request).await.status, StatusCode::MISDIRECTED_REQUEST, "no host at all");
}

#[tokio::test]
async fn forms_of_other_sites_do_nothing() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Admin).await;
    for (name, value) in [
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://localhost:9999"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        let request = console
            .request(&lin, Method::POST, "/signout")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(name, value);
        let answer = console.send(request.body(Body::from(format!("form_token={}", lin.form_token))).unwrap()).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{name}: {value}");
    }
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::OK, "still signed in");
}

#[tokio::test]
async fn a_form_without_its_sessions_token_does_nothing() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Admin).await;
    let other = console.signed_in("ren.na", Role::Admin).await;
    for token in ["", "wrong", &other.form_token] {
        let forged = Who { form_token: token.into(), ..lin.clone() };
        let answer = console.post(&forged, "/signout", &[]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{token}");
    }
    let release = "/api/sources/points/locks/release";
    let answer = console.post_json(&lin, release, &serde_json::json!({})).await;
    assert_eq!(answer.json()["code"], "forged", "a script of another site has the cookie and not the token");
    assert_eq!(console.get(&lin, "/settings").await.status, StatusCode::OK, "still signed in");
    assert_eq!(console.post(&lin, "/signout", &[]).await.status, StatusCode::SEE_OTHER);
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
async fn problem_documents_leak_nothing() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    console.sql("ALTER TABLE idempotent_record RENAME TO elsewhere").await;
    for path in [
        "/api/sources/points/records",
        "/api/sources/points/records?limit=x",
        "/api/sources/points/records?cursor=%00%ff",
    ] {
        let answer = console.get(&lin, path).await;
        assert!(answer.status.is_client_error() || answer.status.is_server_error(), "{path} {}", answer.status);
        assert_eq!(answer.header("content-type"), "application/problem+json", "{path}");
        for leak in ["SELECT", "sqlite", "/tmp", "panicked", ".rs", "Failed to deserialize"] {
            assert!(!answer.body.contains(leak), "{path}: {}", answer.body);
        }
    }
}

#[tokio::test]
async fn ten_megabytes_are_refused_wherever_they_are_sent() {
    let console = Console::start().await;
    let lin = console.signed_in("lin.wei", Role::Admin).await;
    for path in ["/signin", "/s/points/locks/release", "/api/sources/points/locks/release", "/nothing"] {
        let request = console
            .request(&lin, Method::POST, path)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::CONTENT_LENGTH, 10 << 20);
        let answer = console.send(request.body(Body::from(vec![b'a'; 10 << 20])).unwrap()).await;
        assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{path}");
    }
    // Without a length it is found out while reading.
    let chunks = futures::stream::iter((0..160).map(|_| Ok::<_, std::io::Error>(vec![b'a'; 64 << 10])));
    let request = console.request(&lin, Method::POST, "/s/points/locks/release");
    let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    let answer = console.send(request.body(Body::from_stream(chunks)).unwrap()).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
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
        let event = tokio::time::timeout(Duration::from_secs(5), events.next()).await.expect("an event in time");
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
