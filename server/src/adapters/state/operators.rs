//! The people who may sign in.

use super::database::{Database, get, get_time};
use super::failure::failed;
use super::links::consume;
use crate::ports::state::{Operator, Operators, StateError};
use app::model::Role;
use async_trait::async_trait;
use sea_query::{Expr, ExprTrait, InsertStatement, Order, Query, SelectStatement};
use sqlx::any::AnyRow;

#[async_trait]
impl Operators for Database {
    async fn add(&self, operator: &Operator) -> Result<(), StateError> {
        let mut work = self.begin().await?;
        // One after the other, so that `add_first` never runs beside it.
        self.next(&mut work, "operator").await?;
        self.insert_new(&mut *work, &insert(operator), &named(&operator.name)).await?;
        self.commit(work).await
    }

    async fn add_first(&self, operator: &Operator, link_hash: &[u8; 32]) -> Result<bool, StateError> {
        let mut work = self.begin().await?;
        self.next(&mut work, "operator").await?;
        if self.optional(&mut *work, &anyone()).await?.is_some() {
            return Err(StateError::Exists("an operator".to_owned()));
        }
        if self.run(&mut *work, &consume(link_hash, operator.created_at)).await? != 1 {
            return Ok(false);
        }
        self.insert_new(&mut *work, &insert(operator), &named(&operator.name)).await?;
        self.commit(work).await?;
        Ok(true)
    }

    async fn get(&self, name: &str) -> Result<Option<Operator>, StateError> {
        let mut query = everyone();
        query.and_where(Expr::col("name").eq(name));
        self.optional(self.pool(), &query).await?.as_ref().map(read).transpose()
    }

    async fn list(&self) -> Result<Vec<Operator>, StateError> {
        self.all(everyone().order_by("name", Order::Asc)).await?.iter().map(read).collect()
    }

    async fn set_password(&self, name: &str, password_hash: &str) -> Result<bool, StateError> {
        let mut work = self.begin().await?;
        let mut set = Query::update();
        set.table("oncewatch_operator").value("password_hash", password_hash).and_where(Expr::col("name").eq(name));
        if self.run(&mut *work, &set).await? == 0 {
            return Ok(false);
        }
        let mut end = Query::delete();
        end.from_table("oncewatch_session").and_where(Expr::col("operator").eq(name));
        self.run(&mut *work, &end).await?;
        self.commit(work).await?;
        Ok(true)
    }

    async fn any(&self) -> Result<bool, StateError> {
        Ok(self.optional(self.pool(), &anyone()).await?.is_some())
    }
}

fn named(name: &str) -> String {
    format!("operator {name}")
}

fn insert(operator: &Operator) -> InsertStatement {
    let mut insert = Query::insert();
    insert.into_table("oncewatch_operator").columns(["name", "role", "password_hash", "created_at"]).values_panic([
        operator.name.as_str().into(),
        operator.role.as_str().into(),
        operator.password_hash.clone().into(),
        operator.created_at.timestamp_millis().into(),
    ]);
    insert
}

fn everyone() -> SelectStatement {
    let mut query = Query::select();
    query.columns(["name", "role", "password_hash", "created_at"]).from("oncewatch_operator");
    query
}

fn anyone() -> SelectStatement {
    let mut query = Query::select();
    query.column("name").from("oncewatch_operator").limit(1);
    query
}

fn read(row: &AnyRow) -> Result<Operator, StateError> {
    Ok(Operator {
        name: get(row, "name")?,
        role: get_role(row)?,
        password_hash: get(row, "password_hash")?,
        created_at: get_time(row, "created_at")?,
    })
}

/// The column `role`. A word that this version does not know gives no rights: it is an error.
pub(super) fn get_role(row: &AnyRow) -> Result<Role, StateError> {
    let text: String = get(row, "role")?;
    Role::parse(&text)
        .ok_or_else(|| failed(format!("the state database has a role {text:?}, which this version does not know")))
}
