//! How far the following of tables has come: a row for each table, and one for each of its open records.

use super::database::{Database, get};
use crate::ports::state::{Checkpoint, Followed, Lease, StateError};
use async_trait::async_trait;
use sea_query::{Expr, ExprTrait, OnConflict, Order, Query, SimpleExpr};

const PROGRESS: &str = "oncewatch_followed";
const OPEN: &str = "oncewatch_open";
/// Rows of one statement.
const AT_ONCE: usize = 500;
const PAGE: u64 = 5_000;

#[async_trait]
impl Followed for Database {
    async fn progress(&self, source: &str) -> Result<Vec<(String, String)>, StateError> {
        let mut query = Query::select();
        query.columns(["tbl", "progress"]).from(PROGRESS).and_where(Expr::col("source").eq(source));
        let rows = self.all(&query).await?;
        rows.iter().map(|row| Ok((get(row, "tbl")?, get(row, "progress")?))).collect()
    }

    async fn open(&self, source: &str, table: &str, after: Option<&str>) -> Result<Vec<String>, StateError> {
        let mut query = Query::select();
        query.column("pk").from(OPEN).and_where(of(source, table)).order_by("pk", Order::Asc).limit(PAGE);
        query.and_where_option(after.map(|after| Expr::col("pk").gt(after)));
        self.all(&query).await?.iter().map(|row| get(row, "pk")).collect()
    }

    async fn put(&self, lease: &Lease, source: &str, checkpoint: &Checkpoint) -> Result<(), StateError> {
        let table = checkpoint.table.as_str();
        let mut work = self.begin_under(lease).await?;
        for gone in checkpoint.gone.chunks(AT_ONCE) {
            let mut delete = Query::delete();
            delete.from_table(OPEN).and_where(of(source, table)).and_where(Expr::col("pk").is_in(gone));
            self.run(&mut *work, &delete).await?;
        }
        for add in checkpoint.add.chunks(AT_ONCE) {
            let mut insert = Query::insert();
            insert.into_table(OPEN).columns(["source", "tbl", "pk"]);
            for pk in add {
                insert.values_panic([source.into(), table.into(), pk.as_str().into()]);
            }
            insert.on_conflict(OnConflict::columns(["source", "tbl", "pk"]).update_column("pk").to_owned());
            self.run(&mut *work, &insert).await?;
        }
        if let Some(progress) = &checkpoint.progress {
            let mut put = Query::insert();
            put.into_table(PROGRESS)
                .columns(["source", "tbl", "progress"])
                .values_panic([source.into(), table.into(), progress.as_str().into()])
                .on_conflict(OnConflict::columns(["source", "tbl"]).update_column("progress").to_owned());
            self.run(&mut *work, &put).await?;
        }
        self.commit(work).await
    }

    async fn forget(&self, lease: &Lease, source: &str, table: &str) -> Result<(), StateError> {
        let mut work = self.begin_under(lease).await?;
        for kept in [PROGRESS, OPEN] {
            let mut delete = Query::delete();
            delete.from_table(kept).and_where(of(source, table));
            self.run(&mut *work, &delete).await?;
        }
        self.commit(work).await
    }
}

fn of(source: &str, table: &str) -> SimpleExpr {
    Expr::col("source").eq(source).and(Expr::col("tbl").eq(table))
}
