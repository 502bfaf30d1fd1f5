//! The latest panels, for every instance.

use super::database::{Database, get};
use crate::ports::state::{Lease, SnapshotRow, Snapshots, StateError};
use async_trait::async_trait;
use sea_query::{Expr, ExprTrait, OnConflict, Order, Query};

#[async_trait]
impl Snapshots for Database {
    async fn put(&self, lease: &Lease, source: &str, panel: &str, json: &str) -> Result<i64, StateError> {
        let mut work = self.begin_under(lease).await?;
        // From here to the commit no other panel is written: a reader that has seen version 8 will not meet a late 7.
        let version = self.next(&mut work, "snapshot").await?;
        let mut put = Query::insert();
        put.into_table("oncewatch_snapshot")
            .columns(["source", "panel", "version", "json"])
            .values_panic([source.into(), panel.into(), version.into(), json.into()])
            .on_conflict(OnConflict::columns(["source", "panel"]).update_columns(["version", "json"]).to_owned());
        self.run(&mut *work, &put).await?;
        self.commit(work).await?;
        Ok(version)
    }

    /// As many rows as there are panels at most, which the configuration bounds.
    async fn since(&self, version: i64) -> Result<Vec<SnapshotRow>, StateError> {
        let mut query = Query::select();
        query
            .columns(["source", "panel", "version", "json"])
            .from("oncewatch_snapshot")
            .and_where(Expr::col("version").gt(version))
            .order_by("version", Order::Asc);
        let rows = self.all(&query).await?;
        rows.iter()
            .map(|row| {
                Ok(SnapshotRow {
                    source: get(row, "source")?,
                    panel: get(row, "panel")?,
                    version: get(row, "version")?,
                    json: get(row, "json")?,
                })
            })
            .collect()
    }
}
