//! How an archive is made: with the columns of the table as the catalogue has them, without what makes keys unique.

use crate::adapters::records::audit::{ask, fault};
use crate::adapters::records::catalogue::{Catalogue, Column};
use crate::adapters::records::dialect::{Dialect, Statement};
use crate::adapters::records::store::{Failure, Store};
use crate::adapters::records::work::{Trouble, Writer};
use crate::config::TableName;
use app::model::Fault;
use std::collections::BTreeMap;

/// The archive's own key: what was moved may recur, id and all, and replication wants one.
const OWN: &str = "oncewatch_archive_id";

/// A table's columns with their whole types, as DDL has them.
pub struct Defined {
    pub catalogue: Catalogue,
    types: BTreeMap<String, String>,
}

impl Defined {
    /// `None`: there is no such table.
    pub async fn of(store: &Store) -> Result<Option<Self>, Fault> {
        let catalogue = match store.engine.catalogue(store.table()).await {
            Ok(Some(catalogue)) => catalogue,
            Ok(None) | Err(Failure::Gone) => return Ok(None),
            Err(failure) => return Err(fault(store, failure)),
        };
        let sql = match store.engine.dialect() {
            Dialect::MySql => MYSQL,
            Dialect::Postgres => POSTGRES,
            Dialect::Sqlite => "SELECT name, type FROM pragma_table_xinfo(?2, COALESCE(?1, 'main'))",
        };
        let values = vec![store.table().schema.clone().into(), store.table().table.clone().into()];
        let lines = ask(store, sql, values, 2).await?;
        let types = lines.iter().filter_map(|line| Some((line.text(0)?.to_owned(), line.text(1)?.to_owned())));
        Ok(Some(Self { catalogue, types: types.collect() }))
    }

    pub fn r#type(&self, column: &str) -> &str {
        self.types.get(column).map_or("", String::as_str)
    }

    /// Those that hold something of their own.
    pub fn written(&self) -> impl Iterator<Item = &Column> {
        self.catalogue.columns.iter().filter(|column| !column.generated)
    }
}

/// The statements that make the archive of a table.
pub async fn ddl(table: &Store, archive: &TableName) -> Result<Vec<String>, Fault> {
    let missing = || Fault::TableMissing { table: table.table().to_string() };
    let defined = Defined::of(table).await?.ok_or_else(missing)?;
    let shape = table.read_shape().await?;
    let quote = |name: &str| shape.dialect.quote(name);
    let listed = |names: &[&str]| names.iter().map(|name| quote(name)).collect::<Vec<_>>().join(", ");
    let name = shape.dialect.quote_table(archive);
    let own = match shape.dialect {
        Dialect::MySql => "BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY",
        Dialect::Postgres => "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        Dialect::Sqlite => "INTEGER PRIMARY KEY",
    };
    let mut lines = vec![format!("{} {own}", quote(OWN))];
    lines.extend(defined.written().map(|column| {
        let null = match (column.nullable, shape.dialect) {
            (false, _) => " NOT NULL",
            // A TIMESTAMP would otherwise get a default of the server's own.
            (true, Dialect::MySql) => " NULL",
            (true, _) => "",
        };
        format!("{} {}{null}", quote(&column.name), defined.r#type(&column.name))
    }));
    // By what a row is found again: its identity, and its key.
    let identity: Vec<&str> = shape.identity.iter().map(|column| column.name.as_str()).collect();
    let key: Vec<&str> =
        shape.unique_key().map(|index| index.columns.iter().map(String::as_str).collect()).unwrap_or_default();
    let indexes = [("identity", &identity), ("key", &key)].into_iter();
    let indexes =
        indexes.filter(|(what, columns)| !columns.is_empty() && (*what == "identity" || **columns != identity));
    Ok(match shape.dialect {
        Dialect::MySql => {
            lines.extend(indexes.map(|(_, columns)| format!("KEY ({})", listed(columns))));
            vec![format!("CREATE TABLE {name} (\n  {}\n) ENGINE = InnoDB", lines.join(",\n  "))]
        }
        Dialect::Postgres => std::iter::once(format!("CREATE TABLE {name} (\n  {}\n)", lines.join(",\n  ")))
            .chain(indexes.map(|(_, columns)| format!("CREATE INDEX ON {name} ({})", listed(columns))))
            .collect(),
        Dialect::Sqlite => {
            let index = |(what, columns): (&str, &Vec<&str>)| {
                let index = quote(&format!("{}_by_{what}", archive.table));
                let schema = archive.schema.iter().map(|schema| format!("{}.", quote(schema))).collect::<String>();
                format!("CREATE INDEX {schema}{index} ON {} ({})", quote(&archive.table), listed(columns))
            };
            std::iter::once(format!("CREATE TABLE {name} (\n  {}\n)", lines.join(",\n  ")))
                .chain(indexes.map(index))
                .collect()
        }
    })
}

pub async fn create(writer: &dyn Writer, statements: Vec<String>) -> Result<(), Trouble> {
    let mut work = writer.begin().await?;
    for sql in statements {
        work.execute(&Statement::fixed(&sql, Vec::new(), Vec::new())).await?;
    }
    work.commit().await
}

const MYSQL: &str = "SELECT CAST(column_name AS CHAR), CAST(CONCAT(column_type, IF(collation_name IS NULL, '', \
    CONCAT(' CHARACTER SET ', character_set_name, ' COLLATE ', collation_name))) AS CHAR) \
    FROM information_schema.columns WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";

/// With length and collation, where it is not the type's own.
const POSTGRES: &str = "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod) \
    || CASE WHEN a.attcollation <> t.typcollation THEN ' COLLATE ' || quote_ident(s.nspname) || '.' || quote_ident(l.collname) \
       ELSE '' END \
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
    JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation l ON l.oid = a.attcollation \
    LEFT JOIN pg_namespace s ON s.oid = l.collnamespace \
    WHERE CASE WHEN $1::text IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = $1::text END \
    AND c.relname = $2 AND c.relkind IN ('r', 'p', 'f') AND a.attnum > 0 AND NOT a.attisdropped";
