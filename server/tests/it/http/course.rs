//! The time that the Overview shows.

use crate::console::{Console, Who};
use app::model::{Counts, Minute, Role};
use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta, Utc};
use server::ports::signals::{Origins, TypeMinute};
use server::ports::state::{Ingest, Reported};
use std::collections::BTreeSet;

/// A source whose consumers report by HTTP; nothing collects it here.
pub const ORDERS: &str = "[[source]]\nname = \"orders\"\ntimezone = \"Asia/Shanghai\"\n[source.records]\nurl = \"sqlite://none.db\"\n\
    table = \"t\"\nkey = [\"k\"]\n[source.records.status]\nexists = \"completed\"\n[source.signals]\nkind = \"http\"\n";

/// The first instant of the hour that began so many hours ago.
pub fn hour(console: &Console, hours_ago: i64) -> DateTime<Utc> {
    use server::clock::Clock;
    let second = console.clock.now().timestamp() - hours_ago * 3_600;
    DateTime::from_timestamp(second - second.rem_euclid(3_600), 0).unwrap()
}

/// So many deliveries in that minute, half of them duplicates from a queue, and a gauge of the same number.
pub async fn happened(console: &Console, at: DateTime<Utc>, deliveries: u64) {
    let counts = Counts { first: deliveries / 2, dup_lock: deliveries - deliveries / 2, ..Counts::default() };
    let handling = format!("5:{deliveries}").parse().unwrap();
    let row = |r#type: &str, alive: BTreeSet<String>| {
        let origins = Origins { from: [("=queue".to_owned(), 1)].into(), ..Origins::default() };
        Reported { at, r#type: r#type.into(), minute: TypeMinute { counts, handling, origins }, alive }
    };
    let rows = vec![row("", ["w-1".to_owned()].into()), row("ORDER", BTreeSet::new())];
    let ingest = Ingest { reports: [("orders".to_owned(), rows)].into(), ..Ingest::default() };
    console.system.state.reports.add(&ingest).await.unwrap();

    let lease = console.system.state.leases.acquire("history-of-a-test", "test").await.unwrap().unwrap();
    let minute = Minute { aging: Some(i64::try_from(deliveries).unwrap()), ..Minute::empty(at) };
    console.system.state.history.put(&lease, "orders", &minute).await.unwrap();
    console.system.state.leases.release(&lease).await.unwrap();
}

async fn course(console: &Console, who: &Who, query: &str) -> serde_json::Value {
    let answer = console.get(who, &format!("/api/sources/orders/overview{query}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{query}: {}", answer.body);
    answer.json()["course"].clone()
}

#[tokio::test]
async fn the_overview_shows_the_time_that_is_asked_for() {
    let console = Console::with(ORDERS).await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    let (two, thirty) = (hour(&console, 2), hour(&console, 30));
    happened(&console, two, 10).await;
    happened(&console, two + TimeDelta::minutes(1), 4).await;
    happened(&console, thirty, 30).await;

    let three_hours = course(&console, &lin, "").await;
    assert_eq!((&three_hours["range"], &three_hours["step_s"]), (&"3h".into(), &60.into()));
    assert_eq!(three_hours["steps"].as_array().unwrap().len(), 2);
    assert_eq!(three_hours["total"]["first"], 7);

    let day = course(&console, &lin, "?range=24h").await;
    assert_eq!((&day["step_s"], day["steps"].as_array().unwrap().len()), (&300.into(), 1));
    let step = &day["steps"][0];
    assert_eq!((&step["signals"]["first"], &step["aging"], &step["alive"]), (&7.into(), &10.into(), &1.into()));
    assert_eq!(step["handling"]["count"], 14);

    let week = course(&console, &lin, "?range=7d").await;
    assert_eq!((&week["step_s"], &week["total"]["first"]), (&3_600.into(), &22.into()));
    assert_eq!(week["sources"][0]["type"], "ORDER");
    assert_eq!(
        (&week["sources"][0]["duplicates"], &week["sources"][0]["origins"][0]["duplicates"]),
        (&22.into(), &3.into())
    );

    let said = |at: DateTime<Utc>| at.format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let (from, to) = (said(thirty), said(thirty + TimeDelta::minutes(10)));
    let span = course(&console, &lin, &format!("?from={from}&to={to}")).await;
    assert_eq!((&span["range"], &span["from"], &span["to"]), (&serde_json::Value::Null, &from.into(), &to.into()));
    assert_eq!((&span["total"]["first"], span["steps"].as_array().unwrap().len()), (&15.into(), 1));
    // By the clock of the source.
    let wall = (thirty + TimeDelta::hours(8)).format("%Y-%m-%d+%H:%M").to_string();
    let same = course(&console, &lin, &format!("?from={wall}&to=-20h")).await;
    assert_eq!((&same["from"], &same["total"]["first"]), (&span["from"], &15.into()));
}

/// Hours are made of all minutes that ended so many days ago, and the minutes go.
async fn only_hours_are_left(console: &Console, days: i64) {
    use server::clock::Clock;
    let state = &console.system.state;
    let lease = state.leases.acquire("history-of-a-test", "test").await.unwrap().unwrap();
    let before = console.clock.now() - TimeDelta::days(days);
    while state.hours.sum_up(&lease, "orders", before).await.unwrap() {}
    state.history.purge(&lease, before).await.unwrap();
    state.reports.purge(&lease, console.clock.now()).await.unwrap();
    state.leases.release(&lease).await.unwrap();
}

#[tokio::test]
async fn hours_go_on_where_minutes_have_gone() {
    let console = Console::with(ORDERS).await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    // On both sides of where the hours end, and twice in one of them.
    let (gone, summed, fresh) = (hour(&console, 40 * 24), hour(&console, 7 * 24 + 12), hour(&console, 3 * 24));
    happened(&console, gone + TimeDelta::minutes(7), 40).await;
    happened(&console, summed, 6).await;
    happened(&console, summed + TimeDelta::minutes(1), 8).await;
    happened(&console, fresh, 10).await;
    only_hours_are_left(&console, 7).await;

    let quarter = course(&console, &lin, "?range=90d").await;
    let steps = quarter["steps"].as_array().unwrap();
    let told: Vec<_> = steps
        .iter()
        .map(|step| (step["aging"].as_i64().unwrap(), step["handling"]["count"].as_i64().unwrap()))
        .collect();
    assert_eq!((&quarter["step_s"], told), (&86_400.into(), vec![(40, 40), (8, 14), (10, 10)]), "each once");
    assert_eq!(quarter["total"]["first"], 20 + 7 + 5);
    assert_eq!((&quarter["sources"][0]["type"], &quarter["sources"][0]["duplicates"]), (&"ORDER".into(), &32.into()));
    assert_eq!(quarter["sources"][0]["origins"][0]["duplicates"], 4, "origins of both");
    let month = course(&console, &lin, "?range=30d").await;
    assert_eq!((&month["step_s"], &month["total"]["first"]), (&21_600.into(), &12.into()));
    let all = course(&console, &lin, "?range=400d").await;
    assert_eq!((&all["step_s"], &all["total"]["first"]), (&86_400.into(), &32.into()));

    let said = |at: DateTime<Utc>| at.format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let span = format!("?from={}&to={}", said(gone + TimeDelta::minutes(5)), said(gone + TimeDelta::minutes(9)));
    let hour = course(&console, &lin, &span).await;
    assert_eq!(
        (&hour["step_s"], &hour["from"], &hour["total"]["first"]),
        (&3_600.into(), &said(gone).into(), &20.into())
    );

    let page = console.get(&lin, "/s/orders/overview?range=90d").await;
    assert!(page.body.contains("Per day (UTC); where"), "steps of a day say whose day");
    let sheet = console.get(&lin, "/api/sources/orders/overview.csv?table=layers&range=90d").await;
    assert_eq!(sheet.body.lines().count(), 91, "a row for each day, and the head");
}

#[tokio::test]
async fn a_range_is_chosen_by_links_and_a_bad_one_says_what_is_accepted() {
    let console = Console::with(ORDERS).await;
    let lin = console.signed_in("lin.wei", Role::Viewer).await;
    happened(&console, hour(&console, 30), 30).await;
    let page = console.get(&lin, "/s/orders/overview?range=7d").await;
    assert_eq!(page.status, StatusCode::OK);
    for link in ["?range=15m", "?range=1h", "?range=6h", "?range=24h", "?range=30d", "?range=90d", "?range=400d"] {
        assert!(page.body.contains(&format!("href=\"/s/orders/overview{link}\"")), "{link}");
    }
    assert!(page.body.contains("30 deliveries, 15 duplicates"), "figures follow");
    assert!(page.body.contains("/api/sources/orders/overview.csv?table=layers&amp;range=7d"), "files follow");
    assert!(!page.body.contains("Zoom out"));

    let from = hour(&console, 30).format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let span = console.get(&lin, &format!("/s/orders/overview?from={from}&to=-29h")).await;
    assert!(span.body.contains("Zoom out") && span.body.contains("Back to Last 3\u{a0}h"), "{}", span.body);

    for (query, says) in [
        ("range=2h", "accepted are 15m, 1h, 3h, 6h, 24h, 7d, 30d, 90d, 400d"),
        ("from=yesterday", "parameter from cannot be read"),
        ("from=-402d&to=now", "hours are kept for 400 days"),
        ("range=1h&from=-1h", "give it, or from and to"),
    ] {
        let api = console.get(&lin, &format!("/api/sources/orders/overview?{query}")).await;
        assert_eq!((api.status, &api.json()["code"]), (StatusCode::BAD_REQUEST, &"bad_range".into()), "{query}");
        assert!(api.json()["detail"].as_str().unwrap().contains(says), "{query}: {}", api.body);
        let chinese = lin.and_cookie("oncewatch_lang=zh");
        let page = console.get(&chinese, &format!("/s/orders/overview?{query}")).await;
        assert_eq!(page.status, StatusCode::BAD_REQUEST);
        assert!(page.body.contains("时间无法识别"), "{query}");
    }
}
