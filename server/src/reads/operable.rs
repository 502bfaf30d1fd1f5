//! What may be done to a source's rows: by its mapping, and by the account that would write. Asked of the database once a
//! minute for everybody, not by each page.

use super::LiveReads;
use crate::action::rows::change_of;
use crate::diagnose::eligible::{Standing, skip};
use crate::ports::changes::{Possible, RecordChanges};
use crate::system::SourceSystem;
use app::model::{Fault, Layer, Operation, RowOperation, WhyNot};
use futures::future::join_all;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const GOOD_FOR: Duration = Duration::from_secs(60);
/// After a database that did not answer it is asked again sooner.
const TRIED_AGAIN_AFTER: Duration = Duration::from_secs(5);

/// What was found out of each source.
#[derive(Default)]
pub(super) struct Abilities(Mutex<HashMap<String, Place>>);

type Place = Arc<tokio::sync::Mutex<Option<Kept>>>;

struct Kept {
    found_at: Instant,
    ability: Ability,
}

/// What a source's mapping and account allow.
#[derive(Debug, Clone)]
pub(super) struct Ability {
    possible: Possible,
    why_not: HashMap<RowOperation, WhyNot>,
    is_known: bool,
}

impl Ability {
    pub(super) fn none(why: &WhyNot) -> Self {
        let why_not = RowOperation::ALL.into_iter().map(|operation| (operation, why.clone())).collect();
        let is_known = !matches!(why, WhyNot::NotKnown { .. });
        Self { possible: Possible::default(), why_not, is_known }
    }

    fn of(&self, operation: RowOperation, why: Option<WhyNot>) -> Operation {
        let why = self.why_not.get(&operation).cloned().or(why);
        Operation { name: operation.into(), allowed: why.is_none(), why }
    }

    pub(super) fn operations(&self) -> Vec<Operation> {
        RowOperation::ALL.into_iter().map(|operation| self.of(operation, None)).collect()
    }

    /// On one row, as it is seen; `None`: there is none.
    pub(super) fn on(&self, source: &SourceSystem, standing: Option<&Standing>) -> Vec<Operation> {
        let why = |operation| match standing {
            None => Some(WhyNot::NoRecord),
            Some(standing) => skip(operation, standing, self.possible, &source.config.retry.mode)
                .map(|skip| WhyNot::LeftAlone { skip }),
        };
        RowOperation::ALL.into_iter().map(|operation| self.of(operation, why(operation))).collect()
    }
}

impl LiveReads {
    pub(super) async fn ability(&self, source: &SourceSystem) -> Ability {
        let Some(changes) = source.changes.as_deref() else { return Ability::none(&WhyNot::ReadOnly) };
        let place = {
            let mut places = self.abilities.0.lock().unwrap_or_else(PoisonError::into_inner);
            places.entry(source.config.name.clone()).or_default().clone()
        };
        let mut place = place.lock().await;
        if let Some(kept) = place.as_ref() {
            let good_for = if kept.ability.is_known { GOOD_FOR } else { TRIED_AGAIN_AFTER };
            if self.system.clock.instant().saturating_duration_since(kept.found_at) < good_for {
                return kept.ability.clone();
            }
        }
        let ability = match self.within(Layer::Records, find_out(source, changes)).await {
            Ok(ability) => ability,
            Err(fault) => Ability::none(&WhyNot::NotKnown { fault }),
        };
        *place = Some(Kept { found_at: self.system.clock.instant(), ability: ability.clone() });
        ability
    }
}

async fn find_out(source: &SourceSystem, changes: &dyn RecordChanges) -> Result<Ability, Fault> {
    let possible = changes.possible().await?;
    let asked = RowOperation::ALL.into_iter().map(|operation| async move {
        let why = match unmapped(source, possible, operation) {
            Some(why) => Some(why),
            None => ungranted(source, changes, operation).await,
        };
        why.map(|why| (operation, why))
    });
    let why_not = join_all(asked).await.into_iter().flatten().collect();
    Ok(Ability { possible, why_not, is_known: true })
}

fn unmapped(source: &SourceSystem, possible: Possible, operation: RowOperation) -> Option<WhyNot> {
    let write = source.config.records.write.as_ref();
    let (is_possible, is_mapped, key) = match operation {
        RowOperation::Retry => (possible.open, write.is_some_and(|write| write.release.is_some()), "release"),
        RowOperation::MarkFailed => (possible.mark_failed, write.is_some_and(|write| write.failed.is_some()), "failed"),
        RowOperation::MarkDead => (possible.mark_dead, write.is_some_and(|write| write.dead.is_some()), "dead"),
    };
    match (is_possible, is_mapped) {
        (true, _) => None,
        (false, false) => Some(WhyNot::MissingMapping { key: key.into() }),
        (false, true) => Some(WhyNot::NoIdentity),
    }
}

/// Where the account cannot be asked nothing is known to be missing.
async fn ungranted(source: &SourceSystem, changes: &dyn RecordChanges, operation: RowOperation) -> Option<WhyNot> {
    let lacking = changes.lacking(change_of(operation)).await.unwrap_or_else(|fault| {
        tracing::warn!(source = source.config.name, %fault, "what the account that writes may do is not known");
        None
    });
    lacking.map(|statement| WhyNot::MissingGrant { statement })
}
