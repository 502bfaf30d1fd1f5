//! One chunk: an entry in the audit, one transaction, and what came of it, also when nobody saw its end.

use super::run::{End, Work};
use super::{InFlight, written};
use crate::action::request::Refused;
use crate::ports::archive::Shifted;
use crate::ports::changes::ChangeError;
use crate::ports::permit::Permit;
use crate::ports::state::{Begin, StateError};
use app::model::{ArchiveLeft, Pk};

/// A chunk of which others hold every row is tried so often.
const TRIES: u32 = 5;

impl Work<'_> {
    /// Moves those of the rows that may be moved; what was left of them.
    pub(super) async fn chunk(&mut self, table: &str, rows: &[Pk]) -> Result<ArchiveLeft, End> {
        for attempt in 1.. {
            self.calm().await?;
            let number = self.progress.chunks + 1;
            let target = serde_json::json!({
                "table": table, "rows": rows.len(), "first": rows.first(), "last": rows.last(),
            });
            let permit = self.permit(self.chunk_id(number), "archive_chunk", target.to_string()).await?;
            let flight = InFlight { table: table.to_owned(), number, rows: rows.to_vec() };
            self.progress.chunks = number;
            self.progress.in_flight = Some(flight.clone());
            self.put().await?;
            let began = self.system.clock.instant();
            let shifted = match self.archiver.shift(&permit, table, self.options.ripe(), rows).await {
                Ok(shifted) => shifted,
                Err(ChangeError::Unknown(fault)) => {
                    tracing::warn!(run = self.run.new.id, %fault, "the answer to a commit was lost; the tables will tell");
                    return self.land().await;
                }
                Err(ChangeError::Fault(fault)) => {
                    self.complete(&self.chunk_id(number), "failed", &written(&fault)?).await?;
                    self.progress.in_flight = None;
                    self.put().await?;
                    self.failed(fault).await?;
                    continue;
                }
            };
            self.failures = 0;
            let time = self.system.clock.instant().saturating_duration_since(began);
            let all_locked = shifted.left.locked == rows.len() as u64;
            let again = all_locked && attempt < TRIES;
            let counted = if again { Shifted::default() } else { shifted };
            self.landed(&flight, counted).await?;
            let rest = self.pace.took(rows.len(), shifted.left.locked, time);
            self.say(rest.why).await?;
            self.rest(rest.time).await?;
            if !again {
                return Ok(shifted.left);
            }
        }
        Ok(ArchiveLeft::default())
    }

    /// What became of the chunk that was in flight when somebody died, or whose answer was lost.
    pub(super) async fn land(&mut self) -> Result<ArchiveLeft, End> {
        let Some(flight) = self.progress.in_flight.clone() else { return Ok(ArchiveLeft::default()) };
        let archiver = self.archiver;
        let moved = self.patiently(|| archiver.moved(&flight.table, &flight.rows)).await?;
        let left = ArchiveLeft { locked: flight.rows.len() as u64 - moved, ..ArchiveLeft::default() };
        self.landed(&flight, Shifted { moved, left, gone: 0 }).await?;
        Ok(left)
    }

    /// Writes down what a chunk did. The next `put` forgets that it was in flight: until then it may be found again.
    async fn landed(&mut self, flight: &InFlight, shifted: Shifted) -> Result<(), End> {
        let Shifted { moved, left, gone } = shifted;
        let detail = serde_json::json!({ "moved": moved, "left": left, "gone": gone });
        self.complete(&self.chunk_id(flight.number), "moved", &detail.to_string()).await?;
        self.progress.in_flight = None;
        self.progress.moved += moved;
        self.progress.left += left;
        Ok(())
    }

    fn chunk_id(&self, number: u64) -> String {
        format!("{}/{number}", self.run.new.id)
    }

    pub(super) async fn permit(
        &self,
        operation_id: String,
        operation: &str,
        target: String,
    ) -> Result<Permit, Refused> {
        let new = &self.run.new;
        let begin = Begin {
            operation_id,
            operation: operation.to_owned(),
            source: new.source.clone(),
            actor: new.actor.clone(),
            origin: new.origin.clone(),
            reason: new.reason.clone(),
            at: self.system.clock.now(),
            target,
        };
        match self.system.state.audit.begin(&begin).await {
            Ok(permit) => Ok(permit),
            Err(StateError::Exists(_)) => {
                self.system.state.audit.go_on(&begin.operation_id).await?.ok_or(Refused::Unfinished)
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(super) async fn complete(&self, operation_id: &str, outcome: &str, detail: &str) -> Result<(), StateError> {
        match self.system.state.audit.complete(operation_id, self.system.clock.now(), outcome, detail).await {
            // It was closed before a crash.
            Ok(()) | Err(StateError::Exists(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
