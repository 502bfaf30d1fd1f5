//! How soon the console says that a source is gone: in its API and on the page.

use super::console::Console;
use super::measure::now;
use super::report::Line;
use super::team::Team;
use app::model::{Freshness, Overview};
use std::time::Duration;

/// The default one.
pub const PERIOD: Duration = Duration::from_secs(5);
const PERIODS: u32 = 3;
const LOOK_EVERY: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(60);

pub async fn measured(console: &Console, team: &Team) -> Vec<Line> {
    live(console, team).await;
    team.kill().await;
    let killed = seen_after(console, team).await;
    team.restore().await;
    live(console, team).await;
    team.hang();
    let hung = seen_after(console, team).await;
    team.restore().await;
    let line = |where_, what, after: Duration| {
        Line::promised(
            where_,
            format!("a source that {what} is no longer shown as live"),
            format!("after {:.1} s", after.as_secs_f64()),
            format!("≤ {PERIODS} periods of {} s", PERIOD.as_secs()),
            after <= PERIOD * PERIODS,
        )
    };
    vec![
        line("API", "was killed", killed.0),
        line("page", "was killed", killed.1),
        line("API", "hangs", hung.0),
        line("page", "hangs", hung.1),
    ]
}

/// Until everything of it is read again, also what rests after an outage.
async fn live(console: &Console, team: &Team) {
    let path = format!("/api/sources/{}/overview", team.name);
    let is_live = |overview: &Overview| of(overview).all(|freshness| freshness == Freshness::Live);
    console.until("a source that is live", &path, is_live).await;
}

/// Since now, until records and locks are stale or unreachable: in the API, and on the page.
async fn seen_after(console: &Console, team: &Team) -> (Duration, Duration) {
    let began = now();
    let (mut api, mut page) = (None, None);
    loop {
        if api.is_none() {
            let overview: Overview = console.json(&format!("/api/sources/{}/overview", team.name)).await;
            api = gone(&overview).then(|| now() - began);
        }
        if page.is_none() {
            let html = console.text(&format!("/s/{}/overview", team.name)).await;
            page = says_gone(&html).then(|| now() - began);
        }
        if let (Some(api), Some(page)) = (api, page) {
            return (api, page);
        }
        assert!(now() - began < PATIENCE, "it was never noticed");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Of its database and of its Redis, by the server's clock.
fn of(overview: &Overview) -> impl Iterator<Item = Freshness> {
    let locks = overview.locks.as_ref().expect("it has locks").freshness(overview.now);
    [overview.records.freshness(overview.now), locks].into_iter()
}

fn gone(overview: &Overview) -> bool {
    of(overview).all(|freshness| matches!(freshness, Freshness::Stale | Freshness::Unreachable))
}

/// As its tiles say it.
fn says_gone(html: &str) -> bool {
    ["Processing", "Locks held"].iter().all(|name| {
        let mut tiles = html.split("tile__name").skip(1);
        let tile = tiles.find(|tile| tile.split("tile__value").next().is_some_and(|head| head.contains(name)));
        let tile = tile.unwrap_or_else(|| panic!("there is no tile {name}"));
        tile.contains("tile__sub crit") || tile.contains("tile__sub warn")
    })
}
