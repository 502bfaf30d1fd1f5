//! The mapping of the configuration, checked against the catalogue: which columns exist, what identifies a row,
//! which index serves what.

use super::catalogue::{Catalogue, Column, Index, Kind};
use super::dialect::Dialect;
use super::rule::{Check, RowRule};
use super::time::{Reading, Time};
use crate::config::{Code, Codes, Condition, Records, StatusColumn, Test, TimeColumn, TimeUnit, TypeFrom};
use app::model::{Fault, Status, Strategy, StrategyChoice};
use chrono_tz::Tz;

/// What says in which state a row is.
#[derive(Debug)]
pub enum State {
    Always(Status),
    Codes(Column, Vec<(Code, Status)>),
    /// The first that holds; where none does, the codes.
    Rules {
        rules: Vec<RowRule>,
        otherwise: Option<(Column, Vec<(Code, Status)>)>,
    },
}

#[derive(Debug)]
pub struct Shape {
    pub dialect: Dialect,
    pub mapping: Records,
    pub catalogue: Catalogue,
    pub key: Vec<Column>,
    pub r#type: Vec<Column>,
    /// Whose codes mean the status, where nothing else has a say.
    pub status: Option<Column>,
    pub state: State,
    /// Rows for which these do not all hold are not of this source.
    pub belongs: Vec<Check>,
    pub id: Option<Column>,
    /// The first that is there counts; so do the others.
    pub created: Vec<Time>,
    pub updated: Vec<Time>,
    pub lease_until: Vec<Time>,
    pub attempts: Option<Column>,
    pub error: Option<Column>,
    pub owner: Option<Column>,
    /// What tells rows apart, by a unique index over columns that are never NULL. Empty: nothing does.
    pub identity: Vec<Column>,
    pub choice: StrategyChoice,
}

/// An order that an index serves: rows that share the equal columns, by `by`.
#[derive(Debug, Clone)]
pub struct Order {
    /// The first may be NULL; together they are unique.
    pub by: Vec<Column>,
    /// The index to insist on: MySQL otherwise walks all rows of a status.
    pub index: Option<String>,
}

impl Shape {
    pub fn new(mapping: &Records, zone: Tz, catalogue: Catalogue, dialect: Dialect) -> Result<Self, Fault> {
        let there = |name: &str| {
            catalogue
                .column(name)
                .cloned()
                .ok_or_else(|| Fault::ColumnMissing { table: mapping.table.to_string(), column: name.to_owned() })
        };
        let maybe = |name: &Option<String>| name.as_deref().map(there).transpose();
        let time = |role: &str, columns: &[TimeColumn]| -> Result<Vec<Time>, Fault> {
            columns.iter().map(|mapped| time_of(role, mapped, there(&mapped.column)?, zone)).collect()
        };
        let check = |role: &str, condition: &Condition| -> Result<Check, Fault> {
            let column = there(&condition.column)?;
            let time = match condition.test {
                Test::OlderThan(_) | Test::NewerThan(_) => {
                    Some(time_of(role, &TimeColumn::plain(&condition.column), column.clone(), zone)?)
                }
                _ => None,
            };
            let other = match &condition.test {
                Test::GreaterThanColumn(other) => Some(there(other)?),
                _ => None,
            };
            Ok(Check { column, test: condition.test.clone(), time, other })
        };
        let checks = |role: &str, conditions: &[Condition]| -> Result<Vec<Check>, Fault> {
            conditions.iter().map(|condition| check(role, condition)).collect()
        };
        let codes = |codes: &Codes| Ok((there(&codes.column)?, codes.codes.clone()));
        let state = match &mapping.status {
            StatusColumn::Exists(status) => State::Always(*status),
            StatusColumn::Column(of) => codes(of).map(|(column, codes)| State::Codes(column, codes))?,
            StatusColumn::Rules { rules, otherwise } => State::Rules {
                rules: (rules.iter())
                    .map(|rule| Ok(RowRule { status: rule.status, when: checks("status.rules", &rule.when)? }))
                    .collect::<Result<_, Fault>>()?,
                otherwise: otherwise.as_ref().map(codes).transpose()?,
            },
        };
        let id = maybe(&mapping.id)?;
        if let Some(id) = id.as_ref().filter(|id| !matches!(id.kind, Kind::Int | Kind::Decimal | Kind::Loose)) {
            return Err(Fault::BadInput {
                what: format!("records.id = {:?}", id.name),
                detail: format!("its type is {}; an id is a growing integer, use this column as key", id.declared),
            });
        }
        maybe(&mapping.version)?;
        let mut shape = Self {
            dialect,
            key: mapping.key.iter().map(|name| there(name)).collect::<Result<_, _>>()?,
            r#type: match &mapping.r#type {
                TypeFrom::Columns(names) => names.iter().map(|name| there(name)).collect::<Result<_, _>>()?,
                TypeFrom::Constant(_) => Vec::new(),
            },
            status: match &state {
                State::Codes(column, _) => Some(column.clone()),
                State::Always(_) | State::Rules { .. } => None,
            },
            state,
            belongs: checks("where", &mapping.r#where)?,
            created: time("created", &mapping.created)?,
            updated: time("updated", &mapping.updated)?,
            lease_until: time("lease_until", &mapping.lease_until)?,
            attempts: maybe(&mapping.attempts)?,
            error: maybe(&mapping.error)?,
            owner: maybe(&mapping.owner)?,
            identity: Vec::new(),
            choice: StrategyChoice { strategy: Strategy::Bounded, index: None, columns: Vec::new() },
            id,
            mapping: mapping.clone(),
            catalogue,
        };
        shape.identity = shape.find_identity();
        shape.choice = shape.ways().remove(0);
        Ok(shape)
    }

    /// What leads back to a row: its identity, else type and key, which may stand for several rows.
    pub fn told_apart_by(&self) -> Vec<Column> {
        if self.identity.is_empty() {
            return self.r#type.iter().chain(&self.key).cloned().collect();
        }
        self.identity.clone()
    }

    /// The mapped id, when it is unique: by an index over it alone, or because the engine hands it out and an index
    /// leads with it (a partitioned table cannot have the former).
    pub fn growing_id(&self) -> Option<&Column> {
        let id = self.id.as_ref()?;
        let unique = |index: &Index| index.unique && index.columns == [id.name.clone()];
        let assigned = |index: &Index| id.assigned && index.columns[0] == id.name;
        self.catalogue.indexes.iter().any(|index| unique(index) || assigned(index)).then_some(id)
    }

    /// Columns that decide whether a row is of this source, and in which state.
    pub fn judged(&self) -> Vec<Column> {
        let of = |checks: &[Check]| checks.iter().flat_map(Check::columns).collect::<Vec<_>>();
        let mut columns = of(&self.belongs);
        if let State::Rules { rules, otherwise } = &self.state {
            columns.extend(rules.iter().flat_map(|rule| of(&rule.when)));
            columns.extend(otherwise.as_ref().map(|(column, _)| column.clone()));
        }
        // A value says as well whether it is there.
        columns.sort_by_key(|column| column.kind == Kind::Presence);
        columns
    }

    /// The best index that leads with the status: one that goes on with a time before one that does not. It would also
    /// count rows that are not of this source.
    pub fn status_index(&self) -> Option<&Index> {
        if !self.belongs.is_empty() {
            return None;
        }
        let status = &self.status.as_ref()?.name;
        let leading = || self.catalogue.indexes.iter().filter(|index| index.columns[0] == *status);
        leading().find(|index| self.order_after(index, 1).is_some()).or_else(|| leading().next())
    }

    /// The index whose first columns are exactly `equal`, in any order, and which goes on in an order worth paging by.
    pub fn ordered(&self, equal: &[&str]) -> Option<Order> {
        self.catalogue.indexes.iter().find_map(|index| {
            let (prefix, _) = index.columns.split_at_checked(equal.len())?;
            let covers = prefix.iter().all(|column| equal.contains(&column.as_str()));
            covers.then(|| self.order_after(index, equal.len())).flatten()
        })
    }

    /// What the rows of `index` are ordered by once its first `fixed` columns are given.
    fn order_after(&self, index: &Index, fixed: usize) -> Option<Order> {
        if self.identity.is_empty() {
            return None;
        }
        let found = |by: Vec<Column>| Some(Order { by, index: Some(index.name.clone()) });
        let next = index.columns.get(fixed);
        let ends_with_id = next.is_none() && index.carries_primary;
        if let Some(id) = self.growing_id() {
            let primary = self.catalogue.primary == [id.name.clone()];
            if next == Some(&id.name) || (ends_with_id && primary) {
                return found(vec![id.clone()]);
            }
        }
        let alone = [&self.updated, &self.created].into_iter().filter_map(|times| match times.as_slice() {
            [time] => Some(time),
            _ => None,
        });
        let time = alone.into_iter().find(|time| next == Some(&time.column.name))?;
        let mut by = vec![time.column.clone()];
        by.extend(self.identity.iter().filter(|column| column.name != time.column.name).cloned());
        found(by)
    }

    /// The order of the whole table: newest first by the growing id, else by an indexed time, else by the identity.
    pub fn whole(&self) -> Option<Order> {
        if let Some(id) = self.growing_id() {
            return Some(Order { by: vec![id.clone()], index: None });
        }
        let by_time = self.ordered(&[]);
        by_time.or_else(|| (!self.identity.is_empty()).then(|| Order { by: self.identity.clone(), index: None }))
    }

    fn find_identity(&self) -> Vec<Column> {
        if let Some(id) = self.growing_id() {
            return vec![id.clone()];
        }
        let columns = |names: &[String]| -> Option<Vec<Column>> {
            names.iter().map(|name| self.catalogue.column(name).cloned()).collect()
        };
        if !self.catalogue.primary.is_empty() {
            return columns(&self.catalogue.primary).unwrap_or_default();
        }
        let certain = |found: &Vec<Column>| found.iter().all(|column| !column.nullable);
        let unique = self.catalogue.indexes.iter().filter(|index| index.unique);
        unique.filter_map(|index| columns(&index.columns)).find(certain).unwrap_or_default()
    }

    /// The unique index that keeps one record for each key: its columns are all part of key or type.
    pub fn unique_key(&self) -> Option<&Index> {
        let parts: Vec<&str> = self.key.iter().chain(&self.r#type).map(|column| column.name.as_str()).collect();
        let within = |index: &&Index| index.columns.iter().all(|column| parts.contains(&column.as_str()));
        self.catalogue.indexes.iter().filter(|index| index.unique).find(within)
    }

    /// The index that finds rows by `given` columns, with the leading columns that are not given (at best none).
    pub fn lookup_index(&self, given: &[Column]) -> Option<(&Index, Vec<Column>)> {
        let is_given = |name: &String| given.iter().any(|column| column.name == *name);
        let is_key = |name: &String| self.key.iter().any(|column| column.name == *name);
        let candidates = self.catalogue.indexes.iter().filter_map(|index| {
            let reached = index.columns.iter().position(is_key)?;
            let open: Vec<Column> = index.columns[..reached]
                .iter()
                .filter(|name| !is_given(name))
                .map(|name| self.catalogue.column(name).cloned())
                .collect::<Option<_>>()?;
            // Several leading values with NULL among them cannot be enumerated.
            if open.len() > 1 && open.iter().any(|column| column.nullable) {
                return None;
            }
            let keys = index.columns.iter().filter(|name| is_key(name)).count();
            Some((index, open, keys))
        });
        candidates.min_by_key(|(_, open, keys)| (open.len(), usize::MAX - keys)).map(|(index, open, _)| (index, open))
    }
}

/// A stated unit beats the declared type; a bare integer is a question for a person.
fn time_of(role: &str, mapped: &TimeColumn, column: Column, zone: Tz) -> Result<Time, Fault> {
    let unit = match mapped.unit {
        Some(unit) => unit,
        None if column.is_integer() => {
            return Err(Fault::BadInput {
                what: format!("records.{role} = {:?}", mapped.column),
                detail: format!(
                    "its type is {}; say which unit: {{ column = {:?}, unit = \"epoch_s\" | \"epoch_ms\" | \"epoch_us\" }}",
                    column.declared, mapped.column
                ),
            });
        }
        None if mapped.format.is_some() => TimeUnit::Text,
        None => TimeUnit::Datetime,
    };
    let zone = mapped.timezone.unwrap_or(zone);
    let reading = Reading { unit, zone, format: mapped.format.clone(), plus: mapped.plus };
    Ok(Time { column, reading })
}
