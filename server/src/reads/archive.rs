//! Archiving of one source: its policy, what its catalogue and its brokers say, and its runs.

use super::{LiveReads, state_fault};
use crate::action::Refused;
use crate::action::archive::{current, retention, run_of, standing};
use crate::clock::millis;
use crate::config::ArchiveMode;
use crate::system::SourceSystem;
use app::model::{Archive, ArchivePolicy, ArchiveStanding, ArchiveWarning, Fault, Layer};

/// Runs of one answer.
const RUNS: u32 = 25;

impl LiveReads {
    pub(super) async fn archive_of(&self, source: &SourceSystem, before: Option<i64>) -> Result<Archive, Fault> {
        let name = &source.config.name;
        let state = &self.system.state.archive_runs;
        let at_work = current(&self.system, name).await.map_err(|error| state_fault(&error))?;
        let mut stored = state.runs(Some(name), before, RUNS + 1).await.map_err(|error| state_fault(&error))?;
        let next = (stored.len() > RUNS as usize).then(|| {
            stored.truncate(RUNS as usize);
            stored.last().map(|run| run.number)
        });
        let (tables, warnings, trouble) = match self.seen(source).await {
            Ok((tables, warnings)) => (tables, warnings, None),
            Err(fault) => (Vec::new(), Vec::new(), Some(fault)),
        };
        Ok(Archive {
            source: name.clone(),
            table: source.config.records.table.to_string(),
            policy: self.policy(source),
            tables,
            warnings,
            trouble,
            current: at_work.as_ref().map(run_of).transpose().map_err(unreadable)?,
            runs: stored.iter().map(run_of).collect::<Result<_, _>>().map_err(unreadable)?,
            next: next.flatten(),
        })
    }

    /// Nothing of a source that has no archive or may not write.
    async fn seen(&self, source: &SourceSystem) -> Result<(Vec<ArchiveStanding>, Vec<ArchiveWarning>), Fault> {
        if source.archiver.is_none() {
            return Ok((Vec::new(), Vec::new()));
        }
        let (tables, warnings) = tokio::join!(
            self.within(Layer::Records, standing(source)),
            self.within(Layer::Broker, async { Ok(retention(source, self.system.clock.as_ref()).await) }),
        );
        Ok((tables?, warnings?))
    }

    fn policy(&self, source: &SourceSystem) -> Option<ArchivePolicy> {
        let archive = source.config.archive.as_ref()?;
        let schedule = archive.schedule.as_ref();
        Some(ArchivePolicy {
            table: archive.table.to_string(),
            deletes: archive.mode == ArchiveMode::Delete,
            keep_ms: archive.keep.map(millis),
            batch: archive.batch,
            schedule: schedule.map(|schedule| schedule.text().to_owned()),
            window_ms: millis(archive.window),
            next_at: schedule.and_then(|schedule| schedule.next(self.system.clock.now(), source.config.timezone)),
            read_only: source.archiver.is_none(),
        })
    }
}

fn unreadable(refused: Refused) -> Fault {
    match refused {
        Refused::Fault(fault) => fault,
        refused => Fault::Unreadable { layer: Layer::State, detail: refused.to_string() },
    }
}
