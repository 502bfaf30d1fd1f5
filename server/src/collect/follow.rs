//! Brings snapshots that other instances wrote to this instance's board, so that all serve the same.

use crate::system::System;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(1);

pub(super) async fn run(system: Arc<System>, shutdown: CancellationToken) {
    let mut version = 0;
    let mut failing = false;
    loop {
        match system.state.snapshots.since(version).await {
            Ok(rows) => {
                for row in rows {
                    system.board.put(&row.source, &row.panel, row.version, &row.json);
                    version = version.max(row.version);
                }
                if std::mem::take(&mut failing) {
                    tracing::info!("snapshots can be read again");
                }
            }
            Err(error) => {
                if !std::mem::replace(&mut failing, true) {
                    tracing::warn!(%error, "snapshots cannot be read, pages show what is in memory");
                }
            }
        }
        if shutdown.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
            return;
        }
    }
}
