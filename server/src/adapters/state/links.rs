//! One-time links.

use super::database::{Database, get, get_optional_time, get_time};
use super::failure::failed;
use crate::ports::state::{LinkKind, Links, OneTimeLink, StateError};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sea_query::{Expr, ExprTrait, Query, UpdateStatement};
use sqlx::any::AnyRow;

/// So long a page can say why a link no longer works; then it is as unknown as any other text.
const KEPT_AFTER_EXPIRY: TimeDelta = TimeDelta::days(30);

#[async_trait]
impl Links for Database {
    async fn add(&self, secret_hash: &[u8; 32], link: &OneTimeLink) -> Result<(), StateError> {
        self.drop_old_links().await?;
        let mut add = Query::insert();
        add.into_table("oncewatch_link")
            .columns(["secret_hash", "kind", "operator", "expires_at", "used_at"])
            .values_panic([
                hex::encode(secret_hash).into(),
                kind_text(link.kind).into(),
                link.operator.clone().into(),
                link.expires_at.timestamp_millis().into(),
                link.used_at.map(|at| at.timestamp_millis()).into(),
            ]);
        self.insert_new(self.pool(), &add, "this link").await
    }

    async fn get(&self, secret_hash: &[u8; 32]) -> Result<Option<OneTimeLink>, StateError> {
        let mut query = Query::select();
        query
            .columns(["kind", "operator", "expires_at", "used_at"])
            .from("oncewatch_link")
            .and_where(Expr::col("secret_hash").eq(hex::encode(secret_hash)));
        self.optional(self.pool(), &query).await?.as_ref().map(read).transpose()
    }

    async fn consume(&self, secret_hash: &[u8; 32], now: DateTime<Utc>) -> Result<bool, StateError> {
        Ok(self.run(self.pool(), &consume(secret_hash, now)).await? == 1)
    }
}

impl Database {
    async fn drop_old_links(&self) -> Result<(), StateError> {
        let kept_from = self.clock.now() - KEPT_AFTER_EXPIRY;
        let mut old = Query::delete();
        old.from_table("oncewatch_link").and_where(Expr::col("expires_at").lt(kept_from.timestamp_millis()));
        self.run(self.pool(), &old).await.map(drop)
    }
}

/// Uses up a link that still works; concerns one row, or none.
pub(super) fn consume(secret_hash: &[u8; 32], now: DateTime<Utc>) -> UpdateStatement {
    let now_ms = now.timestamp_millis();
    let mut consume = Query::update();
    consume
        .table("oncewatch_link")
        .value("used_at", now_ms)
        .and_where(Expr::col("secret_hash").eq(hex::encode(secret_hash)))
        .and_where(Expr::col("used_at").is_null())
        .and_where(Expr::col("expires_at").gt(now_ms));
    consume
}

fn kind_text(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Setup => "setup",
        LinkKind::SignIn => "sign_in",
    }
}

fn read(row: &AnyRow) -> Result<OneTimeLink, StateError> {
    let text: String = get(row, "kind")?;
    let kind =
        [LinkKind::Setup, LinkKind::SignIn].into_iter().find(|kind| kind_text(*kind) == text).ok_or_else(|| {
            failed(format!("the state database has a link of kind {text:?}, which this version does not know"))
        })?;
    Ok(OneTimeLink {
        kind,
        operator: get(row, "operator")?,
        expires_at: get_time(row, "expires_at")?,
        used_at: get_optional_time(row, "used_at")?,
    })
}
