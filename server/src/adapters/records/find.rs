//! Look-up by business key, through an index. When only the key is known and the index leads with the type, the types
//! are found first, by the engine's own loose scan and afresh each time (a type that came up since would look like an
//! unknown key), and asked for together. What lies inside JSON no index finds: see [`super::search`].

use super::catalogue::Column;
use super::dialect::{Dialect, Direction, RECORD, Statement, candidates, name};
use super::piece::{self, Piece, ways};
use super::raw::Raw;
use super::search;
use super::select::{Cells, Selection, table};
use super::shape::Shape;
use super::store::Store;
use crate::ports::records::RecordStore;
use app::model::{Fault, Layer, Row};
use sea_query::{
    Alias, CommonTableExpression, Cond, Expr, ExprTrait, JoinType, MysqlQueryBuilder, Query, SelectStatement,
    UnionType, WithClause,
};

/// Most rows of one look-up.
pub const ROWS: u64 = 100;
/// Most that are read for it, where some of a key's rows are not of this source.
const READ: usize = 5_000;
/// Most different leading values (types) that are asked for together.
const PREFIXES: usize = 2_000;
/// A table that has, for all that is known, up to this many rows may be read without an index, under the statement's
/// time-out.
pub const SMALL: u64 = 100_000;

pub async fn find(store: &Store, shape: &Shape, r#type: Option<&str>, key: &str) -> Result<Vec<Row>, Fault> {
    // A source without types has its keys under any.
    let r#type = r#type.filter(|_| !shape.r#type.is_empty());
    let Some(asked) = Asked::of(shape, r#type, key) else { return Ok(Vec::new()) };
    if asked.lies_in_json {
        let Asked { given, columns, .. } = asked;
        return search::find(store, shape, &search::Wanted { r#type, key, given: &given, columns }).await;
    }
    let wanted = match asked.by_index(store, shape).await? {
        Ok(served) => served,
        Err(_) if !is_small(shape) => return Err(no_index(shape)),
        Err(asked) => asked.columns,
    };
    // What is not of this source is met as well and must not take the others' place: then many are read, narrowly, and
    // the whole of those that count.
    let is_mixed = !shape.belongs.is_empty() && !shape.identity.is_empty();
    let selection = if is_mixed { Selection::keys(shape, &[]) } else { Selection::wide(shape) };
    let limit = if shape.belongs.is_empty() { ROWS } else { selection.at_most(READ) as u64 };
    let mut select = selection.from(shape);
    select.cond_where(wanted).limit(limit);
    let mut rows = store.rows(shape, &selection, &select).await?;
    // Where every part is NULL there is no key, though each part alone was asked for.
    rows.retain(|row| row.record.key.is_some() && (r#type.is_none() || row.record.r#type.is_some()));
    rows.truncate(usize::try_from(ROWS).unwrap_or(usize::MAX));
    if !is_mixed {
        return Ok(rows);
    }
    store.get(&rows.into_iter().map(|row| row.reference).collect::<Vec<_>>()).await
}

/// What columns are compared with for a key.
pub struct Asked {
    /// Columns that are compared whole.
    pub given: Vec<Column>,
    pub columns: Cond,
    /// More is to be compared, which no database is asked to.
    pub lies_in_json: bool,
}

impl Asked {
    /// `None`: nothing of this source can have the key.
    pub fn of(shape: &Shape, r#type: Option<&str>, key: &str) -> Option<Self> {
        let r#type = r#type.filter(|_| !shape.r#type.is_empty());
        let typed = r#type.map_or(&[][..], |_| &shape.r#type);
        let by_key = ways(&shape.key, key);
        let by_type = r#type.map(|r#type| ways(typed, r#type));
        if by_key.is_empty() || by_type.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        let given: Vec<Column> = piece::columns(&shape.key).chain(piece::columns(typed)).cloned().collect();
        let mut columns = Cond::all().add(condition(shape, &shape.key, by_key));
        if let Some(by_type) = by_type {
            columns = columns.add(condition(shape, typed, by_type));
        }
        Some(Self { given, columns, lies_in_json: piece::has_json(&shape.key) || piece::has_json(typed) })
    }

    /// As an index finds it; `Err`: none does.
    pub async fn by_index(self, store: &Store, shape: &Shape) -> Result<Result<Cond, Self>, Fault> {
        Ok(match shape.lookup_index(&self.given) {
            Some((_, open)) if open.is_empty() => Ok(self.columns),
            Some((_, open)) => {
                let prefixes = prefixes(store, shape, &open).await?;
                Ok(self.columns.add(prefix_condition(shape, &open, &prefixes)))
            }
            None => Err(self),
        })
    }
}

/// For all that is known.
pub fn is_small(shape: &Shape) -> bool {
    shape.catalogue.estimated_rows.is_some_and(|rows| rows <= SMALL)
}

fn no_index(shape: &Shape) -> Fault {
    Fault::Unreadable {
        layer: Layer::Records,
        detail: format!("no index of {} serves a look-up by key", shape.mapping.table),
    }
}

/// What the type's columns are compared with; `None`: part of it lies inside JSON, or there is none.
pub fn of_type(shape: &Shape, r#type: &str) -> Option<Cond> {
    let is_asked = !shape.r#type.is_empty() && !piece::has_json(&shape.r#type);
    is_asked.then(|| condition(shape, &shape.r#type, ways(&shape.r#type, r#type)))
}

/// Any of these ways; what lies inside JSON is left to the reader.
fn condition(shape: &Shape, pieces: &[Piece], ways: Vec<Vec<&str>>) -> Cond {
    let one = |parts: Vec<&str>| {
        pieces.iter().zip(parts).fold(Cond::all(), |all, (piece, part)| match piece.column() {
            Some(column) => all.add(equal(shape, column, part, pieces.len() > 1)),
            None => all,
        })
    };
    ways.into_iter().map(one).fold(Cond::any(), Cond::add)
}

/// All NULL is no key at all, so NULL stands for an empty part only beside others.
fn equal(shape: &Shape, column: &Column, part: &str, beside_others: bool) -> Expr {
    let mut values = candidates(column, part);
    if part.is_empty() && beside_others && column.nullable {
        values.push(Raw::Null);
    }
    if values.is_empty() { Expr::cust("1 = 0") } else { shape.dialect.among(column, &values) }
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
/// a plain GROUP BY (0.16 ms; a recursive query takes 73 s), PostgreSQL only by a recursive query (0.28 ms; DISTINCT
/// takes 1,790 ms), SQLite by one of single values (0.04 ms).
pub async fn distinct(store: &Store, shape: &Shape, columns: &[Column]) -> Result<Vec<Vec<Raw>>, Fault> {
    let selection = Selection::of(columns.iter());
    let select = match shape.dialect {
        Dialect::MySql => loose(shape, &selection, columns),
        Dialect::Postgres => recursive(shape, &selection, columns),
        Dialect::Sqlite => match columns {
            [column] => stepping(shape, &selection, column),
            // A step gives one value; of several columns each is a statement of its own.
            _ => return one_by_one(store, shape, &selection, columns).await,
        },
    };
    let mut found = store.fetch(&select).await?;
    found.retain(|cells| !cells.iter().any(Raw::is_null));
    Ok(found)
}

/// `SELECT … GROUP BY` the columns as they are: by an expression, or with a condition, every row would be read. So it
/// would be by a prepared statement, once another one has read the table: this one is written out.
fn loose(shape: &Shape, selection: &Selection, columns: &[Column]) -> Statement {
    let mut select = Query::select();
    select.exprs(columns.iter().map(|column| shape.dialect.readable(column)));
    select.from(table(&shape.mapping.table)).add_group_by(columns.iter().map(name)).limit(PREFIXES as u64 + 1);
    let built = selection.build(shape.dialect, &select);
    Statement::fixed(&select.to_string(MysqlQueryBuilder), Vec::new(), built.kinds)
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

/// `WITH RECURSIVE skip AS (SELECT min(…) UNION ALL SELECT (SELECT min(…) above skip) FROM skip WHERE … IS NOT NULL) …`;
/// the last row is NULL.
fn stepping(shape: &Shape, selection: &Selection, column: &Column) -> Statement {
    let value = Expr::col(("skip", Alias::new(&column.name)));
    let least = || Query::select().expr(name(column).min()).from(table(&shape.mapping.table)).take();
    let next = least().and_where(name(column).gt(value.clone())).take();
    let step = Query::select()
        .expr(Expr::SubQuery(None, Box::new(next.into())))
        .from("skip")
        .and_where(value.is_not_null())
        .take();
    let mut first = least();
    first.union(UnionType::All, step);
    let mut skip = CommonTableExpression::new();
    skip.table_name("skip").columns([Alias::new(&column.name)]).query(first);
    let mut select = Query::select();
    select.expr(shape.dialect.readable(column)).from_as("skip", RECORD).limit(PREFIXES as u64 + 2);
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
