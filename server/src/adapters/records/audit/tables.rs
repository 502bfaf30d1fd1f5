//! Tables in numbers: the last ones by name stand for all. Of months they are the newest, of shards they are as good as any
//! others, and an audit of a thousand tables would be no audit but a load.

use super::super::store::Store;
use super::super::tables::Tables;
use crate::ports::audit::{Account, Ids, IndexAdvice, RecordAudit, Sample, Standing, Text};
use app::model::Fault;
use async_trait::async_trait;
use std::sync::Arc;

/// Tables that are looked into.
const LOOKED_INTO: usize = 4;

impl Tables {
    /// The last by name, the very last first.
    async fn last(&self) -> Result<Vec<Arc<Store>>, Fault> {
        Ok(self.stores().await?.into_iter().rev().take(LOOKED_INTO).collect())
    }

    async fn very_last(&self) -> Result<Arc<Store>, Fault> {
        let missing = || Fault::TableMissing { table: "that matches".into() };
        self.last().await?.into_iter().next().ok_or_else(missing)
    }
}

#[async_trait]
impl RecordAudit for Tables {
    async fn account(&self) -> Result<Account, Fault> {
        let mut all = Account::default();
        for store in self.last().await? {
            let one = store.account().await?;
            all.missing.extend(one.missing);
            all.may_change
                .extend(one.may_change.into_iter().filter(|may| !all.may_change.contains(may)).collect::<Vec<_>>());
        }
        Ok(all)
    }

    async fn standing(&self) -> Result<Standing, Fault> {
        self.very_last().await?.standing().await
    }

    async fn texts(&self) -> Result<Vec<Text>, Fault> {
        self.very_last().await?.texts().await
    }

    async fn ids(&self) -> Result<Option<Ids>, Fault> {
        self.very_last().await?.ids().await
    }

    /// One index serves one table: each needs its own.
    async fn indexes(&self) -> Result<Vec<IndexAdvice>, Fault> {
        self.very_last().await?.indexes().await
    }

    async fn newest(&self, limit: u32) -> Result<Sample, Fault> {
        let mut all: Option<Sample> = None;
        for store in self.last().await? {
            let one = store.newest(limit).await?;
            match &mut all {
                None => all = Some(one),
                Some(all) => {
                    all.rows.extend(one.rows);
                    all.left_out += one.left_out;
                    all.in_order &= one.in_order;
                }
            }
        }
        let mut all = all.ok_or_else(|| Fault::TableMissing { table: "that matches".into() })?;
        all.rows.sort_by_key(|row| std::cmp::Reverse(row.record.created_at.max(row.record.updated_at)));
        all.rows.truncate(limit as usize);
        Ok(all)
    }
}
