//! Lists of locks. The panel has the first of each state; the instance that collects the source's locks knows all of them.

use super::LiveReads;
use crate::system::SourceSystem;
use app::model::{LocksPanel, LocksQuery, Panel};
use chrono::TimeDelta;

/// Periods by which what is in memory may be older than the panel: beyond them another instance has written it.
const PERIODS: i32 = 2;

impl LiveReads {
    pub(super) fn listing(
        &self,
        source: &SourceSystem,
        panel: Panel<LocksPanel>,
        query: &LocksQuery,
    ) -> Panel<LocksPanel> {
        let Some(read_at) = panel.read_at else { return panel };
        let late = TimeDelta::from_std(self.system.config.collect.period).unwrap_or(TimeDelta::MAX) * PERIODS;
        let here = self.system.lock_rows.of(&source.config.name).filter(|all| read_at - all.read_at <= late);
        panel.map(|body| match here {
            Some(all) => body.listing(&all.rows, all.read_at, query),
            None => {
                let rows = body.rows.clone();
                body.listing(&rows, read_at, query)
            }
        })
    }
}
