//! Which types had most duplicates in a stretch of time. The engine sums counts up; origins are lists, which only we can.

use super::database::{Database, get};
use super::engine::Engine;
use crate::ports::signals::Origins;
use crate::ports::state::StateError;
use app::model::{Origin, TypeDuplicates};
use chrono::{DateTime, Utc};
use sea_query::{Alias, Expr, ExprTrait, Order, Query, SelectStatement};
use sqlx::any::AnyRow;
use std::collections::HashMap;

/// Types and origins that are told apart.
const MOST: usize = 5;
/// Rows whose origins are read, the newest: two weeks of one type, days of five.
const ORIGINS_READ: u64 = 20_000;
/// The row of all types together.
const ALL_TYPES: &str = "";

impl Database {
    pub(super) async fn duplicates_of(
        &self,
        source: &str,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<TypeDuplicates>, StateError> {
        let sums = self.sums(source, from, to).await?;
        let mut origins = self.origins(source, &sums, from, to).await?;
        let told = |(r#type, duplicates): (String, u64)| {
            let origins = origins.remove(&r#type).map(most).unwrap_or_default();
            TypeDuplicates { r#type, duplicates, origins }
        };
        Ok(sums.into_iter().map(told).collect())
    }

    async fn sums(
        &self,
        source: &str,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<(String, u64)>, StateError> {
        let parts = ["sig_dup_status", "sig_dup_lock", "sig_dup_index", "sig_dup_guard"].map(Expr::col);
        let each = parts.into_iter().reduce(ExprTrait::add).unwrap_or_else(|| Expr::val(0));
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
            .from("oncewatch_signal")
            .group_by_col("type");
        within(&mut query, source, from, to);
        let rows = self.all(&query).await?;
        let mut sums = rows.iter().map(sum).collect::<Result<Vec<_>, _>>()?;
        // Where the source has types, all of them together are none.
        if sums.iter().any(|(r#type, _)| r#type != ALL_TYPES) {
            sums.retain(|(r#type, _)| r#type != ALL_TYPES);
        }
        sums.retain(|(_, duplicates)| *duplicates > 0);
        sums.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        sums.truncate(MOST);
        Ok(sums)
    }

    async fn origins(
        &self,
        source: &str,
        sums: &[(String, u64)],
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<HashMap<String, Origins>, StateError> {
        let mut found: HashMap<String, Origins> = HashMap::new();
        if sums.is_empty() {
            return Ok(found);
        }
        let mut query = Query::select();
        query
            .columns(["type", "origins"])
            .from("oncewatch_signal")
            .and_where(Expr::col("type").is_in(sums.iter().map(|(r#type, _)| r#type.as_str())))
            .and_where(Expr::col("originated").gt(0))
            .order_by("minute", Order::Desc)
            .limit(ORIGINS_READ);
        within(&mut query, source, from, to);
        for row in self.all(&query).await? {
            let text = get::<String>(&row, "origins")?;
            let unread = |error| StateError::Failed(format!("origins of a minute cannot be read: {error}"));
            found.entry(get(&row, "type")?).or_default().add(&serde_json::from_str(&text).map_err(unread)?);
        }
        Ok(found)
    }
}

fn within(query: &mut SelectStatement, source: &str, from: DateTime<Utc>, to: DateTime<Utc>) {
    query
        .and_where(Expr::col("source").eq(source))
        .and_where(Expr::col("minute").gte(from.timestamp_millis()))
        .and_where(Expr::col("minute").lt(to.timestamp_millis()));
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
