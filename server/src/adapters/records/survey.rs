//! The tables of a database, from its catalogue, and a few of their rows.

use super::catalogue::{Catalogue, Column, Kind};
use super::dialect::{Dialect, Statement, name};
use super::select::{Cells, table};
use super::store::{Failure, Store};
use super::{mysql, postgres};
use crate::config::TableName;
use crate::ports::records::RecordStore;
use crate::ports::survey::{ColumnKind, ColumnSketch, IndexSketch, Indexes, Survey, TableSketch};
use app::model::{Fault, Layer};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_query::{Expr, Func, Query};

/// Longest text of a sample.
const LENGTH: i32 = 200;
/// Most rows of a sample.
const ROWS: u32 = 200;

#[async_trait]
impl Survey for Store {
    async fn tables(&self) -> Result<Vec<TableSketch>, Fault> {
        let sql = match self.engine.dialect() {
            Dialect::MySql => MYSQL,
            Dialect::Postgres => POSTGRES,
            Dialect::Sqlite => SQLITE,
        };
        let rows = self.surveyed(&Statement::fixed(sql, Vec::new(), vec![Kind::Text; 9])).await?;
        let mut tables: Vec<TableSketch> = Vec::new();
        for cells in &rows {
            let Some((table, view, column)) = sketch(self.engine.dialect(), cells) else { continue };
            match tables.last_mut().filter(|last| last.name == table) {
                Some(last) => last.columns.push(column),
                None => tables.push(TableSketch { name: table, view, columns: vec![column] }),
            }
        }
        Ok(tables)
    }

    async fn indexes(&self, table: &TableName) -> Result<Indexes, Fault> {
        let catalogue = self.catalogue_of(table).await?;
        let of = |index: &super::catalogue::Index| IndexSketch { unique: index.unique, columns: index.columns.clone() };
        Ok(Indexes { indexes: catalogue.indexes.iter().map(of).collect(), estimated_rows: catalogue.estimated_rows })
    }

    async fn sample(&self, of: &TableName, columns: &[String], limit: u32) -> Result<Vec<Vec<Option<String>>>, Fault> {
        let (dialect, catalogue) = (self.engine.dialect(), self.catalogue_of(of).await?);
        let columns: Vec<&Column> = columns.iter().filter_map(|name| catalogue.column(name)).collect();
        let mut select = Query::select();
        select.exprs(columns.iter().map(|column| cut(dialect, column))).from(table(of));
        if let Some(newest) = newest(&catalogue) {
            select.order_by_expr(name(newest), sea_query::Order::Desc);
        }
        select.limit(u64::from(limit.clamp(1, ROWS)));
        let statement = dialect.build(&select, columns.iter().map(|column| column.kind).collect());
        let rows = self.surveyed(&statement).await?;
        let texts = |cells: &Cells| cells.iter().zip(&columns).map(|(cell, column)| cell.show(column.kind)).collect();
        Ok(rows.iter().map(texts).collect())
    }

    async fn clock(&self) -> Result<DateTime<Utc>, Fault> {
        RecordStore::clock(self).await
    }
}

impl Store {
    async fn catalogue_of(&self, table: &TableName) -> Result<Catalogue, Fault> {
        match self.engine.catalogue(table).await {
            Ok(Some(catalogue)) => Ok(catalogue),
            Ok(None) | Err(Failure::Gone) => Err(Fault::TableMissing { table: table.to_string() }),
            Err(Failure::Fault(fault)) => Err(self.placed(fault)),
        }
    }

    /// Of tables that no shape was read of.
    async fn surveyed(&self, statement: &Statement) -> Result<Vec<Cells>, Fault> {
        self.engine.fetch(statement).await.map_err(|failure| match failure {
            Failure::Fault(fault) => self.placed(fault),
            Failure::Gone => {
                let detail = "a table was being changed just then".to_owned();
                Fault::Unreadable { layer: Layer::Records, detail }
            }
        })
    }
}

/// A growing id, else a time, where an index gives it: the end of that index is the newest row.
fn newest(catalogue: &Catalogue) -> Option<&Column> {
    let leading = || catalogue.indexes.iter().filter_map(|index| catalogue.column(&index.columns[0]));
    let single = catalogue.primary.first().filter(|_| catalogue.primary.len() == 1);
    let growing = |column: &&Column| {
        column.assigned
            || (Some(&column.name) == single && (column.kind == Kind::Int || kind(column) == ColumnKind::Integer))
    };
    leading().find(growing).or_else(|| leading().find(|column| matches!(column.kind, Kind::Wall | Kind::Instant)))
}

/// Bytes are only of use as a whole.
fn cut(dialect: Dialect, column: &Column) -> Expr {
    match column.kind {
        Kind::Text | Kind::Other => dialect.clipped(column, LENGTH),
        // Its values may be of any class; only a text is cut by characters.
        Kind::Loose => {
            let named = || name(column);
            let is_text = Expr::cust_with_exprs("typeof($1) = 'text'", [named()]);
            let part = Func::cust("substr").arg(named()).arg(1).arg(LENGTH);
            Expr::case(is_text, part).finally(named()).into()
        }
        _ => dialect.readable(column),
    }
}

/// `(table, view, column)` of a row: schema, table, `v` for a view, then as the engine's own catalogue has columns, and
/// the comment last.
fn sketch(dialect: Dialect, cells: &Cells) -> Option<(TableName, bool, ColumnSketch)> {
    let text = |at: usize| cells.get(at)?.show(Kind::Text);
    let table = TableName { schema: text(0), table: text(1)? };
    let of_column: Cells = cells.get(3..8)?.to_vec();
    let column = match dialect {
        Dialect::MySql => mysql::column(&of_column)?,
        Dialect::Postgres => postgres::column(&of_column)?,
        Dialect::Sqlite => Column {
            name: text(3)?,
            kind: Kind::Loose,
            declared: text(4).unwrap_or_default(),
            nullable: text(5).as_deref() == Some("0"),
            assigned: text(6).as_deref() == Some("1") && text(4)?.eq_ignore_ascii_case("integer"),
            generated: false,
        },
    };
    let kind = kind(&column);
    let comment = text(8).filter(|comment| !comment.trim().is_empty());
    let Column { name, declared, nullable, assigned, .. } = column;
    let column = ColumnSketch { name, kind, declared: declared.to_lowercase(), nullable, assigned, comment };
    Some((table, text(2).as_deref() == Some("v"), column))
}

fn kind(column: &Column) -> ColumnKind {
    match column.kind {
        Kind::Int => ColumnKind::Integer,
        Kind::Decimal => ColumnKind::Decimal,
        Kind::Bool => ColumnKind::Boolean,
        // One bit is a flag, more are a mask.
        Kind::Bits if matches!(column.declared.as_str(), "bit(1)" | "bit") => ColumnKind::Boolean,
        Kind::Text => ColumnKind::Text,
        Kind::Bytes => ColumnKind::Bytes,
        Kind::Uuid => ColumnKind::Uuid,
        Kind::Wall | Kind::Date => ColumnKind::WallTime,
        Kind::Instant => ColumnKind::Instant,
        Kind::Loose => loose(&column.declared.to_ascii_uppercase()),
        Kind::Bits | Kind::Other | Kind::Presence | Kind::Document | Kind::DocumentBytes => ColumnKind::Other,
    }
}

/// What a declaration of SQLite promises; it holds nobody to it.
fn loose(declared: &str) -> ColumnKind {
    let has = |part: &str| declared.contains(part);
    match () {
        () if has("BOOL") => ColumnKind::Boolean,
        () if has("DATE") || has("TIME") => ColumnKind::WallTime,
        () if has("INT") => ColumnKind::Integer,
        () if has("CHAR") || has("CLOB") || has("TEXT") => ColumnKind::Text,
        () if has("UUID") => ColumnKind::Uuid,
        () if has("BLOB") => ColumnKind::Bytes,
        () if has("DEC") || has("NUM") || has("REAL") || has("FLOA") || has("DOUB") => ColumnKind::Decimal,
        () => ColumnKind::Other,
    }
}

const MYSQL: &str = "SELECT NULL, CAST(t.table_name AS CHAR), CASE WHEN t.table_type = 'VIEW' THEN 'v' ELSE 'r' END, \
    CAST(c.column_name AS CHAR), CAST(c.data_type AS CHAR), CAST(c.column_type AS CHAR), CAST(c.is_nullable AS CHAR), \
    CAST(c.extra AS CHAR), CAST(c.column_comment AS CHAR) \
    FROM information_schema.tables t JOIN information_schema.columns c \
        ON c.table_schema = t.table_schema AND c.table_name = t.table_name \
    WHERE t.table_schema = DATABASE() ORDER BY t.table_name, c.ordinal_position LIMIT 40000";

/// Of tables in the search path the schema is not said.
const POSTGRES: &str = "SELECT CASE WHEN pg_table_is_visible(c.oid) THEN NULL ELSE n.nspname::text END, c.relname::text, \
    CASE WHEN c.relkind IN ('v', 'm') THEN 'v' ELSE 'r' END, \
    a.attname::text, t.typname::text, format_type(t.oid, NULL), a.attnotnull::text, \
    (a.attidentity <> '' OR COALESCE(pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%', false))::text, \
    col_description(c.oid, a.attnum) \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    JOIN pg_type declared ON declared.oid = a.atttypid \
    JOIN pg_type t ON t.oid = CASE declared.typtype WHEN 'd' THEN declared.typbasetype ELSE declared.oid END \
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition \
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_toast%' \
    AND n.nspname NOT LIKE 'pg\\_temp%' \
    ORDER BY n.nspname, c.relname, a.attnum LIMIT 40000";

const SQLITE: &str = r#"SELECT NULL, m.name, CASE WHEN m.type = 'view' THEN 'v' ELSE 'r' END,
    x.name, x.type, x."notnull", x.pk, NULL, NULL
    FROM sqlite_master m JOIN pragma_table_xinfo(m.name) x
    WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\'
    ORDER BY m.name, x.cid LIMIT 40000"#;
