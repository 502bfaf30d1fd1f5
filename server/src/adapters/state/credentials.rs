//! Sessions of browsers and tokens of scripts.

use super::database::{Database, get, get_optional_time, get_time};
use super::operators::get_role;
use crate::ports::state::{Credentials, Session, StateError, Token};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_query::{Expr, ExprTrait, LockType, Order, Query, SelectStatement};
use sqlx::any::AnyRow;

#[async_trait]
impl Credentials for Database {
    async fn open_session(
        &self,
        secret_hash: &[u8; 32],
        session: &Session,
        password_hash: Option<&str>,
    ) -> Result<bool, StateError> {
        self.drop_expired_sessions().await?;
        let mut work = self.begin().await?;
        // Locked, so that a change of the password comes before this, and is seen, or after it, and ends the session.
        let mut present = Query::select();
        present
            .column("password_hash")
            .from("oncewatch_operator")
            .and_where(Expr::col("name").eq(session.operator.as_str()))
            .lock(LockType::Update);
        match self.optional(&mut *work, &present).await? {
            Some(row) if get::<Option<String>>(&row, "password_hash")?.as_deref() == password_hash => {}
            _ => return Ok(false),
        }
        let mut open = Query::insert();
        open.into_table("oncewatch_session")
            .columns(["secret_hash", "id", "operator", "expires_at", "ends_at"])
            .values_panic([
                hex::encode(secret_hash).into(),
                session.id.as_str().into(),
                session.operator.as_str().into(),
                session.expires_at.timestamp_millis().into(),
                session.ends_at.timestamp_millis().into(),
            ]);
        self.insert_new(&mut *work, &open, "a session of this secret").await?;
        self.commit(work).await?;
        Ok(true)
    }

    async fn session(&self, secret_hash: &[u8; 32], now: DateTime<Utc>) -> Result<Option<Session>, StateError> {
        let session = |column| Expr::col(("oncewatch_session", column));
        let mut query = Query::select();
        query
            .columns(["id", "operator", "expires_at", "ends_at", "role"])
            .from("oncewatch_session")
            .inner_join("oncewatch_operator", session("operator").equals(("oncewatch_operator", "name")))
            .and_where(session("secret_hash").eq(hex::encode(secret_hash)))
            .and_where(session("expires_at").gt(now.timestamp_millis()))
            .and_where(session("ends_at").gt(now.timestamp_millis()));
        self.optional(self.pool(), &query).await?.as_ref().map(read_session).transpose()
    }

    async fn extend_session(&self, secret_hash: &[u8; 32], expires_at: DateTime<Utc>) -> Result<(), StateError> {
        // Never past the end; and two requests that answer out of order do not shorten it.
        let asked_ms = expires_at.timestamp_millis();
        let within_end = Expr::case(Expr::col("ends_at").lt(asked_ms), Expr::col("ends_at")).finally(asked_ms);
        let mut extend = Query::update();
        extend
            .table("oncewatch_session")
            .value("expires_at", within_end)
            .and_where(Expr::col("secret_hash").eq(hex::encode(secret_hash)))
            .and_where(Expr::col("expires_at").lt(asked_ms));
        self.run(self.pool(), &extend).await.map(drop)
    }

    async fn close_session(&self, secret_hash: &[u8; 32]) -> Result<(), StateError> {
        let mut close = Query::delete();
        close.from_table("oncewatch_session").and_where(Expr::col("secret_hash").eq(hex::encode(secret_hash)));
        self.run(self.pool(), &close).await.map(drop)
    }

    async fn add_token(&self, secret_hash: &[u8; 32], token: &Token) -> Result<(), StateError> {
        let mut add = Query::insert();
        add.into_table("oncewatch_token")
            .columns(["secret_hash", "name", "role", "source", "created_at", "expires_at"])
            .values_panic([
                hex::encode(secret_hash).into(),
                token.name.as_str().into(),
                token.role.as_str().into(),
                token.source.clone().into(),
                token.created_at.timestamp_millis().into(),
                token.expires_at.map(|at| at.timestamp_millis()).into(),
            ]);
        self.insert_new(self.pool(), &add, &format!("token {}", token.name)).await
    }

    async fn token(&self, secret_hash: &[u8; 32], now: DateTime<Utc>) -> Result<Option<Token>, StateError> {
        let expires_at = || Expr::col("expires_at");
        let mut query = all_tokens();
        query
            .and_where(Expr::col("secret_hash").eq(hex::encode(secret_hash)))
            .and_where(expires_at().is_null().or(expires_at().gt(now.timestamp_millis())));
        self.optional(self.pool(), &query).await?.as_ref().map(read_token).transpose()
    }

    async fn tokens(&self) -> Result<Vec<Token>, StateError> {
        self.all(all_tokens().order_by("name", Order::Asc)).await?.iter().map(read_token).collect()
    }

    async fn revoke_token(&self, name: &str) -> Result<bool, StateError> {
        let mut revoke = Query::delete();
        revoke.from_table("oncewatch_token").and_where(Expr::col("name").eq(name));
        Ok(self.run(self.pool(), &revoke).await? > 0)
    }
}

impl Database {
    /// Each new session sweeps: there are never more dead ones than were opened since the last.
    async fn drop_expired_sessions(&self) -> Result<(), StateError> {
        let mut expired = Query::delete();
        expired
            .from_table("oncewatch_session")
            .and_where(Expr::col("expires_at").lte(self.clock.now().timestamp_millis()));
        self.run(self.pool(), &expired).await.map(drop)
    }
}

fn read_session(row: &AnyRow) -> Result<Session, StateError> {
    Ok(Session {
        id: get(row, "id")?,
        operator: get(row, "operator")?,
        role: get_role(row)?,
        expires_at: get_time(row, "expires_at")?,
        ends_at: get_time(row, "ends_at")?,
    })
}

fn all_tokens() -> SelectStatement {
    let mut query = Query::select();
    query.columns(["name", "role", "source", "created_at", "expires_at"]).from("oncewatch_token");
    query
}

fn read_token(row: &AnyRow) -> Result<Token, StateError> {
    Ok(Token {
        name: get(row, "name")?,
        role: get_role(row)?,
        source: get(row, "source")?,
        created_at: get_time(row, "created_at")?,
        expires_at: get_optional_time(row, "expires_at")?,
    })
}
