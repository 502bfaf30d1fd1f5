//! A state database on a server that goes away and comes back.

use super::{Engine, serve};
use server::clock::{Clock, SystemClock};
use server::lease::keep;
use server::ports::state::StateError;
use server::telemetry::task;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use url::Url;

const SERVERS: [Engine; 2] = [Engine::Mariadb, Engine::Postgres];

async fn through_a_proxy(database: &lab::Database) -> (lab::Proxy, String) {
    let mut url = Url::parse(&database.url).unwrap();
    let target: SocketAddr = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap()).parse().unwrap();
    let proxy = lab::Proxy::start(target).await.unwrap();
    url.set_port(Some(proxy.addr().port())).unwrap();
    (proxy, url.to_string())
}

async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(120), what).await.expect("within two minutes")
}

async fn goes_away_and_comes_back(engine: Engine) {
    let database = engine.database().await;
    let (proxy, url) = through_a_proxy(&database).await;
    let stores = serve(&url).await.unwrap().stores;
    let (clock, shutdown): (Arc<dyn Clock>, _) = (Arc::new(SystemClock), CancellationToken::new());
    let (mut keeper, keeping) = keep(&stores.leases, &clock, "job".to_owned(), "here".to_owned(), shutdown.clone());
    let keeping = task::spawn("lease", keeping);
    let lease = soon(keeper.held()).await;
    let version = stores.snapshots.put(&lease, "points", "records", "before").await.unwrap();

    proxy.cut().await;
    let refused = soon(stores.snapshots.put(&lease, "points", "records", "during")).await;
    assert!(matches!(refused, Err(StateError::Failed(_))), "{refused:?}");
    soon(async {
        while keeper.current().is_some() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    assert!(SystemClock.instant() >= lease.deadline, "a short absence does not cost the lease");

    proxy.restore().await.unwrap();
    let again = soon(keeper.held()).await;
    assert_eq!(again.fence, lease.fence + 1);
    let rows = stores.snapshots.since(0).await.unwrap();
    assert_eq!((rows[0].version, rows[0].json.as_str()), (version, "before"));
    stores.snapshots.put(&again, "points", "records", "after").await.unwrap();
    shutdown.cancel();
    soon(keeping).await.unwrap();
}

#[tokio::test]
async fn a_server_may_go_away_and_come_back() {
    futures::future::join_all(SERVERS.map(goes_away_and_comes_back)).await;
}

#[tokio::test]
async fn a_server_that_is_down_at_the_start_is_said_at_once() {
    for engine in SERVERS {
        let database = engine.database().await;
        let (proxy, url) = through_a_proxy(&database).await;
        proxy.cut().await;
        let began = SystemClock.instant();
        let refused = serve(&url).await.err().expect("nobody answers");
        let took = SystemClock.instant() - began;
        assert!(took < Duration::from_secs(9), "{took:?}");
        assert!(refused.to_string().contains("refused"), "{refused}");
    }
}

#[tokio::test]
async fn a_wrong_password_is_said_without_it() {
    let database = Engine::Mariadb.database().await;
    let mut url = Url::parse(&database.url).unwrap();
    url.set_password(Some("not-the-password")).unwrap();
    let refused = serve(url.as_str()).await.err().expect("refused").to_string();
    assert!(refused.contains("denied") && !refused.contains("not-the-password"), "{refused}");
}
