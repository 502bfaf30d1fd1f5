//! Somebody else is asked to send the message again.

use super::{Point, counts};
use crate::cli::Desk;
use crate::site::{BY_DELETING, BY_STATUS, Site};
use crate::team::{Engine, Index, Team};
use app::model::RowOperation;
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::any;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use server::boot::{self, Role};
use server::ports::jobs::ItemOutcome;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the receiver does with the request of this number, counted from 0.
type Manner = fn(usize) -> Reply;

#[derive(Clone, Copy)]
enum Reply {
    Status(u16),
    Redirect,
    Hang,
}

struct Hook {
    url: String,
    asked: Arc<Mutex<Vec<(HeaderMap, Bytes)>>>,
}

impl Hook {
    async fn open(manner: Manner) -> Self {
        let asked: Arc<Mutex<Vec<(HeaderMap, Bytes)>>> = Arc::default();
        let seen = Arc::clone(&asked);
        let take = any(move |headers: HeaderMap, body: Bytes| {
            let seen = Arc::clone(&seen);
            async move {
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push((headers, body));
                    seen.len() - 1
                };
                match manner(number) {
                    Reply::Status(status) => StatusCode::from_u16(status).unwrap().into_response(),
                    Reply::Redirect => Redirect::temporary("/elsewhere").into_response(),
                    Reply::Hang => std::future::pending::<Response>().await,
                }
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/again", listener.local_addr().unwrap());
        let router = Router::new().route("/again", take.clone()).route("/elsewhere", take);
        server::telemetry::task::spawn("webhook", async move { axum::serve(listener, router).await.unwrap() });
        Self { url, asked }
    }

    fn keys(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|(headers, _)| headers["idempotency-key"].to_str().unwrap().to_owned()).collect()
    }

    fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

async fn team(engine: Engine, write: &'static str, url: &str) -> Team {
    let mut team = Team::new(engine, Index::None).await.with_redis().await;
    team.write = Some(write);
    team.more = format!(
        "[source.retry]\nmode = 'webhook'\nafter = '5m'\n[source.retry.webhook]\nurl = '{url}'\nsecret = 'whsec_c2VjcmV0'\n"
    );
    team
}

async fn site(write: &'static str, url: &str) -> Site {
    Site::over(team(Engine::Sqlite, write, url).await).await
}

fn fine(_: usize) -> Reply {
    Reply::Status(202)
}

crate::team::on_every_engine!(each_record_is_opened_and_asked_for_once);

async fn each_record_is_opened_and_asked_for_once(engine: Engine) {
    let hook = Hook::open(fine).await;
    let site = Site::over(team(engine, BY_STATUS, &hook.url).await).await;
    for (id, key, status) in [(1, "stuck", 1), (2, "dead", 4), (3, "done", 2)] {
        site.team.insert(id, key, status, 600).await;
    }
    let ran = site.retry().await;
    assert_eq!(counts(&ran), ("done", 2, 1, 0, 0), "{ran:?}");
    let rows = site.rows().await;
    assert_eq!((rows["stuck"], rows["dead"], rows["done"]), (3, 3, 2));
    let asked = hook.asked.lock().unwrap();
    let mut keys = BTreeSet::new();
    for (headers, text) in asked.iter() {
        let body: Value = serde_json::from_slice(text).unwrap();
        keys.insert(body["key"].as_str().unwrap().to_owned());
        assert_eq!((&body["source"], &body["type"]), (&"points".into(), &"ORDER_DONE".into()), "{body}");
        assert!(body["ref"].is_string());
        let header = |name: &str| headers[name].to_str().unwrap();
        assert_eq!(header("idempotency-key"), header("webhook-id"));
        let id_and_time = format!("{}.{}.", header("webhook-id"), header("webhook-timestamp"));
        let signed = [id_and_time.as_bytes(), text].concat();
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, b"secret");
        let expected = format!("v1,{}", STANDARD.encode(ring::hmac::sign(&key, &signed)));
        assert_eq!(header("webhook-signature"), expected);
    }
    assert_eq!(keys, ["dead", "stuck"].map(str::to_owned).into());
}

/// At each place; what was sent and not written down is sent again under the same key.
#[tokio::test]
async fn a_run_that_died_asks_again_under_the_same_key() {
    for (at, write, times) in [
        (Point::Held, BY_STATUS, 1),
        (Point::BeforeSending, BY_STATUS, 1),
        (Point::BeforeSending, BY_DELETING, 1),
        (Point::Sent, BY_STATUS, 2),
        (Point::Sent, BY_DELETING, 2),
        (Point::BeforeFinishing, BY_STATUS, 1),
    ] {
        let hook = Hook::open(fine).await;
        let mut site = site(write, &hook.url).await;
        site.team.insert(1, "k1", 3, 600).await;
        site.team.insert(2, "k2", 3, 600).await;
        let id = site.die_at(at).await;
        let ran = site.go_on(&id).await;
        assert_eq!(counts(&ran), ("done", 2, 0, 0, 0), "{at:?} {ran:?}");
        let keys = hook.keys();
        assert_eq!(keys.len(), 2 * times, "{at:?} {keys:?}");
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), 2, "{at:?} {keys:?}");
    }
}

/// What was sent before the crash may have been done, whatever is answered now.
#[tokio::test]
async fn a_refusal_after_a_crash_proves_nothing() {
    let hook = Hook::open(|number| Reply::Status(if number == 0 { 202 } else { 404 })).await;
    let mut site = site(BY_DELETING, &hook.url).await;
    site.team.insert(1, "k1", 3, 600).await;
    let id = site.die_at(Point::Sent).await;
    let ran = site.go_on(&id).await;
    assert_eq!((ran.failed, ran.uncertain, hook.count()), (0, 1, 2), "{ran:?}");
    assert!(!site.rows().await.contains_key("k1"), "its row is not there again beside the message");
}

/// Whoever took the record up meanwhile has its message.
#[tokio::test]
async fn a_record_that_was_taken_up_meanwhile_is_not_asked_for() {
    let hook = Hook::open(fine).await;
    let mut site = site(BY_STATUS, &hook.url).await;
    site.team.insert(1, "k1", 3, 600).await;
    let id = site.die_at(Point::BeforeSending).await;
    site.team.sql("UPDATE idempotent_record SET status = 2 WHERE id = 1").await;
    let ran = site.go_on(&id).await;
    assert_eq!((counts(&ran), hook.count()), (("done", 1, 0, 0, 0), 0), "{ran:?}");
}

/// What it refuses leaves its record as it was; what it may have done is for a person.
#[tokio::test]
async fn an_answer_that_is_no_yes_is_told_apart() {
    let manners: [(Manner, u64, u64, &str, usize); 6] = [
        (|_| Reply::Status(404), 1, 0, "404", 1),
        (|_| Reply::Redirect, 1, 0, "307", 1),
        (|_| Reply::Status(503), 1, 0, "503", 3),
        (|_| Reply::Status(500), 0, 1, "no_answer", 3),
        (|number| Reply::Status(if number == 0 { 500 } else { 400 }), 0, 1, "no_answer", 2),
        (|_| Reply::Hang, 0, 1, "no answer within", 3),
    ];
    for (manner, failed, uncertain, word, requests) in manners {
        let hook = Hook::open(manner).await;
        let site = site(BY_DELETING, &hook.url).await;
        site.team.insert(1, "k1", 3, 600).await;
        let planned = site.plan(RowOperation::Retry).await.unwrap();
        site.confirm(&planned).await.unwrap();
        let ran = site.run(&planned).await;
        assert_eq!((ran.done, ran.failed, ran.uncertain), (0, failed, uncertain), "{word} {ran:?}");
        assert_eq!(ran.state, "paused", "most were refused: {ran:?}");
        assert_eq!((hook.count(), hook.keys().into_iter().collect::<BTreeSet<_>>().len()), (requests, 1), "{word}");
        let outcome = if failed == 1 { ItemOutcome::Failed } else { ItemOutcome::Uncertain };
        let setbacks = site.setbacks(&planned.id, outcome).await;
        assert!(setbacks[0].1.contains(word), "{setbacks:?}");
        assert_eq!(site.rows().await.contains_key("k1"), failed == 1, "{word}: only what was not sent is as it was");
    }
}

#[tokio::test]
async fn an_answer_that_comes_late_is_a_yes() {
    let hook = Hook::open(|number| if number == 0 { Reply::Hang } else { Reply::Status(200) }).await;
    let site = site(BY_STATUS, &hook.url).await;
    site.team.insert(1, "k1", 3, 600).await;
    let ran = site.retry().await;
    assert_eq!(counts(&ran), ("done", 1, 0, 0, 0), "{ran:?}");
    let keys = hook.keys();
    assert_eq!((keys.len(), keys[0] == keys[1]), (2, true));
}

#[tokio::test]
async fn a_webhook_that_is_not_there_changes_nothing_in_the_end() {
    let site = site(BY_DELETING, "http://127.0.0.1:1/again").await;
    for id in 1..=20 {
        site.team.insert(id, &format!("k{id}"), 3, 600).await;
    }
    let ran = site.retry().await;
    assert_eq!((ran.state.as_str(), ran.done, ran.failed, ran.open), ("paused", 0, 5, 15), "{ran:?}");
    assert_eq!(site.rows().await.len(), 20);
}

#[tokio::test]
async fn two_operators_ask_for_each_record_once() {
    let hook = Hook::open(fine).await;
    let site = site(BY_STATUS, &hook.url).await;
    for id in 1..=30 {
        site.team.insert(id, &format!("k{id}"), 1, 600).await;
    }
    let (one, other) = (site.plan(RowOperation::Retry).await.unwrap(), site.plan(RowOperation::Retry).await.unwrap());
    site.confirm(&one).await.unwrap();
    site.confirm(&other).await.unwrap();
    let (one, other) = tokio::join!(site.run(&one), site.run(&other));
    assert_eq!((one.done + other.done, one.failed + other.failed), (30, 0), "{one:?} {other:?}");
    assert_eq!((hook.count(), one.uncertain + other.uncertain), (30, 0));
}

/// A process that is really killed, in the middle of the request.
#[tokio::test]
async fn a_killed_command_is_taken_up_by_the_next() {
    let hook = Hook::open(|number| if number < 2 { Reply::Hang } else { Reply::Status(200) }).await;
    let mut team = team(Engine::Sqlite, BY_STATUS, &hook.url).await;
    team.limits = "pool_size = 2";
    team.insert(1, "k1", 3, 600).await;
    team.insert(2, "k2", 3, 600).await;
    let desk = Desk::new(&team.toml());
    let arguments = ["retry", "--all", "--yes", "--reason", "x", "--operation-id", "op-1"];
    let mut child = desk.command(&arguments).spawn().unwrap();
    crate::eventually::eventually(async || hook.count(), |count| *count >= 2).await;
    child.kill().unwrap();
    child.wait().unwrap();
    let system = boot::system(team.config(), Role::Cli).await.unwrap();
    // Its lease ends by itself.
    let taken_up = crate::eventually::eventually(
        async || {
            tokio::time::sleep(Duration::from_millis(500)).await;
            server::action::rows::run(&system, "op-1", "another").await.unwrap()
        },
        |run| run.state == "done",
    )
    .await;
    assert_eq!(counts(&taken_up), ("done", 2, 0, 0, 0), "{taken_up:?}");
    assert_eq!(hook.keys().into_iter().collect::<BTreeSet<_>>().len(), 2);
}

#[tokio::test]
async fn an_address_where_no_service_is_is_refused_at_the_start() {
    let team = team(Engine::Sqlite, BY_STATUS, "http://169.254.169.254/latest/meta-data").await;
    let refused = boot::system(team.config(), Role::Cli).await.err().unwrap();
    assert!(format!("{refused:#}").contains("169.254.169.254"), "{refused:#}");
}
