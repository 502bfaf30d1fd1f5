//! The queues of one broker.

use super::{Collector, minute_of, signed};
use crate::diagnose::sight::Sums;
use crate::ports::brokers::BrokerStats;
use crate::system::{SourceSystem, System};
use app::model::{BrokerPanel, Fault, Freshness, Layer, Minute, Panel};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::Arc;

pub(super) struct Broker {
    system: Arc<System>,
    source: String,
    stats: Arc<dyn BrokerStats>,
    at: usize,
    brokers: usize,
}

pub(super) fn panel(at: usize) -> String {
    format!("brokers/{at}")
}

impl Broker {
    pub(super) fn new(source: &SourceSystem, system: &Arc<System>, at: usize) -> Self {
        Self {
            system: system.clone(),
            source: source.config.name.clone(),
            stats: source.brokers[at].clone(),
            at,
            brokers: source.brokers.len(),
        }
    }

    /// The panels of all brokers of the source, this one's as just read; `None` while another one is not seen, because
    /// a sum without it would be too small.
    fn all(&self, own: &BrokerPanel) -> Option<Vec<BrokerPanel>> {
        let now = self.system.clock.now();
        let other = |at| {
            let panel: Panel<BrokerPanel> = self.system.board.panel(&self.source, &panel(at))?;
            if panel.freshness(now) == Freshness::Live { panel.body } else { None }
        };
        (0..self.brokers).map(|at| if at == self.at { Some(own.clone()) } else { other(at) }).collect()
    }
}

#[async_trait]
impl Collector for Broker {
    type Body = BrokerPanel;
    const LAYER: Layer = Layer::Broker;

    async fn read(&mut self) -> Result<BrokerPanel, Fault> {
        self.stats.queues().await
    }

    fn minute(&self, at: DateTime<Utc>, body: &BrokerPanel) -> Option<Minute> {
        let sums = Sums::of(&self.all(body)?);
        Some(Minute {
            ready: sums.ready.map(signed),
            unacked: sums.unacked.map(signed),
            dead_letter: sums.dead.map(signed),
            ..Minute::empty(minute_of(at))
        })
    }
}
