//! What consumers send.

use crate::console::{Console, SOURCE, Who, anonymous};
use app::model::Role;
use axum::body::Body;
use axum::http::{Method, StatusCode};
use chrono::{DateTime, TimeDelta, Utc};
use server::clock::{Clock, SystemClock};

const OTHER: &str = "[[source]]\nname = \"orders\"\n[source.records]\nurl = \"sqlite://none.db\"\ntable = \"t\"\nkey = [\"k\"]\n\
    [source.records.status]\nexists = \"completed\"\n[source.signals]\nkind = \"http\"\n";

async fn send(console: &Console, who: &Who, once: Option<&str>, body: &str) -> (StatusCode, serde_json::Value) {
    let mut request = console.request(who, Method::POST, "/api/ingest");
    if let Some(once) = once {
        request = request.header("idempotency-key", once);
    }
    let answer = console.send(request.body(Body::from(body.to_owned())).unwrap()).await;
    (answer.status, answer.json())
}

async fn stored(console: &Console, r#type: &str) -> (u64, u64) {
    let (from, to) = (SystemClock.now() - TimeDelta::hours(1), SystemClock.now() + TimeDelta::minutes(6));
    let rows = console.system.state.reports.minutes("orders", r#type, from, to).await.unwrap();
    let first = rows.iter().map(|row| row.minute.counts.first).sum();
    (first, rows.iter().map(|row| row.minute.handling.count()).sum())
}

#[tokio::test]
async fn lines_are_taken_all_or_none_and_once() {
    let console = Console::with(OTHER).await;
    let program = console.token("ci", Role::Viewer, None).await;
    let body = "{\"source\":\"orders\",\"type\":\"ORDER\",\"signal\":\"first\",\"n\":3,\"ms\":12}\n\n\
        {\"source\":\"orders\",\"type\":\"ORDER\",\"signal\":\"dup_index\",\"from\":\"q\",\"cause\":\"producer\"}\n\
        {\"source\":\"orders\",\"signal\":\"alive\",\"from\":\"w-1\"}\n\
        {\"source\":\"orders\",\"type\":\"ORDER\",\"key\":\"k1\",\"worker\":\"w-1\",\"delivery\":2,\"outcome\":\"dup_index\"}";
    let (status, answer) = send(&console, &program, Some("one"), body).await;
    assert_eq!((status, &answer["lines"], &answer["before"]), (StatusCode::OK, &4.into(), &false.into()), "{answer}");
    let (status, answer) = send(&console, &program, Some("one"), body).await;
    assert_eq!((status, &answer["before"]), (StatusCode::OK, &true.into()));
    assert_eq!((stored(&console, "ORDER").await, stored(&console, "").await), ((3, 3), (3, 3)));
    let (status, answer) = send(&console, &program, Some("one"), "").await;
    assert_eq!((status, answer["code"].as_str()), (StatusCode::UNPROCESSABLE_ENTITY, Some("other_body")));
    // Of another program it is another key.
    let second = console.token("cd", Role::Viewer, Some("orders")).await;
    assert_eq!(send(&console, &second, Some("one"), body).await.0, StatusCode::OK);
    assert_eq!(stored(&console, "ORDER").await, (6, 6));
    let trace = console.system.state.reports.trace("orders", "ORDER", "k1").await.unwrap();
    assert_eq!((trace.len(), trace[0].delivery.as_deref()), (2, Some("2")));
}

#[tokio::test]
async fn a_bad_line_is_named_and_nothing_is_taken() {
    let console = Console::with(OTHER).await;
    let program = console.token("ci", Role::Viewer, None).await;
    let good = "{\"source\":\"orders\",\"type\":\"ORDER\",\"signal\":\"first\"}\n";
    let long_ago: DateTime<Utc> = SystemClock.now() - TimeDelta::days(8);
    for (bad, says) in [
        ("{", "EOF".to_owned()),
        (r#"{"source":"orders"}"#, "needs a signal".into()),
        (r#"{"source":"orders","signal":"firsts"}"#, "accepted: first, takeover".into()),
        (r#"{"source":"orders","signal":"first","n":-1}"#, "invalid value".into()),
        (r#"{"source":"orders","signal":"first","n":99999999999}"#, "at most".into()),
        (r#"{"source":"orders","signal":"first","from":"q"}"#, "where duplicates come from".into()),
        (r#"{"source":"orders","signal":"dup_index","cause":"boredom"}"#, "accepted: producer".into()),
        (r#"{"source":"orders","signal":"alive"}"#, "instance's name".into()),
        (r#"{"source":"orders","key":"k"}"#, "needs an outcome".into()),
        (r#"{"source":"orders","signal":"first","size":1}"#, "unknown field".into()),
        (r#"{"source":"nowhere","signal":"first"}"#, "there is no source".into()),
        (&format!(r#"{{"source":"{SOURCE}","signal":"first"}}"#), "kind = \"http\"".into()),
        (&format!(r#"{{"source":"orders","signal":"first","at":"{}"}}"#, long_ago.to_rfc3339()), "seven days".into()),
    ] {
        let (status, answer) = send(&console, &program, None, &format!("{good}{bad}")).await;
        assert_eq!((status, answer["code"].as_str()), (StatusCode::BAD_REQUEST, Some("bad_line")), "{bad}");
        let detail = answer["detail"].as_str().unwrap();
        assert!(
            detail.starts_with("line 2: ") && detail.contains(&says) && detail.ends_with("nothing was taken"),
            "{detail}"
        );
    }
    assert_eq!(stored(&console, "").await, (0, 0));
}

#[tokio::test]
async fn only_programs_report_and_each_of_its_source() {
    let console = Console::with(OTHER).await;
    let line = "{\"source\":\"orders\",\"signal\":\"first\"}";
    assert_eq!(send(&console, &anonymous(), None, line).await.0, StatusCode::UNAUTHORIZED);
    let person = console.signed_in("ann", Role::Admin).await;
    assert_eq!(send(&console, &person, None, line).await.0, StatusCode::FORBIDDEN);
    let other = console.token("points", Role::Operator, Some(SOURCE)).await;
    let (status, answer) = send(&console, &other, None, line).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(answer["detail"].as_str().unwrap().contains("not for source"), "{answer}");
}
