//! What `check` asks of a table: one file for each question, with each engine's own statement in it.

mod account;
pub(super) mod grants;
mod ids;
mod indexes;
mod newest;
mod standing;
mod tables;
mod texts;

pub use ids::ids;

use super::catalogue::Kind;
use super::dialect::Statement;
use super::store::{Failure, Store};
use crate::ports::audit::{Account, Ids, IndexAdvice, RecordAudit, Sample, Standing, Text};
use app::model::{Fault, Layer};
use async_trait::async_trait;
use sea_query::Value;

#[async_trait]
impl RecordAudit for Store {
    async fn account(&self) -> Result<Account, Fault> {
        account::account(self).await
    }

    async fn standing(&self) -> Result<Standing, Fault> {
        standing::standing(self).await
    }

    async fn texts(&self) -> Result<Vec<Text>, Fault> {
        let shape = self.shape().await?;
        texts::texts(self, &shape).await
    }

    async fn ids(&self) -> Result<Option<Ids>, Fault> {
        let shape = self.shape().await?;
        ids(self, &shape).await
    }

    async fn indexes(&self) -> Result<Vec<IndexAdvice>, Fault> {
        let shape = self.shape().await?;
        Ok(indexes::indexes(&shape))
    }

    async fn newest(&self, limit: u32) -> Result<Sample, Fault> {
        let shape = self.shape().await?;
        newest::newest(self, &shape, limit).await
    }
}

/// A row of the catalogue, as text.
pub(super) struct Line(Vec<Option<String>>);

impl Line {
    pub(super) fn text(&self, at: usize) -> Option<&str> {
        self.0.get(at)?.as_deref()
    }

    /// PostgreSQL's `true`.
    pub(super) fn holds(&self, at: usize) -> bool {
        self.text(at) == Some("true")
    }
}

/// Asks the catalogue. The table's own columns are not concerned, so the shape that was read stays.
pub(super) async fn ask(store: &Store, sql: &str, values: Vec<Value>, width: usize) -> Result<Vec<Line>, Fault> {
    let statement = Statement::fixed(sql, values, vec![Kind::Text; width]);
    let rows = store.engine.fetch(&statement).await.map_err(|failure| fault(store, failure))?;
    Ok(rows.iter().map(|cells| Line(cells.iter().map(|cell| cell.show(Kind::Text)).collect())).collect())
}

pub(super) fn fault(store: &Store, failure: Failure) -> Fault {
    match failure {
        Failure::Fault(fault) => store.placed(fault),
        Failure::Gone => {
            Fault::Unreadable { layer: Layer::Records, detail: "this version's catalogue does not say it".into() }
        }
    }
}
