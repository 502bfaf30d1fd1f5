//! Keys by their beginning, through an index. Text and bytes that begin alike lie together; whole numbers that begin
//! alike are up to twenty stretches (2023, 20230 to 20239, …). A joined key's beginning fixes its first parts. Where the
//! index leads with the type, each type is asked on its own. What cannot be asked so is left to a bounded search.

use super::begins::{Stretch, stretches};
use super::catalogue::{Column, Index};
use super::dialect::{Dialect, candidates, name};
use super::distinct::distinct;

use super::piece::{self, Piece};
use super::raw::Raw;
use super::select::{Cells, Selection};
use super::shape::Shape;
use super::store::Store;
use app::model::Fault;
use sea_query::extension::mysql::{IndexHintScope, MySqlSelectStatementExt};
use sea_query::{Alias, SelectStatement};

/// Most types that are asked one by one.
const TYPES: usize = 64;
/// Most statements of one list.
const STATEMENTS: usize = 128;

/// All rows whose key begins so, or `None` where no index finds them or they are more than `most`. Some that do not
/// belong may be among them.
pub async fn beginning(
    store: &Store,
    shape: &Shape,
    selection: &Selection,
    asked: (Option<&str>, &str),
    most: usize,
) -> Result<Option<Vec<Cells>>, Fault> {
    let Some(probes) = probes(store, shape, asked).await? else { return Ok(None) };
    let mut found = Vec::new();
    for probe in probes {
        let select = probe.select(shape, selection, most + 1 - found.len());
        found.extend(store.fetch(&selection.build(shape.dialect, &select)).await?);
        if found.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

/// One statement: a stretch of one index.
struct Probe {
    index: Index,
    fixed: Vec<(Column, Vec<Raw>)>,
    begins: Option<(Column, Stretch)>,
}

impl Probe {
    fn select(&self, shape: &Shape, selection: &Selection, limit: usize) -> SelectStatement {
        let mut select = selection.from(shape);
        for (column, values) in &self.fixed {
            // One value is an equality, which keeps the index's order.
            select.and_where(match values.as_slice() {
                [value] => shape.dialect.equal(column, value),
                values => shape.dialect.among(column, values),
            });
        }
        if let Some((column, stretch)) = &self.begins {
            for condition in stretch.conditions(shape.dialect, column) {
                select.and_where(condition);
            }
        }
        match shape.dialect {
            // Otherwise it may walk the table until it has met enough of them.
            Dialect::MySql => {
                select.force_index(Alias::new(&self.index.name), IndexHintScope::All);
            }
            // Asked for the index's own order, it has no other way.
            Dialect::Postgres => {
                let given = self.fixed.len() + usize::from(self.begins.is_some());
                for column in self.index.columns.iter().take(given).filter_map(|name| shape.catalogue.column(name)) {
                    select.order_by_expr(name(column), sea_query::Order::Asc);
                }
            }
            Dialect::Sqlite => {}
        }
        select.limit(limit as u64).take()
    }
}

/// `None`: not all of them can be asked of an index.
async fn probes(store: &Store, shape: &Shape, asked: (Option<&str>, &str)) -> Result<Option<Vec<Probe>>, Fault> {
    let mut probes = Vec::new();
    for way in ways(shape, asked) {
        let Some((index, open)) = index(shape, &way) else { return Ok(None) };
        let begun = match &way.begins {
            Begins::Json => return Ok(None),
            Begins::Nothing => vec![None],
            Begins::Column(column, begin) => match stretches(shape.dialect, index, column, begin) {
                None => return Ok(None),
                Some(stretches) => {
                    stretches.into_iter().map(|stretch| Some((column.clone(), stretch))).collect::<Vec<_>>()
                }
            },
        };
        let leading = leading(store, shape, &open).await?;
        if leading.len() > TYPES {
            return Ok(None);
        }
        let fixed: Vec<&(Column, Vec<Raw>)> =
            way.fixed.iter().filter(|(column, _)| index.columns.contains(&column.name)).collect();
        for values in leading {
            for begins in &begun {
                let of = open.iter().cloned().zip(values.iter().map(|value| vec![value.clone()]));
                let fixed = of.chain(fixed.iter().map(|one| (*one).clone())).collect();
                probes.push(Probe { index: index.clone(), fixed, begins: begins.clone() });
            }
        }
        if probes.len() > STATEMENTS {
            return Ok(None);
        }
    }
    Ok(Some(probes))
}

/// One way of cutting type and beginning into the columns' values.
struct Way {
    fixed: Vec<(Column, Vec<Raw>)>,
    begins: Begins,
}

enum Begins {
    Column(Column, String),
    /// The beginning ends with a part, or within a constant.
    Nothing,
    /// Inside JSON, which no index knows.
    Json,
}

/// Ways that no row can be of are left out.
fn ways(shape: &Shape, (r#type, begin): (Option<&str>, &str)) -> Vec<Way> {
    let types: Vec<Vec<(Column, Vec<Raw>)>> = match r#type.filter(|_| !shape.r#type.is_empty()) {
        None => vec![Vec::new()],
        Some(of) => (piece::ways(&shape.r#type, of).into_iter())
            .filter_map(|parts| fixed(&shape.r#type, shape.r#type.len(), &parts))
            .collect(),
    };
    let mut ways = Vec::new();
    for (at, last) in shape.key.iter().enumerate() {
        // What the last part begins with is all that is left, whatever kind of part it is.
        for mut parts in piece::openings(&shape.key[..at], begin) {
            let Some(rest) = parts.pop() else { continue };
            let Some(of_key) = fixed(&shape.key[..at], shape.key.len(), &parts) else { continue };
            let begins = || match last {
                Piece::Constant(constant) => constant.starts_with(rest).then_some(Begins::Nothing),
                _ if rest.is_empty() => Some(Begins::Nothing),
                Piece::Column(column) => Some(Begins::Column(column.clone(), rest.to_owned())),
                Piece::Json { .. } => Some(Begins::Json),
            };
            for of_type in &types {
                let fixed = of_type.iter().chain(&of_key).cloned().collect();
                ways.extend(begins().map(|begins| Way { fixed, begins }));
            }
        }
    }
    ways
}

/// `None`: a column cannot hold its part. Inside JSON nothing is compared here.
fn fixed(pieces: &[Piece], of: usize, parts: &[&str]) -> Option<Vec<(Column, Vec<Raw>)>> {
    let columns = pieces.iter().zip(parts).filter_map(|(piece, part)| Some((piece.column()?, part)));
    let one = |(column, part): (&Column, &&str)| {
        let mut values = candidates(column, part);
        if part.is_empty() && of > 1 && column.nullable {
            values.push(Raw::Null);
        }
        (!values.is_empty()).then(|| (column.clone(), values))
    };
    columns.map(one).collect()
}

/// An index in which the way's rows lie together, with its leading columns that are not known (at best none).
fn index<'a>(shape: &'a Shape, way: &Way) -> Option<(&'a Index, Vec<Column>)> {
    let is_fixed = |column: &String| way.fixed.iter().any(|(fixed, _)| fixed.name == *column);
    let parts: Vec<&String> = way
        .fixed
        .iter()
        .map(|(column, _)| &column.name)
        .filter(|column| piece::columns(&shape.key).any(|key| key.name == **column))
        .collect();
    let found = shape.catalogue.indexes.iter().filter_map(|index| {
        let reach = match &way.begins {
            Begins::Column(column, _) => index.columns.iter().position(|of| *of == column.name)?,
            Begins::Nothing | Begins::Json => index.columns.iter().rposition(|of| parts.contains(&of))? + 1,
        };
        let before = &index.columns[..reach];
        let open = before.iter().take_while(|column| !is_fixed(column)).count();
        let rest_is_known = before[open..].iter().all(is_fixed);
        let has_all_parts = parts.iter().all(|part| before.contains(part));
        let begins = match &way.begins {
            Begins::Column(column, begin) => stretches(shape.dialect, index, column, begin).is_some(),
            Begins::Nothing => true,
            Begins::Json => false,
        };
        if !(rest_is_known && has_all_parts && begins) {
            return None;
        }
        let open: Vec<Column> =
            before[..open].iter().map(|column| shape.catalogue.column(column).cloned()).collect::<Option<_>>()?;
        let countable = open.len() <= 1 || open.iter().all(|column| !column.nullable);
        countable.then_some((index, open))
    });
    found.min_by_key(|(_, open)| open.len())
}

/// The values of an index's leading columns, afresh.
async fn leading(store: &Store, shape: &Shape, open: &[Column]) -> Result<Vec<Vec<Raw>>, Fault> {
    if open.is_empty() {
        return Ok(vec![Vec::new()]);
    }
    let mut values = distinct(store, shape, open).await?;
    if open.iter().any(|column| column.nullable) {
        values.push(vec![Raw::Null]);
    }
    Ok(values)
}
