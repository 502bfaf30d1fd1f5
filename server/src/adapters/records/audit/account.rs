//! What the account may do: it needs SELECT on the mapped columns, and nothing else.

use super::super::dialect::Dialect;
use super::super::store::Store;
use super::grants::{Grants, quoted_account};
use super::{ask, fault};
use crate::config::{Part, Records, StatusColumn, Test};
use crate::ports::audit::Account;
use app::model::Fault;
use sea_query::Value;

pub async fn account(store: &Store) -> Result<Account, Fault> {
    match store.engine.dialect() {
        Dialect::MySql => mysql(store).await,
        Dialect::Postgres => postgres(store).await,
        // A file has no accounts, and is opened only for reading.
        Dialect::Sqlite => Ok(Account::default()),
    }
}

async fn mysql(store: &Store) -> Result<Account, Fault> {
    let records = &store.source.records;
    let lines = ask(store, "SELECT CURRENT_USER(), DATABASE()", Vec::new(), 2).await?;
    let Some(line) = lines.first() else { return Ok(Account::default()) };
    let database = records.table.schema.as_deref().or(line.text(1)).unwrap_or_default().to_owned();
    let rows = store.engine.shown("SHOW GRANTS").await.map_err(|failure| fault(store, failure))?;
    let grants = Grants::parse(rows.iter().flatten().filter_map(|(_, text)| text.as_deref()));
    let table = &records.table.table;
    let unreadable = match grants.readable(&database, table) {
        // What a role brings is not in the list, so nothing is said about it.
        _ if grants.has_roles => None,
        None => None,
        Some(columns) => {
            let names: Vec<String> = mapped(records).into_iter().filter(|name| !columns.contains(name)).collect();
            (!names.is_empty()).then_some((columns.is_empty(), names))
        }
    };
    let to = quoted_account(line.text(0).unwrap_or_default());
    let missing = unreadable.map(|(whole, names)| {
        let quote = |name: &str| Dialect::MySql.quote(name);
        let which = if whole { String::new() } else { format!(" ({})", quoted(Dialect::MySql, &names)) };
        format!("GRANT SELECT{which} ON {}.{} TO {to}", quote(&database), quote(table))
    });
    Ok(Account { may_change: grants.changing(&database, table), missing: missing.into_iter().collect() })
}

async fn postgres(store: &Store) -> Result<Account, Fault> {
    let records = &store.source.records;
    let names = vec![Value::from(records.table.table.clone()), Value::from(records.table.schema.clone())];
    let lines = ask(store, POSTGRES, names, 11).await?;
    let Some(line) = lines.first() else { return Ok(Account::default()) };
    let quote = |name: &str| Dialect::Postgres.quote(name);
    let (schema, to) = (line.text(1).unwrap_or_default(), quote(line.text(0).unwrap_or_default()));
    let mut missing = Vec::new();
    if !line.holds(3) {
        missing.push(format!("GRANT USAGE ON SCHEMA {} TO {to}", quote(schema)));
    }
    let hidden: Vec<&str> = line.text(10).map(|names| names.split('\n').collect()).unwrap_or_default();
    let lacking: Vec<String> = mapped(records).into_iter().filter(|name| hidden.contains(&name.as_str())).collect();
    if !lacking.is_empty() {
        let which = if line.holds(9) { format!(" ({})", quoted(Dialect::Postgres, &lacking)) } else { String::new() };
        missing.push(format!("GRANT SELECT{which} ON {}.{} TO {to}", quote(schema), quote(&records.table.table)));
    }
    let privileges = ["superuser", "INSERT", "UPDATE", "DELETE", "TRUNCATE"];
    let held = [2, 4, 5, 6, 7].into_iter().zip(privileges).filter(|(at, _)| line.holds(*at));
    let may_change = match held.map(|(_, privilege)| privilege.to_owned()).collect::<Vec<_>>() {
        // A superuser may everything: that word alone says more.
        all if line.holds(2) => all.into_iter().take(1).collect(),
        some => some,
    };
    Ok(Account { may_change, missing })
}

fn quoted(dialect: Dialect, names: &[String]) -> String {
    names.iter().map(|name| dialect.quote(name)).collect::<Vec<_>>().join(", ")
}

/// Every column that the mapping names, once.
fn mapped(records: &Records) -> Vec<String> {
    let mut names: Vec<String> = records.id.iter().cloned().collect();
    for part in records.key.iter().chain(&records.r#type).chain(&records.error) {
        match part {
            Part::Column(column) | Part::Json { column, .. } => names.push(column.clone()),
            Part::Constant(_) | Part::TableName => {}
        }
    }
    let times = [&records.created, &records.updated, &records.lease_until];
    names.extend(times.into_iter().flatten().map(|time| time.column.clone()));
    let single = [&records.attempts, &records.owner, &records.version];
    names.extend(single.into_iter().flatten().cloned());
    let mut conditions: Vec<_> = records.r#where.iter().collect();
    match &records.status {
        StatusColumn::Exists(_) => {}
        StatusColumn::Column(codes) => names.push(codes.column.clone()),
        StatusColumn::Rules { rules, otherwise } => {
            conditions.extend(rules.iter().flat_map(|rule| &rule.when));
            names.extend(otherwise.iter().map(|codes| codes.column.clone()));
        }
    }
    for condition in conditions {
        names.push(condition.column.clone());
        if let Test::GreaterThanColumn(other) = &condition.test {
            names.push(other.clone());
        }
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

const POSTGRES: &str = "SELECT current_user::text, n.nspname::text, \
    (SELECT rolsuper::text FROM pg_roles WHERE rolname = current_user), has_schema_privilege(n.oid, 'USAGE')::text, \
    has_any_column_privilege(c.oid, 'INSERT')::text, has_any_column_privilege(c.oid, 'UPDATE')::text, \
    has_table_privilege(c.oid, 'DELETE')::text, has_table_privilege(c.oid, 'TRUNCATE')::text, \
    has_table_privilege(c.oid, 'SELECT')::text, has_any_column_privilege(c.oid, 'SELECT')::text, \
    (SELECT string_agg(a.attname, E'\\n') FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 \
        AND NOT a.attisdropped AND NOT has_column_privilege(c.oid, a.attnum, 'SELECT')) \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
    AND CASE WHEN $2::text IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = $2::text END";
