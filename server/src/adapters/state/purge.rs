//! Old rows go in bounded steps, so that other writers get their turn.

use super::engine::Engine;
use sea_query::{Alias, DeleteStatement, Expr, ExprTrait, Order, Query};

const AT_ONCE: u64 = 1_000;

/// Deletes the oldest rows of a table before a time, at most 1,000. `key` tells rows apart.
///
/// MySQL has `DELETE … LIMIT` and no limit inside `IN`; the others have it the other way round.
pub(super) fn oldest(
    engine: Engine,
    table: &'static str,
    key: &[&'static str],
    at: &'static str,
    before_ms: i64,
) -> DeleteStatement {
    let old = || Expr::col(at).lt(before_ms);
    let mut purge = Query::delete();
    purge.from_table(table);
    match engine {
        Engine::Mysql => {
            purge.and_where(old()).order_by(at, Order::Asc).limit(AT_ONCE);
        }
        Engine::Sqlite | Engine::Postgres => {
            let mut oldest = Query::select();
            let columns = || key.iter().map(|column| Alias::new(*column));
            oldest.columns(columns()).from(table).and_where(old()).order_by(at, Order::Asc).limit(AT_ONCE);
            purge.and_where(Expr::tuple(columns().map(Expr::col)).in_subquery(oldest));
        }
    }
    purge
}
