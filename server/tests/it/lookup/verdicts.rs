//! Each row of the table of verdicts: its situation is made in the real stores, and page, API and command say the same.

use crate::cli::Desk;
use crate::console::Console;
use crate::team::{Engine, Index, SOURCE, Team};
use app::model::{Lang, Role, Verdict};
use lab::cases::{ARCHIVE, Case, Place, TYPE, WITH_MESSAGES, WITHOUT_MESSAGES};
use std::collections::BTreeSet;

/// Laid out for a team of its own, and read by whoever may ask.
async fn are_told(cases: &'static [Case]) {
    let mut team = Team::new(Engine::Sqlite, Index::None).await.with_redis().await;
    team.sql("DROP TABLE idempotent_record").await;
    let redis_url = team.redis.clone().expect("Redis");
    let place = Place {
        records_url: team.database.url.clone(),
        redis_url: redis_url.clone(),
        source: SOURCE.into(),
        prefix: team.prefix.clone(),
        suffix: format!("-{}", team.prefix),
    };
    (team.streams, team.signals) = (Some((redis_url, team.prefix.clone())), true);
    team.archive = Some(ARCHIVE.into());
    place.clone().lay(cases).await.unwrap();

    let console = Console::of(team.config()).await;
    let viewer = console.signed_in("lin.wei", Role::Viewer).await;
    let desk = Desk::new(&team.toml());
    for case in cases {
        let key = place.key(case);
        let asked = format!("type={TYPE}&key={key}");
        let found = console.get(&viewer, &format!("/api/sources/{SOURCE}/lookup?{asked}")).await.json();
        assert_eq!(found["verdict"]["code"], case.verdict, "{found:#}");
        let printed = desk.run(&["lookup", TYPE, &key, "--json"]).json();
        assert_eq!(printed["verdict"]["code"], case.verdict, "{printed:#}");
        assert_eq!(printed["operations"], found["operations"], "{key}");
        let verdict: Verdict = serde_json::from_value(found["verdict"].clone()).unwrap();
        let page = console.get(&viewer, &format!("/s/{SOURCE}/lookup?{asked}")).await.body;
        let title = app::words::verdict_title(Lang::En, &verdict);
        assert!(page.contains(title), "{title}: {page}");
    }
}

#[tokio::test]
async fn with_messages_about_each_is_told() {
    are_told(&WITH_MESSAGES).await;
}

#[tokio::test]
async fn with_nothing_left_at_the_broker_each_is_told() {
    are_told(&WITHOUT_MESSAGES).await;
}

/// What the demonstration lays out leaves no verdict out.
#[test]
fn no_verdict_is_left_out() {
    let laid: BTreeSet<&str> = WITH_MESSAGES.iter().chain(&WITHOUT_MESSAGES).map(|case| case.verdict).collect();
    let known: BTreeSet<String> = app::model::VerdictCode::ALL
        .iter()
        .map(|code| serde_json::to_value(code).unwrap().as_str().unwrap().into())
        .collect();
    assert_eq!(laid, known.iter().map(String::as_str).collect());
}
