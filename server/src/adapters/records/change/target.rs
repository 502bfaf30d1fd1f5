//! What a change writes, checked against the table.

use crate::adapters::records::catalogue::{Column, Kind};
use crate::adapters::records::dialect::Dialect;
use crate::adapters::records::raw::Raw;
use crate::adapters::records::shape::Shape;
use crate::adapters::records::time::Time;
use crate::config::{Code, Release, TimeUnit, Write};
use crate::ports::changes::{Change, Possible};
use app::model::{Fault, Layer};
use chrono::{DateTime, TimeDelta, Utc};

/// What becomes of a row.
#[derive(Debug, Clone)]
pub enum Target {
    /// Columns with their new values, and the one that is set to the database's clock.
    Set {
        values: Vec<(Column, Raw)>,
        touch: Option<Time>,
    },
    Delete,
}

impl Target {
    pub fn possible(shape: &Shape) -> Result<Possible, Fault> {
        let Some(write) = &shape.mapping.write else { return Ok(Possible::default()) };
        // Columns that are not there are said now, not in the middle of the night.
        for values in [&write.failed, &write.dead].into_iter().flatten() {
            columns(shape, values)?;
        }
        // Without an identity nothing leads back to one row.
        if shape.identity.is_empty() {
            return Ok(Possible::default());
        }
        let mapping = &shape.mapping;
        Ok(Possible {
            open: write.release.is_some(),
            mark_failed: write.failed.is_some(),
            mark_dead: write.dead.is_some(),
            open_deletes: write.release == Some(Release::Delete),
            tells_touched: mapping.version.is_some()
                || mapping.owner.is_some()
                || !mapping.updated.is_empty()
                || !mapping.lease_until.is_empty(),
        })
    }

    pub fn of(shape: &Shape, change: Change) -> Result<Self, Fault> {
        let write = shape.mapping.write.as_ref().ok_or(Fault::NotConfigured { layer: Layer::Records })?;
        match (change, write.release) {
            (Change::Open, Some(Release::Delete)) => Ok(Self::Delete),
            (Change::Open, Some(Release::Status)) | (Change::MarkFailed, _) => {
                Self::set(shape, write, write.failed.as_ref())
            }
            (Change::MarkDead, _) => Self::set(shape, write, write.dead.as_ref()),
            (Change::Open, None) => Err(Fault::NotConfigured { layer: Layer::Records }),
        }
    }

    fn set(shape: &Shape, write: &Write, values: Option<&Vec<(String, Code)>>) -> Result<Self, Fault> {
        let values = values.ok_or(Fault::NotConfigured { layer: Layer::Records })?;
        let touch = match &write.touch {
            None => None,
            Some(name) => Some(
                (shape.updated.iter().find(|time| time.column.name == *name).cloned())
                    .ok_or_else(|| missing(shape, name))?,
            ),
        };
        Ok(Self::Set { values: columns(shape, values)?, touch })
    }

    /// Columns with what they are set to.
    pub fn written(&self, dialect: Dialect, now: DateTime<Utc>) -> Result<Vec<(Column, Raw)>, Fault> {
        let Self::Set { values, touch } = self else { return Ok(Vec::new()) };
        let mut written = values.clone();
        if let Some(time) = touch {
            let stored = time.stored(dialect, now).ok_or_else(|| Fault::BadInput {
                what: "records.write.touch".into(),
                detail: format!("no time can be written into {}", time.column.name),
            })?;
            // A row of codes may name the column itself.
            if !written.iter().any(|(column, _)| column.name == time.column.name) {
                written.push((time.column.clone(), stored));
            }
        }
        Ok(written)
    }
}

fn columns(shape: &Shape, values: &[(String, Code)]) -> Result<Vec<(Column, Raw)>, Fault> {
    let one = |(name, code): &(String, Code)| {
        let column = shape.catalogue.column(name).cloned().ok_or_else(|| missing(shape, name))?;
        Ok((column, raw(code)?))
    };
    values.iter().map(one).collect()
}

fn raw(code: &Code) -> Result<Raw, Fault> {
    Ok(match code {
        Code::Int(number) => Raw::Int(*number),
        Code::Text(text) => Raw::Text(text.clone()),
        Code::Bool(flag) => Raw::Int(i128::from(*flag)),
        Code::Null => Raw::Null,
        Code::Range(..) => {
            let detail = "a range is no value that can be written".to_owned();
            return Err(Fault::BadInput { what: "records.write".into(), detail });
        }
    })
}

fn missing(shape: &Shape, column: &str) -> Fault {
    Fault::ColumnMissing { table: shape.mapping.table.to_string(), column: column.to_owned() }
}

impl Time {
    /// An instant as this column stores it, in whole seconds where more is not sure to fit; `None`: it stores none.
    fn stored(&self, dialect: Dialect, at: DateTime<Utc>) -> Option<Raw> {
        let at = at.checked_sub_signed(TimeDelta::from_std(self.reading.plus).ok()?)?;
        let local = at.with_timezone(&self.reading.zone).naive_local();
        let declared = self.column.declared.to_ascii_lowercase();
        // MySQL would round half a second up, into the future.
        let keeps_fraction = dialect != Dialect::MySql || declared.contains("(6)");
        let seconds = if keeps_fraction { "%Y-%m-%d %H:%M:%S%.6f" } else { "%Y-%m-%d %H:%M:%S" };
        let number = |each: i64| Raw::Int(i128::from(at.timestamp_micros().div_euclid(each)));
        let text = match (self.reading.unit, self.column.kind, &self.reading.format) {
            (TimeUnit::EpochSeconds, ..) => return Some(number(1_000_000)),
            (TimeUnit::EpochMillis, ..) => return Some(number(1_000)),
            (TimeUnit::EpochMicros, ..) => return Some(number(1)),
            (TimeUnit::Text, _, Some(format)) => local.format(format).to_string(),
            (_, Kind::Date, _) => local.format("%Y-%m-%d").to_string(),
            (_, Kind::Instant, _) if dialect == Dialect::Postgres => at.format("%Y-%m-%d %H:%M:%S%.6f+00").to_string(),
            // The session's zone is UTC.
            (_, Kind::Instant, _) => at.format(seconds).to_string(),
            (_, Kind::Wall, _) => local.format(seconds).to_string(),
            // As SQLite's own functions write it, and as text is read where nothing else is said.
            (_, Kind::Text | Kind::Loose, _) => local.format("%Y-%m-%d %H:%M:%S").to_string(),
            _ => return None,
        };
        Some(Raw::Text(text))
    }
}
