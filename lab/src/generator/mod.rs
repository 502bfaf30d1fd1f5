//! A team at work: producers that send twice, consumers that mostly get it right, and now and then one that does not.
//!
//! What the demonstration shows is real: a record table in SQLite, locks in Redis, queues in RabbitMQ, and consumers
//! that follow the textbook, with its mistakes ([`worker`]). Without Redis they rely on the unique index alone; without
//! RabbitMQ the messages travel inside the process.

mod broker;
mod history;
mod message;
mod mishaps;
mod producer;
mod report;
mod table;
mod worker;

pub use broker::{DEAD_LETTER, QUEUES};
pub use table::TABLE;

use crate::cases::{Case, Place};
use anyhow::Context;
use message::Keys;
use oncewatch_consumer::lease::Leases;
use redis::aio::ConnectionManager;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use table::Table;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use worker::Worker;

/// The console's name for these consumers.
pub const SOURCE: &str = "points";
/// The first part of a lock's key; `:type:key` follows.
pub const LOCK_PREFIX: &str = "idem_lock";
/// What the consumers set. The ordinary handler takes 1.5 seconds at most; the slow ones renew.
pub const LOCK_TTL: Duration = Duration::from_secs(15);

const COME_BACK_AFTER: Duration = Duration::from_secs(2);
const STOP_WITHIN: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
pub struct Config {
    /// SQLite; the table is made when it is missing, and filled with history when it is empty.
    pub records_url: String,
    pub redis_url: Option<String>,
    /// With the vhost.
    pub amqp_url: Option<String>,
    /// Laid out besides, and kept as they are.
    pub cases: Vec<(Place, &'static [Case])>,
}

/// Runs until it is stopped or dropped.
#[derive(Debug)]
pub struct Generator {
    tasks: Tasks,
}

impl Generator {
    /// Returns when the history is there and the consumers are about to begin.
    ///
    /// # Errors
    /// When one of the stores cannot be reached.
    pub async fn start(config: Config) -> anyhow::Result<Self> {
        let table = Table::open(&config.records_url).await.context("open the record table")?;
        let redis = match &config.redis_url {
            Some(url) => Some(connect_redis(url).await.context("connect to Redis")?),
            None => None,
        };
        let (outlet, inlets) = broker::open(config.amqp_url.as_deref()).await.context("open the queues")?;
        let now = table.now().await?;
        let keys = Arc::new(Keys::new(now.date(), table.greatest_id().await?));
        if table.is_empty().await? {
            history::fill(&table, &keys, now).await.context("fill the record table with history")?;
        }

        let tasks = Tasks { stop: CancellationToken::new(), tracker: TaskTracker::new() };
        let worker = Arc::new(Worker::new(
            table.clone(),
            redis.clone(),
            report::Reporter::new(redis.clone().map(|(redis, _)| redis)),
        ));
        for inlet in inlets {
            inlet.serve(&worker, &tasks);
        }
        let outlet = Arc::new(outlet);
        let (produced_keys, producing) = (keys.clone(), tasks.clone());
        tasks.keep_running("producer", move || {
            producer::produce(outlet.clone(), produced_keys.clone(), producing.clone())
        });
        if let Some(redis) = redis {
            tasks.keep_running("mishaps", move || mishaps::happen(redis.clone(), table.clone(), keys.clone()));
        }
        for (place, cases) in config.cases {
            let laid = place.lay(cases).await.context("lay out the cases")?;
            tasks.keep_running("cases", move || laid.clone().keep());
        }
        Ok(Self { tasks })
    }

    /// Lets nobody finish: what was being handled stays as it was, as after a crash.
    pub async fn stop(self) {
        self.tasks.stop.cancel();
        self.tasks.tracker.close();
        if tokio::time::timeout(STOP_WITHIN, self.tasks.tracker.wait()).await.is_err() {
            tracing::warn!("the demonstration's tasks did not end within {STOP_WITHIN:?}");
        }
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        self.tasks.stop.cancel();
    }
}

/// Everything that runs, and its end.
#[derive(Debug, Clone)]
struct Tasks {
    stop: CancellationToken,
    tracker: TaskTracker,
}

impl Tasks {
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        self.tracker.spawn(async move { stop.run_until_cancelled(task).await });
    }

    /// A store that is away for a while ends no demonstration: the task begins again.
    fn keep_running<F>(&self, name: &'static str, begin: impl Fn() -> F + Send + 'static)
    where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        self.spawn(async move {
            loop {
                if let Err(error) = begin().await {
                    tracing::warn!(task = name, error = format!("{error:#}"), "the demonstration goes on in a moment");
                }
                tokio::time::sleep(COME_BACK_AFTER).await;
            }
        });
    }
}

async fn connect_redis(url: &str) -> anyhow::Result<(ConnectionManager, Arc<Leases>)> {
    let client = redis::Client::open(url)?;
    Ok((client.get_connection_manager().await?, Arc::new(Leases::new("demo"))))
}
