//! What came by HTTP: requests that were taken in, so that none is taken twice, and traces of single messages.

use super::database::{Database, Work, get};
use crate::ports::state::{Ingested, StateError, Traced};
use app::model::TraceEntry;
use sea_query::{Expr, ExprTrait, Order, Query};
use sha2::{Digest, Sha256};

/// Entries of one message, by the convention.
const TRACE: u64 = 20;

impl Database {
    /// `None`: it did not come before, and is noted now.
    pub(super) async fn ingested(
        &self,
        work: &mut Work,
        key: &str,
        body: &str,
    ) -> Result<Option<Ingested>, StateError> {
        let mut query = Query::select();
        query.column("body_hash").from("oncewatch_ingest").and_where(Expr::col("idempotency_key").eq(key));
        if let Some(row) = self.optional(&mut **work, &query).await? {
            let same = get::<String>(&row, "body_hash")? == body;
            return Ok(Some(if same { Ingested::Before } else { Ingested::OtherBody }));
        }
        let mut note = Query::insert();
        note.into_table("oncewatch_ingest").columns(["idempotency_key", "body_hash", "begun_at"]).values_panic([
            key.into(),
            body.into(),
            self.now_ms(),
        ]);
        self.run(&mut **work, &note).await?;
        Ok(None)
    }

    pub(super) async fn keep_trace(&self, work: &mut Work, traced: &Traced) -> Result<(), StateError> {
        let json = serde_json::to_string(&traced.entry).map_err(|error| StateError::Failed(error.to_string()))?;
        let mut keep = Query::insert();
        keep.into_table("oncewatch_trace").columns(["source", "type", "key_hash", "id", "at", "json"]).values_panic([
            traced.source.as_str().into(),
            traced.r#type.as_str().into(),
            hash(&traced.key).into(),
            uuid::Uuid::now_v7().to_string().into(),
            traced.at.timestamp_millis().into(),
            json.into(),
        ]);
        self.run(&mut **work, &keep).await.map(drop)
    }

    pub(super) async fn trace_of(&self, source: &str, r#type: &str, key: &str) -> Result<Vec<TraceEntry>, StateError> {
        let mut query = Query::select();
        query.column("json").from("oncewatch_trace").and_where(Expr::col("source").eq(source));
        query.and_where(Expr::col("type").eq(r#type)).and_where(Expr::col("key_hash").eq(hash(key)));
        query.order_by("at", Order::Desc).order_by("id", Order::Desc).limit(TRACE);
        let read = |row| {
            serde_json::from_str(&get::<String>(row, "json")?)
                .map_err(|error| StateError::Failed(format!("a trace cannot be read: {error}")))
        };
        self.all(&query).await?.iter().map(read).collect()
    }
}

/// Keys are of any length.
fn hash(key: &str) -> String {
    hex::encode(Sha256::digest(key))
}
