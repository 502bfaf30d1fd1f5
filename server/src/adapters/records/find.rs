//! Look-up by business key, through an index. When only the key is known and the index leads with the type, the types
//! are found first, by the engine's own loose scan and afresh each time (a type that came up since would look like an
//! unknown key), and asked for together.

use super::catalogue::Column;
use super::dialect::{Dialect, Direction, RECORD, Statement, candidates, name};
use super::raw::Raw;
use super::select::{Cells, Selection, table};
use super::shape::Shape;
use super::store::Store;
use crate::config::TypeFrom;
use crate::ports::records::RecordStore;
use app::model::{Fault, Layer, Row};
use sea_query::{
    Alias, CommonTableExpression, Cond, Expr, ExprTrait, JoinType, Query, SelectStatement, UnionType, WithClause,
};

/// Most rows of one look-up.
const ROWS: usize = 100;
/// Most that are read for it, where some of a key's rows are not of this source.
const READ: usize = 5_000;
/// A joined key may be cut in many places; beyond this only the first ways are tried.
const SPLITS: usize = 64;
/// Most different leading values (types) that are asked for together.
const PREFIXES: usize = 2_000;
/// A table that has, for all that is known, up to this many rows may be read without an index, under the statement's
/// time-out.
const SMALL: u64 = 100_000;

pub async fn find(store: &Store, shape: &Shape, r#type: Option<&str>, key: &str) -> Result<Vec<Row>, Fault> {
    let wanted = match by_key(store, shape, r#type, key).await? {
        ByKey::Never => return Ok(Vec::new()),
        ByKey::Served(wanted) => wanted,
        ByKey::Unserved(_) if shape.catalogue.estimated_rows.is_none_or(|rows| rows > SMALL) => {
            return Err(Fault::Unreadable {
                layer: Layer::Records,
                detail: format!("no index of {} serves a look-up by key", shape.mapping.table),
            });
        }
        ByKey::Unserved(wanted) => wanted,
    };
    // What is not of this source is met as well and must not take the others' place: then many are read, narrowly, and
    // the whole of those that count.
    let is_mixed = !shape.belongs.is_empty() && !shape.identity.is_empty();
    let selection = if is_mixed { Selection::narrow(shape, &[]) } else { Selection::wide(shape) };
    let limit = if shape.belongs.is_empty() { ROWS } else { READ };
    let mut select = selection.from(shape);
    select.cond_where(wanted).limit(limit as u64);
    let mut rows = store.rows(shape, &selection, &select).await?;
    rows.truncate(ROWS);
    if !is_mixed {
        return Ok(rows);
    }
    store.get(&rows.into_iter().map(|row| row.reference.pk).collect::<Vec<_>>()).await
}

/// How rows of a key are asked for.
pub enum ByKey {
    /// Nothing of this source can have it.
    Never,
    /// An index finds them.
    Served(Cond),
    Unserved(Cond),
}

pub async fn by_key(store: &Store, shape: &Shape, r#type: Option<&str>, key: &str) -> Result<ByKey, Fault> {
    let mut given: Vec<Column> = shape.key.clone();
    let mut wanted = Cond::all().add(split_condition(shape, &shape.key, key));
    match (&shape.mapping.r#type, r#type) {
        (TypeFrom::Constant(constant), Some(wanted)) if wanted != constant => return Ok(ByKey::Never),
        (TypeFrom::Columns(columns), Some(r#type)) if !columns.is_empty() => {
            given.extend(shape.r#type.iter().cloned());
            wanted = wanted.add(split_condition(shape, &shape.r#type, r#type));
        }
        _ => {}
    }
    Ok(match shape.lookup_index(&given) {
        Some((_, open)) if open.is_empty() => ByKey::Served(wanted),
        Some((_, open)) => {
            let prefixes = prefixes(store, shape, &open).await?;
            ByKey::Served(wanted.add(prefix_condition(shape, &open, &prefixes)))
        }
        None => ByKey::Unserved(wanted),
    })
}

/// Any way of cutting `text` into the columns' values.
fn split_condition(shape: &Shape, columns: &[Column], text: &str) -> Cond {
    let ways = splits(text, columns.len());
    let one = |parts: Vec<&str>| {
        columns.iter().zip(parts).fold(Cond::all(), |all, (column, part)| {
            let mut values = candidates(column, part);
            // All NULL is no key at all, so NULL stands for an empty part only beside others.
            if part.is_empty() && columns.len() > 1 && column.nullable {
                values.push(Raw::Null);
            }
            all.add(if values.is_empty() { Expr::cust("1 = 0") } else { shape.dialect.among(column, &values) })
        })
    };
    ways.into_iter().map(one).fold(Cond::any(), Cond::add)
}

/// The ways to write `text` as `parts` pieces joined with `:`, shortest first pieces first.
pub fn splits(text: &str, parts: usize) -> Vec<Vec<&str>> {
    if parts <= 1 {
        return vec![vec![text]];
    }
    let mut ways = Vec::new();
    for (at, _) in text.match_indices(':') {
        for rest in splits(&text[at + 1..], parts - 1) {
            let mut way = vec![&text[..at]];
            way.extend(rest);
            ways.push(way);
            if ways.len() == SPLITS {
                return ways;
            }
        }
    }
    ways
}

fn prefix_condition(shape: &Shape, open: &[Column], prefixes: &[Vec<Raw>]) -> Cond {
    if let [column] = open {
        let mut values: Vec<Raw> = prefixes.iter().flatten().cloned().collect();
        if column.nullable {
            values.push(Raw::Null);
        }
        return Cond::all().add(shape.dialect.among(column, &values));
    }
    let one = |prefix: &Vec<Raw>| {
        open.iter().zip(prefix).fold(Cond::all(), |all, (column, value)| all.add(shape.dialect.equal(column, value)))
    };
    prefixes.iter().map(one).fold(Cond::any(), Cond::add)
}

async fn prefixes(store: &Store, shape: &Shape, open: &[Column]) -> Result<Vec<Vec<Raw>>, Fault> {
    let found = distinct(store, shape, open).await?;
    if found.len() > PREFIXES {
        return Err(Fault::BadInput {
            what: "type".into(),
            detail: format!("the table has more than {PREFIXES} types, so the type must be given"),
        });
    }
    Ok(found)
}

/// The different values of an index's leading columns, without NULL; at most one more than [`PREFIXES`].
/// Each engine has its own way to skip from one value to the next (measured at ten million rows): MariaDB does it for
/// a plain DISTINCT (0.16 ms; a recursive query takes 73 s), PostgreSQL only by a recursive query (0.28 ms; DISTINCT
/// takes 1,790 ms), and in SQLite a round trip for each value costs nothing.
pub async fn distinct(store: &Store, shape: &Shape, columns: &[Column]) -> Result<Vec<Vec<Raw>>, Fault> {
    let selection = Selection::of(columns.iter());
    let select = match shape.dialect {
        Dialect::MySql => loose(shape, &selection, columns),
        Dialect::Postgres => recursive(shape, &selection, columns),
        Dialect::Sqlite => return one_by_one(store, shape, &selection, columns).await,
    };
    let mut found = store.fetch(&select).await?;
    found.retain(|cells| !cells.iter().any(Raw::is_null));
    Ok(found)
}

/// `SELECT … FROM (SELECT DISTINCT …)`: an expression or a condition inside would make it read every row.
fn loose(shape: &Shape, selection: &Selection, columns: &[Column]) -> Statement {
    let mut values = Query::select();
    values.distinct().columns(columns.iter().map(|column| Alias::new(&column.name))).from(table(&shape.mapping.table));
    values.limit(PREFIXES as u64 + 1);
    let mut select = Query::select();
    select.exprs(columns.iter().map(|column| shape.dialect.readable(column))).from_subquery(values.take(), RECORD);
    selection.build(shape.dialect, &select)
}

fn ordered(columns: &[Column], select: &mut SelectStatement) -> SelectStatement {
    for column in columns {
        select.and_where(name(column).is_not_null());
        select.order_by_expr(name(column), sea_query::Order::Asc);
    }
    select.limit(1).take()
}

/// `WITH RECURSIVE skip AS ((first) UNION ALL SELECT next.* FROM skip CROSS JOIN LATERAL (first after skip) next) …`
fn recursive(shape: &Shape, selection: &Selection, columns: &[Column]) -> Statement {
    let names = || columns.iter().map(|column| Alias::new(&column.name));
    let plain = || Query::select().columns(names()).from(table(&shape.mapping.table)).take();
    let of = |relation: &'static str| columns.iter().map(move |column| Expr::col((relation, Alias::new(&column.name))));
    let mut after = plain();
    after.and_where(Expr::tuple(names().map(Expr::col)).gt(Expr::tuple(of("skip"))));
    let next = ordered(columns, &mut after);
    let step = Query::select()
        .exprs(of("next"))
        .from("skip")
        .join_lateral(JoinType::InnerJoin, next, "next", Expr::cust("TRUE"))
        .take();
    let mut first = Query::select();
    first.columns(names()).from_subquery(ordered(columns, &mut plain()), "first");
    first.union(UnionType::All, step);
    let mut skip = CommonTableExpression::new();
    skip.table_name("skip").columns(names()).query(first.take());
    let mut select = Query::select();
    select.exprs(columns.iter().map(|column| shape.dialect.readable(column))).from_as("skip", RECORD);
    select.limit(PREFIXES as u64 + 1);
    select.with_cte(WithClause::new().recursive(true).cte(skip).to_owned());
    selection.build(shape.dialect, &select)
}

async fn one_by_one(
    store: &Store,
    shape: &Shape,
    selection: &Selection,
    columns: &[Column],
) -> Result<Vec<Vec<Raw>>, Fault> {
    let mut found: Vec<Cells> = Vec::new();
    while found.len() <= PREFIXES {
        let mut select = selection.from(shape);
        if let Some(last) = found.last() {
            let columns: Vec<&Column> = columns.iter().collect();
            select.and_where(shape.dialect.beyond(&columns, last, Direction::Newer));
        }
        let select = ordered(columns, &mut select);
        match store.fetch(&selection.build(shape.dialect, &select)).await?.pop() {
            Some(cells) => found.push(cells),
            None => break,
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{SPLITS, splits};

    #[test]
    fn a_joined_key_is_cut_everywhere() {
        assert_eq!(splits("a:b:c", 2), [["a", "b:c"], ["a:b", "c"]]);
        assert_eq!(splits("a:b", 1), [["a:b"]]);
        assert_eq!(splits(":", 2), [["", ""]]);
        assert!(splits("ab", 2).is_empty());
        assert_eq!(splits(&"a:".repeat(200), 3).len(), SPLITS);
    }
}
