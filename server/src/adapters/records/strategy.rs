//! How a table can be followed, by its indexes.

use super::catalogue::Index;
use super::raw::Raw;
use super::shape::{Order, Shape};
use super::time::Time;
use crate::config::TimeUnit;
use app::model::{Strategy, StrategyChoice};
use chrono::{DateTime, TimeDelta, Utc};

/// Of the wall clocks of the world none is further ahead.
const AHEAD: TimeDelta = TimeDelta::days(2);

impl Shape {
    /// Every way, best first; *bounded* is always among them.
    pub fn ways(&self) -> Vec<StrategyChoice> {
        let mut ways = Vec::new();
        let mut way = |strategy, index: Option<&Index>| {
            ways.push(StrategyChoice {
                strategy,
                index: index.map(|index| index.name.clone()),
                columns: index.map_or_else(Vec::new, |index| index.columns.clone()),
            });
        };
        if let Some(index) = self.status_index() {
            way(Strategy::StatusIndex, Some(index));
        }
        if let Some(id) = self.growing_id() {
            way(Strategy::Tail, self.catalogue.indexes.iter().find(|index| index.columns[0] == id.name));
        }
        if let Some(index) = self.time_index() {
            way(Strategy::TimeIndex, Some(index));
        }
        if !self.identity.is_empty() {
            way(Strategy::Walk, self.identity_index());
        }
        way(Strategy::Bounded, None);
        ways
    }

    /// Rows by an indexed time, oldest first.
    pub fn by_time(&self) -> Option<Order> {
        let index = self.time_index()?;
        let time = self.catalogue.column(&index.columns[0])?;
        let rest = self.identity.iter().filter(|column| column.name != time.name).cloned();
        Some(Order { by: std::iter::once(time.clone()).chain(rest).collect(), index: Some(index.name.clone()) })
    }

    /// A time so far ahead that no clock and no time zone explains it, as the column of [`Shape::by_time`] stores it.
    pub fn horizon(&self, now: DateTime<Utc>) -> Option<Raw> {
        let lead = &self.time_index()?.columns[0];
        let time = self.updated.iter().chain(&self.created).find(|time| time.column.name == *lead)?;
        let at = now.checked_add_signed(AHEAD)?;
        Some(match time.reading.unit {
            TimeUnit::EpochSeconds => Raw::Int(at.timestamp().into()),
            TimeUnit::EpochMillis => Raw::Int(at.timestamp_millis().into()),
            TimeUnit::EpochMicros => Raw::Int(at.timestamp_micros().into()),
            TimeUnit::Datetime | TimeUnit::Text => Raw::Text(at.format("%Y-%m-%d %H:%M:%S").to_string()),
        })
    }

    /// Rows by what tells them apart.
    pub fn by_identity(&self) -> Option<Order> {
        (!self.identity.is_empty()).then(|| Order { by: self.identity.clone(), index: None })
    }

    /// The last change is better than the creation, because what comes back is seen as well; but only where no row lacks
    /// it. Many tables leave it NULL until the first change, and new rows are what must not be missed.
    fn time_index(&self) -> Option<&Index> {
        if self.identity.is_empty() {
            return None;
        }
        let changed = sortable(&self.updated).filter(|time| !time.column.nullable);
        let times = [changed, sortable(&self.created)].into_iter().flatten();
        let leading = |time: &Time| self.catalogue.indexes.iter().find(|index| index.columns[0] == time.column.name);
        times.map(leading).find(Option::is_some).flatten()
    }

    fn identity_index(&self) -> Option<&Index> {
        let names: Vec<&String> = self.identity.iter().map(|column| &column.name).collect();
        self.catalogue.indexes.iter().find(|index| index.columns.iter().eq(names.iter().copied()))
    }
}

/// The only time of this kind, if its stored values sort as the instants that they stand for.
pub fn sortable(times: &[Time]) -> Option<&Time> {
    let [time] = times else { return None };
    (time.reading.unit != TimeUnit::Text && time.reading.format.is_none()).then_some(time)
}
