//! The mapping of the configuration, checked against the catalogue: which columns exist, what identifies a row,
//! which index serves what.

use super::catalogue::{Catalogue, Column, Index, Kind};
use super::dialect::Dialect;
use super::piece::{self, Piece};
use super::resolve::Resolver;
use super::rule::{Check, RowRule};
use super::time::Time;
use crate::config::{Code, Records, Test};
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
    pub key: Vec<Piece>,
    pub r#type: Vec<Piece>,
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
    pub error: Option<Piece>,
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
        let resolver = Resolver { mapping, zone, catalogue: &catalogue };
        resolver.others()?;
        let state = resolver.state()?;
        let mut shape = Self {
            dialect,
            key: resolver.pieces(&mapping.key)?,
            r#type: resolver.pieces(&mapping.r#type)?,
            status: match &state {
                State::Codes(column, _) => Some(column.clone()),
                State::Always(_) | State::Rules { .. } => None,
            },
            state,
            belongs: resolver.checks("where", &mapping.r#where)?,
            created: resolver.times("created", &mapping.created)?,
            updated: resolver.times("updated", &mapping.updated)?,
            lease_until: resolver.times("lease_until", &mapping.lease_until)?,
            attempts: resolver.maybe(mapping.attempts.as_ref())?,
            error: mapping.error.as_ref().map(|error| resolver.piece(error)).transpose()?,
            owner: resolver.maybe(mapping.owner.as_ref())?,
            id: resolver.id()?,
            identity: Vec::new(),
            choice: StrategyChoice { strategy: Strategy::Bounded, index: None, columns: Vec::new() },
            mapping: mapping.clone(),
            catalogue,
        };
        shape.identity = shape.find_identity();
        shape.choice = shape.ways().remove(0);
        Ok(shape)
    }

    /// What leads back to a row: its identity, else the columns of type and key, which may stand for several rows. Empty:
    /// nothing does.
    pub fn told_apart_by(&self) -> Vec<Column> {
        if self.identity.is_empty() {
            return piece::columns(&self.r#type).chain(piece::columns(&self.key)).cloned().collect();
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

    /// Whether what a row is depends on how old it is.
    pub fn goes_by_age(&self) -> bool {
        let of_rules = match &self.state {
            State::Rules { rules, .. } => rules.as_slice(),
            State::Always(_) | State::Codes(..) => &[],
        };
        let checks = of_rules.iter().flat_map(|rule| &rule.when).chain(&self.belongs);
        checks.into_iter().any(|check| matches!(check.test, Test::OlderThan(_) | Test::NewerThan(_)))
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
    pub(super) fn order_after(&self, index: &Index, fixed: usize) -> Option<Order> {
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
        let columns = piece::columns(&self.key).chain(piece::columns(&self.r#type));
        let parts: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
        let within = |index: &&Index| index.columns.iter().all(|column| parts.contains(&column.as_str()));
        self.catalogue.indexes.iter().filter(|index| index.unique).find(within)
    }

    /// The index that finds a key, where the columns of `given` have values, with the leading columns that are not given
    /// (at best none). What lies inside JSON no index finds.
    pub fn lookup_index(&self, given: &[Column]) -> Option<(&Index, Vec<Column>)> {
        if piece::has_json(&self.key) {
            return None;
        }
        let is_given = |name: &String| given.iter().any(|column| column.name == *name);
        let is_key = |name: &String| piece::columns(&self.key).any(|column| column.name == *name);
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
