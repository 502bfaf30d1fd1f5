//! Which types had most duplicates in a stretch of time, of which the older part may be known by the hour. The engine sums
//! counts up; origins are lists, which only we can.

use super::database::{Database, get};
use super::engine::Engine;
use super::{hours, reports};
use crate::ports::signals::Origins;
use crate::ports::state::StateError;
use app::model::{Origin, TypeDuplicates};
use chrono::{DateTime, Utc};
use sea_query::{Alias, Expr, ExprTrait, Order, Query, SelectStatement};
use sqlx::any::AnyRow;
use std::collections::{BTreeMap, HashMap};

/// Types and origins that are told apart.
const MOST: usize = 5;
/// Rows whose origins are read, the newest: of minutes two weeks of one type, days of five; of hours years, and months.
const ORIGINS_READ: u64 = 20_000;
/// The row of all types together.
const ALL_TYPES: &str = "";

/// Rows of one of the two tables.
#[derive(Clone, Copy)]
struct Part {
    table: &'static str,
    /// The column of a row's first instant.
    time: &'static str,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
}

impl Database {
    pub(super) async fn duplicates_of(
        &self,
        source: &str,
        from: DateTime<Utc>,
        minutes_from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<TypeDuplicates>, StateError> {
        // Newest first.
        let parts = [
            Part { table: reports::TABLE, time: "minute", from: minutes_from, to },
            Part { table: hours::REPORTED, time: "hour", from, to: minutes_from },
        ];
        let parts: Vec<Part> = parts.into_iter().filter(|part| part.from < part.to).collect();
        let sums = self.most_of(source, &parts).await?;
        let mut origins = self.origins(source, &sums, &parts).await?;
        let told = |(r#type, duplicates): (String, u64)| {
            let origins = origins.remove(&r#type).map(most).unwrap_or_default();
            TypeDuplicates { r#type, duplicates, origins }
        };
        Ok(sums.into_iter().map(told).collect())
    }

    async fn most_of(&self, source: &str, parts: &[Part]) -> Result<Vec<(String, u64)>, StateError> {
        let mut types: BTreeMap<String, u64> = BTreeMap::new();
        for part in parts {
            for (r#type, duplicates) in self.sums(source, *part).await? {
                let sum = types.entry(r#type).or_default();
                *sum = sum.saturating_add(duplicates);
            }
        }
        // Where the source has types, all of them together are none.
        if types.keys().any(|r#type| r#type != ALL_TYPES) {
            types.remove(ALL_TYPES);
        }
        let mut most: Vec<(String, u64)> = types.into_iter().filter(|(_, duplicates)| *duplicates > 0).collect();
        most.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        most.truncate(MOST);
        Ok(most)
    }

    async fn sums(&self, source: &str, part: Part) -> Result<Vec<(String, u64)>, StateError> {
        let layers = ["sig_dup_status", "sig_dup_lock", "sig_dup_index", "sig_dup_guard"].map(Expr::col);
        let each = layers.into_iter().reduce(ExprTrait::add).unwrap_or_else(|| Expr::val(0));
        // A sum of whole numbers is a decimal in two of the engines.
        let whole = match self.engine {
            Engine::Sqlite => "INTEGER",
            Engine::Postgres => "bigint",
            Engine::Mysql => "SIGNED",
        };
        let mut query = Query::select();
        query
            .column("type")
            .expr_as(each.sum().cast_as(Alias::new(whole)), "duplicates")
            .from(part.table)
            .group_by_col("type");
        within(&mut query, source, part);
        self.all(&query).await?.iter().map(sum).collect()
    }

    async fn origins(
        &self,
        source: &str,
        sums: &[(String, u64)],
        parts: &[Part],
    ) -> Result<HashMap<String, Origins>, StateError> {
        let mut found: HashMap<String, Origins> = HashMap::new();
        let mut left = ORIGINS_READ;
        for part in parts {
            if sums.is_empty() || left == 0 {
                break;
            }
            let mut query = Query::select();
            query
                .columns(["type", "origins"])
                .from(part.table)
                .and_where(Expr::col("type").is_in(sums.iter().map(|(r#type, _)| r#type.as_str())))
                .and_where(Expr::col("originated").gt(0))
                .order_by(part.time, Order::Desc)
                .limit(left);
            within(&mut query, source, *part);
            for row in self.all(&query).await? {
                let text = get::<String>(&row, "origins")?;
                let unread = |error| StateError::Failed(format!("origins of a minute cannot be read: {error}"));
                found.entry(get(&row, "type")?).or_default().add(&serde_json::from_str(&text).map_err(unread)?);
                left -= 1;
            }
        }
        Ok(found)
    }
}

fn within(query: &mut SelectStatement, source: &str, part: Part) {
    query
        .and_where(Expr::col("source").eq(source))
        .and_where(Expr::col(part.time).gte(part.from.timestamp_millis()))
        .and_where(Expr::col(part.time).lt(part.to.timestamp_millis()));
}

fn sum(row: &AnyRow) -> Result<(String, u64), StateError> {
    let duplicates: i64 = get(row, "duplicates")?;
    let bad = |_| StateError::Failed(format!("a sum of duplicates is {duplicates}"));
    Ok((get(row, "type")?, u64::try_from(duplicates).map_err(bad)?))
}

fn most(origins: Origins) -> Vec<Origin> {
    let mut named: Vec<Origin> =
        origins.from.into_iter().map(|(name, duplicates)| Origin { name, duplicates }).collect();
    named.sort_by(|one, other| other.duplicates.cmp(&one.duplicates).then_with(|| one.name.cmp(&other.name)));
    named.truncate(MOST);
    named
}
