//! What is no longer read is shown so after three periods at the latest: in the API and on the page, however it went away.

use crate::collect::behind_a_proxy;
use crate::console::{Console, SOURCE, Who};
use crate::eventually::eventually;
use crate::team::Team;
use app::model::{Freshness, Overview, Role};
use axum::http::StatusCode;
use std::time::Duration;

/// That of the team's console.
const PERIOD: Duration = Duration::from_secs(1);

/// A team whose database and Redis are behind proxies, and a console that follows it.
struct Watched {
    _team: Team,
    database: lab::Proxy,
    redis: lab::Proxy,
    _own: lab::services::Running,
    console: Console,
    lin: Who,
}

impl Watched {
    async fn start() -> Self {
        let (mut team, database) = behind_a_proxy().await;
        let own = lab::services::redis::start().await.unwrap();
        let redis = lab::Proxy::start(own.address()).await.unwrap();
        team.redis = Some(format!("redis://{}/0", redis.addr()));
        team.insert(1, "k", 1, 0).await;
        let console = Console::of(team.config()).await;
        server::collect::start(console.system.clone(), console.shutdown.clone());
        let lin = console.signed_in("lin.wei", Role::Viewer).await;
        let watched = Self { _team: team, database, redis, _own: own, console, lin };
        watched.until_live().await;
        watched
    }

    async fn until_live(&self) {
        let live = |of: &[Freshness; 2]| of.iter().all(|freshness| *freshness == Freshness::Live);
        eventually(async || self.freshness().await, live).await;
        assert!(!self.says_that_it_is_old("Processing").await && !self.says_that_it_is_old("Locks held").await);
    }

    /// Of the records and of the locks, by what the API answers.
    async fn freshness(&self) -> [Freshness; 2] {
        let answer = self.console.get(&self.lin, &format!("/api/sources/{SOURCE}/overview")).await;
        let overview: Overview = serde_json::from_str(&answer.body).unwrap();
        [overview.records.freshness(overview.now), overview.locks.unwrap().freshness(overview.now)]
    }

    /// A tile of the page.
    async fn says_that_it_is_old(&self, name: &str) -> bool {
        let page = self.console.get(&self.lin, &format!("/s/{SOURCE}/overview")).await;
        assert_eq!(page.status, StatusCode::OK);
        let mut tiles = page.body.split("tile__name").skip(1);
        let tile = tiles.find(|tile| tile.split("tile__value").next().is_some_and(|head| head.contains(name))).unwrap();
        // The age of a stale one is amber, "last seen" of an unreachable one is red.
        tile.contains("tile__sub warn") || tile.contains("tile__sub crit")
    }

    /// Three periods after the last reading, which may have been about to end just now.
    async fn is_old_everywhere(&self, how: &str) {
        tokio::time::sleep(3 * PERIOD + Duration::from_millis(200)).await;
        let old = |freshness: &Freshness| matches!(freshness, Freshness::Stale | Freshness::Unreachable);
        let freshness = self.freshness().await;
        assert!(freshness.iter().all(old), "{how}: {freshness:?}");
        for tile in ["Processing", "Locks held"] {
            assert!(self.says_that_it_is_old(tile).await, "{how}: {tile}");
        }
    }
}

#[tokio::test]
async fn a_source_that_was_killed_or_hangs_is_old_after_three_periods() {
    let watched = Watched::start().await;
    let proxies = [&watched.database, &watched.redis];
    for proxy in proxies {
        proxy.cut().await;
    }
    watched.is_old_everywhere("killed").await;
    for proxy in proxies {
        proxy.restore().await.unwrap();
    }
    watched.until_live().await;
    for proxy in proxies {
        proxy.delay(Duration::from_secs(3_600));
    }
    watched.is_old_everywhere("hangs").await;
    // What hangs in them would come through an hour late.
    for proxy in proxies {
        proxy.delay(Duration::ZERO);
        proxy.cut().await;
        proxy.restore().await.unwrap();
    }
    watched.until_live().await;
    watched.console.shutdown.cancel();
}
