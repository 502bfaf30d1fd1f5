//! Operations on rows: [`plan`] freezes a selection and says what would be done, [`confirm`] hands it to a runner, [`run`]
//! works it off in batches, [`undo`] takes it back. What may be touched is judged when it is planned and again before each batch, and the
//! database compares each row with what was frozen of it.

mod attempt;
mod facts;
mod items;
mod plan;
mod redeliver;
pub mod retried;
mod run;
pub mod runner;
mod undo;

pub use items::items_of;
pub use plan::{Ask, Selection, confirm, operated, plan, plan_of};
pub use run::{run, run_of, work_off};
pub use undo::undo;

use super::request::{Actor, Refused, needs};
use super::trail::{note, noted_of_job};
use crate::ports::jobs::Wish;
use crate::ports::trail::EventKind;
use crate::system::{SourceSystem, System};

use crate::ports::changes::{Change, Possible, RecordChanges};
use app::model::{Fault, Layer, RowOperation, Selected};
use serde::{Deserialize, Serialize};

/// What a job keeps besides its items.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Options {
    operation: RowOperation,
    #[serde(default)]
    selected: Option<Selected>,
    /// `retry.mode` when it was planned.
    #[serde(default)]
    mode: String,
    warnings: Vec<app::model::PlanWarning>,
    phrase: Option<String>,
    #[serde(default)]
    eligible: u64,
    estimate_ms: u64,
}

/// The lease under which a job is worked off.
fn lease_of(job: &str) -> String {
    format!("job/{job}")
}

pub(crate) fn change_of(operation: RowOperation) -> Change {
    match operation {
        RowOperation::Retry => Change::Open,
        RowOperation::MarkFailed => Change::MarkFailed,
        RowOperation::MarkDead => Change::MarkDead,
    }
}

fn allows(possible: Possible, operation: RowOperation) -> bool {
    match operation {
        RowOperation::Retry => possible.open,
        RowOperation::MarkFailed => possible.mark_failed,
        RowOperation::MarkDead => possible.mark_dead,
    }
}

/// Fails where the source is read-only.
fn changes(source: &SourceSystem) -> Result<&dyn RecordChanges, Fault> {
    source.changes.as_deref().ok_or(Fault::NotConfigured { layer: Layer::Records })
}

/// Asks a run to pause, to stop, or (`None`) to go on.
pub async fn wish(system: &System, id: &str, actor: &Actor, wish: Option<Wish>) -> Result<(), Refused> {
    noted_of_job(system, id, actor, needs(actor)).await?;
    if !system.state.jobs.wish(id, wish).await? {
        return Err(Refused::Over);
    }
    let kind = match wish {
        Some(Wish::Pause) => EventKind::Paused,
        Some(Wish::Stop) => EventKind::Stopped,
        None => EventKind::Resumed,
    };
    note(system, id, actor, kind, "{}".to_owned()).await
}
