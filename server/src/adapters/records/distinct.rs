//! The different values of an index's leading columns, such as the types, without reading every row.

use super::catalogue::Column;
use super::dialect::{Dialect, Direction, RECORD, Statement, name};
use super::raw::Raw;
use super::select::{Cells, Selection, table};
use super::shape::Shape;
use super::store::Store;
use app::model::Fault;
use sea_query::{
    Alias, CommonTableExpression, Expr, ExprTrait, JoinType, MysqlQueryBuilder, Query, SelectStatement, UnionType,
    WithClause,
};

/// Most that are asked for.
pub const MOST: usize = 2_000;

/// Without NULL; at most one more than [`MOST`]. Each engine has its own way to skip from one value to the next (measured
/// at ten million rows): MariaDB does it for a plain GROUP BY (0.16 ms; a recursive query takes 73 s), PostgreSQL only by
/// a recursive query (0.28 ms; DISTINCT takes 1,790 ms), SQLite by one of single values (0.04 ms).
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
    select.from(table(&shape.mapping.table)).add_group_by(columns.iter().map(name)).limit(MOST as u64 + 1);
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
    select.limit(MOST as u64 + 1);
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
    select.expr(shape.dialect.readable(column)).from_as("skip", RECORD).limit(MOST as u64 + 2);
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
    while found.len() <= MOST {
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
