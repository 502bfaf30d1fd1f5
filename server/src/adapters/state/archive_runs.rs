//! Runs that archive, and the tables' cursors.

use super::database::{Database, get, get_optional_time, get_time};
use super::job_rows::{state_of, wish_of};
use crate::ports::archive_runs::{ArchiveCursor, ArchiveRuns, NewArchiveRun, StoredArchiveRun};
use crate::ports::jobs::{JobState, Wish};
use crate::ports::state::{Lease, StateError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_query::{Expr, ExprTrait, OnConflict, Order, Query, SelectStatement};
use sqlx::any::AnyRow;

pub(super) const RUN: &str = "oncewatch_archive_run";
const CURSOR: &str = "oncewatch_archive_cursor";
const RUNS_AT_ONCE: u32 = 200;

fn runs() -> SelectStatement {
    let mut query = Query::select();
    query
        .columns(["id", "number", "source", "actor", "origin", "reason", "options", "state", "wish", "note"])
        .columns(["progress", "begun_at", "ended_at"])
        .from(RUN);
    query
}

fn read(row: &AnyRow) -> Result<StoredArchiveRun, StateError> {
    Ok(StoredArchiveRun {
        new: NewArchiveRun {
            id: get(row, "id")?,
            source: get(row, "source")?,
            actor: get(row, "actor")?,
            origin: get(row, "origin")?,
            reason: get(row, "reason")?,
            options: get(row, "options")?,
            begun_at: get_time(row, "begun_at")?,
        },
        number: get(row, "number")?,
        state: state_of(&get::<String>(row, "state")?)?,
        wish: wish_of(&get::<String>(row, "wish")?)?,
        note: get(row, "note")?,
        progress: get(row, "progress")?,
        ended_at: get_optional_time(row, "ended_at")?,
    })
}

#[async_trait]
impl ArchiveRuns for Database {
    async fn begin(&self, run: &NewArchiveRun) -> Result<(), StateError> {
        let mut work = Database::begin(self).await?;
        let number = self.next(&mut work, "archive_run").await?;
        let mut insert = Query::insert();
        insert
            .into_table(RUN)
            .columns([
                "id", "number", "source", "actor", "origin", "reason", "options", "state", "wish", "note", "progress",
                "begun_at",
            ])
            .values_panic([
                run.id.as_str().into(),
                number.into(),
                run.source.as_str().into(),
                run.actor.as_str().into(),
                run.origin.as_str().into(),
                run.reason.as_str().into(),
                run.options.as_str().into(),
                JobState::Waiting.as_str().into(),
                "".into(),
                "".into(),
                "".into(),
                run.begun_at.timestamp_millis().into(),
            ]);
        self.insert_new(&mut *work, &insert, &format!("operation {}", run.id)).await?;
        self.commit(work).await
    }

    async fn run(&self, id: &str) -> Result<Option<StoredArchiveRun>, StateError> {
        let mut query = runs();
        query.and_where(Expr::col("id").eq(id));
        self.optional(self.pool(), &query).await?.as_ref().map(read).transpose()
    }

    async fn runs(
        &self,
        source: Option<&str>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<StoredArchiveRun>, StateError> {
        let mut query = runs();
        query.and_where_option(source.map(|source| Expr::col("source").eq(source)));
        query.and_where_option(before.map(|number| Expr::col("number").lt(number)));
        query.order_by("number", Order::Desc).limit(Ord::min(limit, RUNS_AT_ONCE).into());
        self.all(&query).await?.iter().map(read).collect()
    }

    async fn to_run(&self) -> Result<Vec<StoredArchiveRun>, StateError> {
        let mut query = runs();
        query
            .and_where(Expr::col("state").is_in([JobState::Waiting.as_str(), JobState::Running.as_str()]))
            .order_by("number", Order::Asc)
            .limit(RUNS_AT_ONCE.into());
        self.all(&query).await?.iter().map(read).collect()
    }

    async fn wish(&self, id: &str, wish: Option<Wish>) -> Result<bool, StateError> {
        self.wish_of(RUN, id, wish).await
    }

    async fn turn(
        &self,
        lease: &Lease,
        id: &str,
        state: JobState,
        note: &str,
        at: DateTime<Utc>,
    ) -> Result<(), StateError> {
        self.turn_of(RUN, lease, id, state, note, at).await
    }

    async fn put(
        &self,
        lease: &Lease,
        progress: Option<(&str, &str)>,
        source: &str,
        cursor: Option<&ArchiveCursor>,
    ) -> Result<(), StateError> {
        let mut work = self.begin_under(lease).await?;
        if let Some((id, progress)) = progress {
            let mut update = Query::update();
            update.table(RUN).value("progress", progress).and_where(Expr::col("id").eq(id));
            self.run(&mut *work, &update).await?;
        }
        if let Some(ArchiveCursor { table, place }) = cursor {
            let mut put = Query::insert();
            put.into_table(CURSOR)
                .columns(["source", "tbl", "place"])
                .values_panic([source.into(), table.as_str().into(), place.clone().into()])
                .on_conflict(OnConflict::columns(["source", "tbl"]).update_column("place").to_owned());
            self.run(&mut *work, &put).await?;
        }
        self.commit(work).await
    }

    async fn cursor(&self, source: &str, table: &str) -> Result<Option<String>, StateError> {
        let mut query = Query::select();
        query.column("place").from(CURSOR);
        query.and_where(Expr::col("source").eq(source)).and_where(Expr::col("tbl").eq(table));
        let row = self.optional(self.pool(), &query).await?;
        row.map_or(Ok(None), |row| get(&row, "place"))
    }
}
