//! Where consumers reach no Redis.

use super::client::{Client, Language};
use super::{INSTANCE, ODD_QUEUE, ODD_TYPE};
use crate::console::Console;
use crate::eventually::eventually;
use app::model::Role;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use server::clock::{Clock, SystemClock};
use server::ports::signals::TypeMinute;
use server::reads::LiveReads;
use server::telemetry::task;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, copy, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

const OTHER: &str = "[[source]]\nname = \"orders\"\n[source.records]\nurl = \"sqlite://none.db\"\ntable = \"t\"\nkey = [\"k\"]\n\
    [source.records.status]\nexists = \"completed\"\n[source.signals]\nkind = \"http\"\n";

#[tokio::test]
async fn php_reports_by_http_and_once() {
    reports_by_http_and_once(Language::Php).await;
}

#[tokio::test]
async fn python_reports_by_http_and_once() {
    reports_by_http_and_once(Language::Python).await;
}

async fn reports_by_http_and_once(language: Language) {
    let console = Console::with(OTHER).await;
    let token = console.token("consumers", Role::Viewer, Some("orders")).await.bearer.unwrap();
    let ingest = format!("http://{}/api/ingest", losing_one_answer(listening(&console).await).await);
    let settings = json!({ "source": "orders", "instance": INSTANCE, "ingest": ingest, "token": token });
    let began = SystemClock.now();
    let mut consumer = Client::start(language, settings);
    let stored = async || told(&console, began).await;

    let trace = json!({ "type": ODD_TYPE, "key": "k", "delivery": 2, "lock": "taken", "record": "exists", "outcome": "dup_index" });
    let first = json!({ "type": ODD_TYPE, "signal": "first", "ms": 70_000 });
    consumer.order(&json!({ "count": first, "trace": trace })).await;
    let taken = eventually(stored, |told| told.counts.first > 0).await;
    assert_eq!((taken.counts.first, taken.handling.to_string().as_str()), (1, "inf:1"), "taken, though no answer came");
    let dup_index = json!({ "type": ODD_TYPE, "signal": "dup_index", "origin": ODD_QUEUE, "cause": "redelivery" });
    consumer.order(&json!({ "count": dup_index })).await;
    let more = async || {
        consumer.order(&json!({})).await;
        told(&console, began).await
    };
    let taken = eventually(more, |told| told.counts.dup_index > 0).await;
    assert_eq!((taken.counts.first, taken.counts.dup_index, taken.handling.count()), (1, 1, 1));
    assert_eq!((taken.origins.from[ODD_QUEUE], taken.origins.causes["redelivery"]), (1, 1));
    let trace = console.system.state.reports.trace("orders", ODD_TYPE, "k").await.unwrap();
    assert_eq!(trace.len(), 1);
    assert_eq!((trace[0].worker.as_deref(), trace[0].outcome.as_deref()), (Some(INSTANCE), Some("dup_index")));
}

async fn told(console: &Console, since: DateTime<Utc>) -> TypeMinute {
    let (from, to) = (since - TimeDelta::minutes(1), SystemClock.now());
    let reports = &console.system.state.reports;
    let mut sum = TypeMinute::default();
    reports.minutes("orders", ODD_TYPE, from, to).await.unwrap().iter().for_each(|row| sum.add(&row.minute));
    let all = reports.minutes("orders", "", from, to).await.unwrap();
    assert!(all.is_empty() || all.iter().any(|row| row.alive.contains(INSTANCE)));
    sum
}

async fn listening(console: &Console) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let reads = Arc::new(LiveReads::new(console.system.clone()));
    task::spawn("serve-test", server::http::serve(console.system.clone(), reads, listener, console.shutdown.clone()));
    address
}

/// Passes everything on to the console and back, but for its first answer.
async fn losing_one_answer(console: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    task::spawn("losing-one-answer", async move {
        let (client, mut server) = (listener.accept().await.unwrap().0, TcpStream::connect(console).await.unwrap());
        let (mut question, _client) = client.into_split();
        let (mut answer, mut on) = server.split();
        tokio::select! {
            _ = answer.read_u8() => {}
            _ = copy(&mut question, &mut on) => panic!("the client has gone before it was answered"),
        }
        drop((question, _client));
        loop {
            let (mut client, mut server) =
                (listener.accept().await.unwrap().0, TcpStream::connect(console).await.unwrap());
            // Either side may have hung up: the client tries again.
            let _ = copy_bidirectional(&mut client, &mut server).await;
        }
    });
    address
}
