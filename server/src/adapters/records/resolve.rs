//! Names of the mapping, found among the columns of the catalogue, and what is refused because it could not be read.

use super::catalogue::{Catalogue, Column, Kind};
use super::piece::Piece;
use super::rule::{Check, RowRule, State};
use super::time::{Reading, Time};
use crate::config::{Code, Codes, Condition, Part, Records, StatusColumn, Test, TimeColumn, TimeUnit};
use app::model::{Fault, Status};
use chrono_tz::Tz;
use std::time::Duration;

pub struct Resolver<'a> {
    pub mapping: &'a Records,
    /// Of times that name no other.
    pub zone: Tz,
    pub catalogue: &'a Catalogue,
}

impl Resolver<'_> {
    pub fn there(&self, name: &str) -> Result<Column, Fault> {
        let missing = || Fault::ColumnMissing { table: self.mapping.table.to_string(), column: name.to_owned() };
        self.catalogue.column(name).cloned().ok_or_else(missing)
    }

    pub fn maybe(&self, name: Option<&String>) -> Result<Option<Column>, Fault> {
        name.map(|name| self.there(name)).transpose()
    }

    pub fn id(&self) -> Result<Option<Column>, Fault> {
        let id = self.maybe(self.mapping.id.as_ref())?;
        match &id {
            Some(id) if !id.can_grow() => Err(Fault::BadInput {
                what: format!("records.id = {:?}", id.name),
                detail: format!("its type is {}; an id is a growing integer, use this column as key", id.declared),
            }),
            _ => Ok(id),
        }
    }

    pub fn piece(&self, part: &Part) -> Result<Piece, Fault> {
        Piece::new(part, &self.mapping.table.table, |name| self.there(name))
    }

    pub fn pieces(&self, parts: &[Part]) -> Result<Vec<Piece>, Fault> {
        parts.iter().map(|part| self.piece(part)).collect()
    }

    /// Columns that are not read here, but that somebody relies on.
    pub fn others(&self) -> Result<(), Fault> {
        let write = self.mapping.write.iter().flat_map(|write| [&write.failed, &write.dead]).flatten().flatten();
        let written = write.map(|(column, _)| column);
        for column in [&self.mapping.version, &self.mapping.payload].into_iter().flatten().chain(written) {
            self.there(column)?;
        }
        Ok(())
    }

    pub fn state(&self) -> Result<State, Fault> {
        Ok(match &self.mapping.status {
            StatusColumn::Exists(status) => State::Always(*status),
            StatusColumn::Column(of) => {
                let (column, codes) = self.codes(of)?;
                State::Codes(column, codes)
            }
            StatusColumn::Rules { rules, otherwise } => State::Rules {
                rules: (rules.iter())
                    .map(|rule| Ok(RowRule { status: rule.status, when: self.checks("status.rules", &rule.when)? }))
                    .collect::<Result<_, Fault>>()?,
                otherwise: otherwise.as_ref().map(|codes| self.codes(codes)).transpose()?,
            },
        })
    }

    fn codes(&self, codes: &Codes) -> Result<(Column, Vec<(Code, Status)>), Fault> {
        let column = self.there(&codes.column)?;
        let meant = codes.codes.iter().map(|(code, status)| (meant(&column, code), *status)).collect();
        Ok((column, meant))
    }

    /// `role` is the key of the configuration that they stand at.
    pub fn checks(&self, role: &str, conditions: &[Condition]) -> Result<Vec<Check>, Fault> {
        conditions.iter().map(|condition| self.check(role, condition)).collect()
    }

    fn check(&self, role: &str, condition: &Condition) -> Result<Check, Fault> {
        let column = self.there(&condition.column)?;
        let mut check = Check { column, test: condition.test.clone(), time: None, other: None, other_time: None };
        match &condition.test {
            Test::OlderThan(_) | Test::NewerThan(_) => check.time = Some(self.as_mapped(role, &check.column)?),
            Test::GreaterThanColumn(other) => {
                let other = self.there(other)?;
                if self.is_time(&check.column) && self.is_time(&other) {
                    check.time = Some(self.as_mapped(role, &check.column)?);
                    check.other_time = Some(self.as_mapped(role, &other)?);
                }
                check.other = Some(other);
            }
            _ => {}
        }
        Ok(check)
    }

    fn is_time(&self, column: &Column) -> bool {
        let typed = matches!(column.kind, Kind::Wall | Kind::Instant | Kind::Date);
        typed || self.mapping.times().any(|mapped| mapped.column == column.name)
    }

    /// Read as where it is mapped as a time, else as its type says.
    fn as_mapped(&self, role: &str, column: &Column) -> Result<Time, Fault> {
        let mapped = self.mapping.times().find(|mapped| mapped.column == column.name);
        let plain = || TimeColumn::plain(&column.name);
        let mapped = mapped.map_or_else(plain, |mapped| TimeColumn { plus: Duration::ZERO, ..mapped.clone() });
        self.time(role, &mapped)
    }

    pub fn times(&self, role: &str, columns: &[TimeColumn]) -> Result<Vec<Time>, Fault> {
        columns.iter().map(|mapped| self.time(role, mapped)).collect()
    }

    fn time(&self, role: &str, mapped: &TimeColumn) -> Result<Time, Fault> {
        let column = self.there(&mapped.column)?;
        let unit = unit(&column, mapped).map_err(|detail| Fault::BadInput {
            what: format!("records.{role} = {:?}", mapped.column),
            detail: format!("its type is {}{detail}", column.declared),
        })?;
        let zone = mapped.timezone.unwrap_or(self.zone);
        let reading = Reading { unit, zone, format: mapped.format.clone(), plus: mapped.plus };
        Ok(Time { column, reading })
    }
}

/// A stated unit beats the declared type; a bare number is a question for a person. The error goes on after the type.
fn unit(column: &Column, mapped: &TimeColumn) -> Result<TimeUnit, String> {
    if column.is_no_time() {
        return Err(", which is no point in time; map a column with date and time, or an epoch".to_owned());
    }
    let never_epoch = matches!(column.kind, Kind::Wall | Kind::Instant | Kind::Date);
    match mapped.unit {
        Some(TimeUnit::EpochSeconds | TimeUnit::EpochMillis | TimeUnit::EpochMicros) if never_epoch => {
            Err(", which never holds an epoch; leave the unit out".to_owned())
        }
        Some(TimeUnit::Datetime) | None if column.is_number() => Err(format!(
            "; say which unit: {{ column = {:?}, unit = \"epoch_s\" | \"epoch_ms\" | \"epoch_us\" }}",
            mapped.column
        )),
        Some(unit) => Ok(unit),
        None => Ok(TimeUnit::Datetime),
    }
}

/// A word for a boolean means it.
fn meant(column: &Column, code: &Code) -> Code {
    match code {
        Code::Text(word) if column.kind == Kind::Bool => match word.to_lowercase().as_str() {
            "true" | "t" => Code::Bool(true),
            "false" | "f" => Code::Bool(false),
            _ => code.clone(),
        },
        code => code.clone(),
    }
}
