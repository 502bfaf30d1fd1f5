//! What is refused, and what every answer carries.

use crate::console::{Answer, Console, SOURCE, Who, anonymous};
use app::model::Role;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use server::http::access::Access;
use server::http::routes::{Route, table};
use std::collections::BTreeSet;

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
