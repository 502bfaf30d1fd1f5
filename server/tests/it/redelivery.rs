//! Messages of opened records that are made to come again: each way end to end, and what a crash at any place leaves.

mod rabbitmq;
mod streams;
mod webhook;

use crate::site::Site;
use crate::team::SOURCE;
use app::model::{Fault, RowOperation, Run, Setback};
use async_trait::async_trait;
use server::action::rows::{run_of, work_off};
use server::ports::jobs::ItemOutcome;
use server::ports::permit::Permit;
use server::ports::redelivery::{Held, Redelivery, Sent, Wanted};
use server::system::System;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Where a run dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    /// The messages are held, nothing is changed.
    Held,
    /// The records are open, and so it is written down.
    BeforeSending,
    /// The messages are sent, and nobody has written that down.
    Sent,
    /// It is written down that they were sent.
    BeforeFinishing,
    /// Everything is done, and nobody has written that down.
    Finished,
}

/// Does what the real one does, up to a point at which it tells and never returns.
struct Dying {
    real: Arc<dyn Redelivery>,
    at: Point,
    dead: Arc<Notify>,
}

struct DyingHeld {
    real: Box<dyn Held>,
    at: Point,
    dead: Arc<Notify>,
}

async fn die(dead: &Notify) {
    dead.notify_one();
    std::future::pending::<()>().await;
}

#[async_trait]
impl Redelivery for Dying {
    fn interrupted(&self) -> Option<Setback> {
        self.real.interrupted()
    }

    fn at_once(&self) -> u32 {
        self.real.at_once()
    }

    fn needs_payload(&self) -> bool {
        self.real.needs_payload()
    }

    async fn hold(&self, wanted: &[Wanted], until: Instant) -> Result<Box<dyn Held>, Fault> {
        let real = self.real.hold(wanted, until).await?;
        if self.at == Point::Held {
            die(&self.dead).await;
        }
        Ok(Box::new(DyingHeld { real, at: self.at, dead: Arc::clone(&self.dead) }))
    }

    async fn clean(&self, permit: &Permit, copies: &[(Wanted, String)], until: Instant) -> Result<(), Fault> {
        self.real.clean(permit, copies, until).await
    }
}

#[async_trait]
impl Held for DyingHeld {
    fn lack(&self, place: usize) -> Option<Setback> {
        self.real.lack(place)
    }

    async fn send(&mut self, permit: &Permit, places: &[usize], until: Instant) -> Vec<Sent> {
        if self.at == Point::BeforeSending {
            die(&self.dead).await;
        }
        let sent = self.real.send(permit, places, until).await;
        if self.at == Point::Sent {
            die(&self.dead).await;
        }
        sent
    }

    async fn finish(self: Box<Self>, permit: &Permit, places: &[usize]) -> Result<(), Fault> {
        if self.at == Point::BeforeFinishing {
            die(&self.dead).await;
        }
        let finished = self.real.finish(permit, places).await;
        if self.at == Point::Finished {
            die(&self.dead).await;
        }
        finished
    }
}

impl Site {
    /// Retries all that may be.
    async fn retry(&self) -> Run {
        let planned = self.plan(RowOperation::Retry).await.unwrap();
        self.confirm(&planned).await.unwrap();
        self.run(&planned).await
    }

    /// Kills a retry there, and lets its lease end.
    async fn die_at(&mut self, at: Point) -> String {
        let planned = self.plan(RowOperation::Retry).await.unwrap();
        assert!(planned.eligible > 0, "{planned:#?}");
        self.confirm(&planned).await.unwrap();
        let real = self.system.sources[0].redelivery.take().unwrap();
        let dead = Arc::new(Notify::new());
        let dying = Dying { real: Arc::clone(&real), at, dead: Arc::clone(&dead) };
        self.system.sources[0].redelivery = Some(Arc::new(dying));
        let shutdown = CancellationToken::new();
        tokio::select! {
            ended = work_off(&self.system, &planned.id, "the one that dies", &shutdown) => panic!("it lives: {ended:?}"),
            died = tokio::time::timeout(Duration::from_secs(60), dead.notified()) => died.unwrap(),
        }
        self.system.sources[0].redelivery = Some(real);
        let state = sqlx::AnyPool::connect(&self.team.state.url).await.unwrap();
        sqlx::query("UPDATE oncewatch_lease SET expires_at = 0").execute(&state).await.unwrap();
        state.close().await;
        planned.id
    }

    /// Takes a run up.
    async fn go_on(&self, id: &str) -> Run {
        assert!(work_off(&self.system, id, "another", &CancellationToken::new()).await.unwrap());
        let job = self.system.state.jobs.job(id).await.unwrap().unwrap();
        run_of(&self.system, &job).await.unwrap()
    }

    /// Why items of this outcome are as they are, by key.
    async fn setbacks(&self, id: &str, outcome: ItemOutcome) -> Vec<(String, String)> {
        let items = self.system.state.jobs.items(id, Some(outcome), None, 1_000).await.unwrap();
        items.into_iter().map(|item| (item.key.unwrap(), item.why.unwrap_or_default())).collect()
    }
}

fn counts(run: &Run) -> (&str, u64, u64, u64, u64) {
    (run.state.as_str(), run.done, run.skipped, run.failed, run.uncertain)
}

fn wanted(id: &str, key: &str) -> Wanted {
    Wanted {
        id: id.into(),
        r#type: Some("ORDER_DONE".into()),
        key: Some(key.into()),
        record: "r".into(),
        payload: None,
        may_be_sent: false,
    }
}

fn redelivery(system: &System) -> Arc<dyn Redelivery> {
    let source = system.source(SOURCE).unwrap();
    Arc::clone(source.redelivery.as_ref().unwrap())
}
