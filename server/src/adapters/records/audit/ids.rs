//! How many ids the engine has left to hand out.

use super::super::catalogue::{Column, Kind};
use super::super::dialect::{Dialect, name};
use super::super::select::Selection;
use super::super::shape::Shape;
use super::super::store::Store;
use super::ask;
use crate::ports::audit::Ids;
use app::model::Fault;
use sea_query::Value;

pub async fn ids(store: &Store, shape: &Shape) -> Result<Option<Ids>, Fault> {
    let Some(column) = shape.catalogue.columns.iter().find(|column| column.assigned) else { return Ok(None) };
    let Some(end) = end(column) else { return Ok(None) };
    let handed_out = match shape.dialect {
        Dialect::MySql => next_id(store).await?.map(|next| HandedOut { last: Some(next - 1), end }),
        Dialect::Postgres => sequence(store, shape, column).await?,
        Dialect::Sqlite => None,
    };
    let of_sequence = handed_out.as_ref().map_or(end, |handed_out| handed_out.end);
    let used = match handed_out.and_then(|handed_out| handed_out.last) {
        // MySQL's statistics may be a day old.
        Some(last) if shape.dialect == Dialect::MySql => {
            Some(last.max(largest(store, shape, column).await?.unwrap_or(0)))
        }
        Some(last) => Some(last),
        None => largest(store, shape, column).await?,
    };
    Ok(used.map(|used| Ids { column: column.name.clone(), used, end: end.min(of_sequence) }))
}

/// What is known of the ids without looking at rows.
struct HandedOut {
    /// `None`: the account may not know.
    last: Option<i128>,
    end: i128,
}

async fn next_id(store: &Store) -> Result<Option<i128>, Fault> {
    let table = &store.source.records.table;
    let names = vec![Value::from(table.schema.clone()), Value::from(table.table.clone())];
    let lines = ask(store, NEXT_ID, names, 1).await?;
    Ok(lines.first().and_then(|line| line.text(0)?.parse().ok()))
}

/// Only a sequence that belongs to the column, and counts up.
async fn sequence(store: &Store, shape: &Shape, column: &Column) -> Result<Option<HandedOut>, Fault> {
    let table = &shape.mapping.table;
    let quote = |name: &str| shape.dialect.quote(name);
    let qualified = match &table.schema {
        Some(schema) => format!("{}.{}", quote(schema), quote(&table.table)),
        None => quote(&table.table),
    };
    let lines = ask(store, SEQUENCE, vec![Value::from(qualified), Value::from(column.name.clone())], 3).await?;
    Ok(lines.first().and_then(|line| {
        let last = match (line.holds(1), line.text(2)) {
            (true, None) => Some(0),
            (true, Some(last)) => Some(last.parse().ok()?),
            (false, _) => None,
        };
        Some(HandedOut { last, end: line.text(0)?.parse().ok()? })
    }))
}

/// By the end of an index; `None` where there is none, or no row.
async fn largest(store: &Store, shape: &Shape, column: &Column) -> Result<Option<i128>, Fault> {
    if !shape.catalogue.indexes.iter().any(|index| index.columns[0] == column.name) {
        return Ok(None);
    }
    let selection = Selection::of(std::iter::once(column));
    let mut select = selection.from(shape);
    select.order_by_expr(name(column), sea_query::Order::Desc).limit(1);
    let rows = store.fetch(&selection.build(shape.dialect, &select)).await?;
    Ok(rows.first().and_then(|cells| cells.first()?.as_int()))
}

/// The largest number that the column's type holds.
fn end(column: &Column) -> Option<i128> {
    if column.kind == Kind::Loose {
        return Some(i128::from(i64::MAX));
    }
    let declared = column.declared.to_ascii_lowercase();
    let base = declared.split(['(', ' ']).next().unwrap_or_default();
    let bits = match base {
        "tinyint" => 8,
        "smallint" => 16,
        "mediumint" => 24,
        "int" | "integer" => 32,
        "bigint" => 64,
        _ => return None,
    };
    let signed = !declared.contains("unsigned");
    Some((1_i128 << (bits - i32::from(signed))) - 1)
}

const NEXT_ID: &str = "SELECT CAST(auto_increment AS CHAR) FROM information_schema.tables \
    WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";

const SEQUENCE: &str = "SELECT s.seqmax::text, has_sequence_privilege(s.seqrelid, 'SELECT, USAGE')::text, \
    CASE WHEN has_sequence_privilege(s.seqrelid, 'SELECT, USAGE') THEN pg_sequence_last_value(s.seqrelid)::text END \
    FROM pg_sequence s WHERE s.seqrelid = pg_get_serial_sequence($1, $2)::regclass AND s.seqincrement > 0";

#[cfg(test)]
mod tests {
    use super::{Column, Kind, end};

    #[test]
    fn every_integer_type_has_its_end() {
        for (declared, largest) in [
            ("tinyint(3) unsigned", 255),
            ("smallint", 32_767),
            ("mediumint(8) unsigned", 16_777_215),
            ("int(11)", 2_147_483_647),
            ("int unsigned", 4_294_967_295),
            ("integer", 2_147_483_647),
            ("bigint", i128::from(i64::MAX)),
            ("bigint(20) unsigned", i128::from(u64::MAX)),
        ] {
            let column = Column {
                name: "id".into(),
                kind: Kind::Int,
                declared: declared.into(),
                nullable: false,
                assigned: true,
                generated: false,
            };
            assert_eq!(end(&column), Some(largest), "{declared}");
        }
    }
}
