//! What the catalogue knows that stands in the way of moving rows: engines, foreign keys, triggers, grants.

use crate::adapters::records::audit::grants::{Grants, quoted_account};
use crate::adapters::records::audit::{ask, fault};
use crate::adapters::records::dialect::Dialect;
use crate::adapters::records::store::Store;
use app::model::Fault;
use sea_query::Value;

/// What a trigger may be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Insert,
    Delete,
}

fn named(store: &Store) -> Vec<Value> {
    vec![store.table().schema.clone().into(), store.table().table.clone().into()]
}

/// The first column of each row.
async fn firsts(store: &Store, sql: &str) -> Result<Vec<String>, Fault> {
    let lines = ask(store, sql, named(store), 1).await?;
    Ok(lines.iter().filter_map(|line| line.text(0).map(str::to_owned)).collect())
}

/// The table's storage engine, where it has no transactions.
pub async fn without_transactions(store: &Store) -> Result<Option<String>, Fault> {
    if store.engine.dialect() != Dialect::MySql {
        return Ok(None);
    }
    let sql = "SELECT CAST(t.engine AS CHAR) FROM information_schema.tables t \
        LEFT JOIN information_schema.engines e ON e.engine = t.engine \
        WHERE t.table_schema = COALESCE(?, DATABASE()) AND t.table_name = ? AND COALESCE(e.transactions, 'NO') <> 'YES'";
    Ok(firsts(store, sql).await?.into_iter().next())
}

/// Foreign keys of other tables by which a deleted row takes or changes theirs, as far as the account sees those tables.
pub async fn cascades(store: &Store) -> Result<Vec<String>, Fault> {
    let sql = match store.engine.dialect() {
        Dialect::MySql => {
            "SELECT CAST(CONCAT(constraint_name, ' of ', table_name) AS CHAR) FROM information_schema.referential_constraints \
             WHERE unique_constraint_schema = COALESCE(?, DATABASE()) AND referenced_table_name = ? \
             AND delete_rule IN ('CASCADE', 'SET NULL', 'SET DEFAULT')"
                .to_owned()
        }
        Dialect::Postgres => format!(
            "SELECT k.conname || ' of ' || k.conrelid::regclass::text FROM pg_constraint k \
             WHERE k.contype = 'f' AND k.confdeltype IN ('c', 'n', 'd') AND k.confrelid = {OID}"
        ),
        Dialect::Sqlite => {
            "SELECT m.name FROM sqlite_master m, pragma_foreign_key_list(m.name) f \
             WHERE m.type = 'table' AND COALESCE(?1, 'main') <> '' AND lower(f.\"table\") = lower(?2) \
             AND f.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT')"
                .to_owned()
        }
    };
    firsts(store, &sql).await
}

/// Triggers, and rules of PostgreSQL, that do something with each row that comes or goes.
pub async fn triggers(store: &Store, event: Event) -> Result<Vec<String>, Fault> {
    let sql = match store.engine.dialect() {
        Dialect::MySql => format!(
            "SELECT CAST(trigger_name AS CHAR) FROM information_schema.triggers \
             WHERE event_object_schema = COALESCE(?, DATABASE()) AND event_object_table = ? AND event_manipulation = '{}'",
            event.word()
        ),
        Dialect::Postgres => {
            let (bit, kind) = match event {
                Event::Insert => (4, 3),
                Event::Delete => (8, 4),
            };
            format!(
                "SELECT t.tgname::text FROM pg_trigger t WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' \
                 AND (t.tgtype & {bit}) <> 0 \
                 AND (t.tgrelid = {OID} OR t.tgrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = {OID})) \
                 UNION SELECT r.rulename::text FROM pg_rewrite r WHERE r.ev_class = {OID} AND r.ev_type = '{kind}'"
            )
        }
        Dialect::Sqlite => return sqlite_triggers(store, event).await,
    };
    firsts(store, &sql).await
}

/// Its catalogue has only the text: what stands before the first `ON` names the event.
async fn sqlite_triggers(store: &Store, event: Event) -> Result<Vec<String>, Fault> {
    let sql = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND COALESCE(?1, 'main') <> '' \
        AND lower(tbl_name) = lower(?2)";
    let lines = ask(store, sql, named(store), 2).await?;
    let is_for = |text: &str| {
        let words = text.to_ascii_uppercase();
        words.split_whitespace().take_while(|word| *word != "ON").any(|word| word == event.word())
    };
    let found = lines.iter().filter(|line| line.text(1).is_some_and(is_for));
    Ok(found.filter_map(|line| line.text(0).map(str::to_owned)).collect())
}

impl Event {
    fn word(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Delete => "DELETE",
        }
    }
}

/// The statement that grants what the account lacks of these privileges; `None`: it has them, or nobody can tell.
pub async fn lacking(store: &Store, privileges: &[&str]) -> Result<Option<String>, Fault> {
    match store.engine.dialect() {
        Dialect::MySql => mysql_lacking(store, privileges).await,
        Dialect::Postgres => {
            let sql = format!(
                "SELECT p.p, current_user::text, {OID}::regclass::text FROM unnest(string_to_array('{}', ',')) AS p(p) \
                 WHERE NOT CASE p.p WHEN 'UPDATE' THEN has_any_column_privilege({OID}, p.p) \
                 ELSE has_table_privilege({OID}, p.p) END",
                privileges.join(",")
            );
            let lines = ask(store, &sql, named(store), 3).await?;
            let lacking: Vec<&str> = lines.iter().filter_map(|line| line.text(0)).collect();
            let Some((user, table)) = lines.first().and_then(|line| Some((line.text(1)?, line.text(2)?))) else {
                return Ok(None);
            };
            Ok(Some(format!("GRANT {} ON {table} TO {}", lacking.join(", "), Dialect::Postgres.quote(user))))
        }
        // A file has no accounts.
        Dialect::Sqlite => Ok(None),
    }
}

async fn mysql_lacking(store: &Store, privileges: &[&str]) -> Result<Option<String>, Fault> {
    let lines = ask(store, "SELECT CURRENT_USER(), DATABASE()", Vec::new(), 2).await?;
    let Some(line) = lines.first() else { return Ok(None) };
    let name = store.table();
    let database = name.schema.as_deref().or(line.text(1)).unwrap_or_default();
    let rows = store.engine.shown("SHOW GRANTS").await.map_err(|failure| fault(store, failure))?;
    let grants = Grants::parse(rows.iter().flatten().filter_map(|(_, text)| text.as_deref()));
    // What a role brings is not in the list.
    if grants.has_roles {
        return Ok(None);
    }
    let lacking: Vec<&str> =
        privileges.iter().filter(|privilege| !grants.has(database, &name.table, privilege)).copied().collect();
    let quote = |name: &str| Dialect::MySql.quote(name);
    Ok((!lacking.is_empty()).then(|| {
        let to = quoted_account(line.text(0).unwrap_or_default());
        format!("GRANT {} ON {}.{} TO {to}", lacking.join(", "), quote(database), quote(&name.table))
    }))
}

const OID: &str = "(SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = $2 \
    AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
    AND CASE WHEN $1::text IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = $1::text END)";
