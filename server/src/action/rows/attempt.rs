//! The rows of one batch: judged as they are now, and changed where they may be.

use super::plan::written;
use super::run::Work;
use super::{change_of, facts};
use crate::action::Refused;
use crate::diagnose::eligible::skip;
use crate::ports::changes::{ChangeError, Changed, Found, Frozen, Image, Item};
use crate::ports::jobs::{ItemOutcome, JobItem, Settled};
use crate::ports::state::Lease;
use app::model::{Fault, RecordRef, RowOperation, Skip, Status};
use std::collections::HashMap;
use std::time::Duration;

/// How long our lock on a record keeps consumers out, should we die with it.
const OUR_LOCK: Duration = Duration::from_secs(30);

/// Rows with what is seen of them.
type Now = HashMap<RecordRef, (Frozen, facts::Seen)>;

/// One that may be changed.
pub(super) struct Chosen<'a> {
    pub of: &'a JobItem,
    pub item: Item,
}

/// An item whose record was opened.
pub(super) struct Opened<'a> {
    pub of: &'a JobItem,
    pub before: Image,
    /// `None`: it was deleted.
    pub after: Option<Image>,
}

impl Opened<'_> {
    pub(super) fn settled(&self) -> Settled {
        self.to(ItemOutcome::Opened, None)
    }

    pub(super) fn to(&self, outcome: ItemOutcome, why: Option<String>) -> Settled {
        let (before, after) = (Some(self.before.clone()), self.after.clone());
        Settled { at: self.of.at, outcome, why, before, after }
    }
}

impl Work<'_> {
    /// Judges the rows as they are now, and changes those that may be. `Err` inside: nothing is known to have been done.
    pub(super) async fn attempt(
        &self,
        lease: &mut Lease,
        items: &[JobItem],
    ) -> Result<Result<Vec<Settled>, Fault>, Refused> {
        let references: Vec<RecordRef> = items.iter().map(|item| item.reference.clone()).collect();
        let judged = async {
            let frozen = self.changes.freeze(&references).await?;
            let ours = self.source.locks.as_ref().map(|locks| locks.ours(&self.permit));
            let seen = facts::of(self.system, self.source, &frozen, ours.as_deref()).await?;
            let whole = if self.needs_whole() { self.changes.whole(&references).await? } else { Vec::new() };
            Ok::<_, Fault>((frozen, seen, whole))
        };
        let (frozen, seen, whole) = match judged.await {
            Ok(judged) => judged,
            Err(fault) => return Ok(Err(fault)),
        };
        let mut whole: HashMap<RecordRef, Image> = whole.into_iter().collect();
        let now: Now =
            frozen.into_iter().zip(seen).map(|(frozen, seen)| (frozen.row.reference.clone(), (frozen, seen))).collect();
        let (mut settled, mut chosen) = (Vec::new(), Vec::new());
        for item in items {
            match self.why_not(&now, item) {
                Some(why) => settled.push(left_alone(item.at, &why)?),
                None => chosen.push(chosen_of(&now, item, whole.remove(&item.reference))),
            }
        }
        let mut messages = match self.hold(lease, &mut chosen, &mut settled).await? {
            Ok(messages) => messages,
            Err(fault) => return Ok(Err(fault)),
        };
        let taken = self.take_locks(&now, &mut chosen, &mut settled).await?;
        let begun: Vec<_> = chosen.iter().map(|chosen| (chosen.of.at, chosen.item.whole.clone())).collect();
        self.system.state.jobs.trying(lease, &self.job.new.id, &begun).await?;
        let changed = self.change(&chosen).await;
        self.let_go(&taken).await;
        let changed = match changed {
            Ok(changed) => changed,
            // What was begun is found out from the rows in the next step.
            Err(ChangeError::Unknown(fault)) => {
                tracing::warn!(job = self.job.new.id, %fault, "the answer to a commit was lost; the rows will tell");
                return Ok(Ok(settled));
            }
            Err(ChangeError::Fault(fault)) => {
                self.system.state.jobs.settle(lease, &self.job.new.id, &settled, self.system.clock.now()).await?;
                return Ok(Err(fault));
            }
        };
        let mut opened = Vec::new();
        for (chosen, changed) in chosen.iter().zip(changed) {
            match (changed, &messages) {
                (Changed::Done { before, after }, Some(_)) => opened.push(Opened { of: chosen.of, before, after }),
                (changed, _) => settled.push(of_changed(chosen.of.at, changed)?),
            }
        }
        if let Some(messages) = messages.take() {
            let mut so_far: Vec<Settled> = opened.iter().map(Opened::settled).collect();
            so_far.append(&mut settled);
            self.system.state.jobs.settle(lease, &self.job.new.id, &so_far, self.system.clock.now()).await?;
            settled = self.send(lease, messages, &opened).await?;
        }
        Ok(Ok(settled))
    }

    fn needs_whole(&self) -> bool {
        let deletes = self.operation == RowOperation::Retry && self.possible.open_deletes;
        deletes || self.sends_payload()
    }

    fn why_not(&self, now: &Now, item: &JobItem) -> Option<Skip> {
        match now.get(&item.reference) {
            None => Some(Skip::Gone),
            Some((frozen, _)) if frozen.stamp != item.stamp => Some(Skip::Changed),
            Some((_, seen)) => skip(self.operation, &seen.standing, self.possible, &self.source.config.retry.mode),
        }
    }

    async fn change(&self, chosen: &[Chosen<'_>]) -> Result<Vec<Changed>, ChangeError> {
        let items: Vec<Item> = chosen.iter().map(|chosen| chosen.item.clone()).collect();
        if items.is_empty() {
            return Ok(Vec::new());
        }
        self.changes.change(&self.permit, change_of(self.operation), &items).await
    }

    /// Our own locks keep consumers from starting in between; who holds a key already is at work.
    async fn take_locks(
        &self,
        now: &Now,
        chosen: &mut Vec<Chosen<'_>>,
        settled: &mut Vec<Settled>,
    ) -> Result<Vec<String>, Refused> {
        let Some(locks) = &self.source.locks else { return Ok(Vec::new()) };
        let key_of = |item: &Item| now.get(&item.reference).and_then(|(_, seen)| seen.lock_key.clone());
        for Chosen { item, .. } in chosen.iter().filter(|_| self.operation == RowOperation::Retry) {
            let Some((_, seen)) = now.get(&item.reference) else { continue };
            if let (Some(key), Some(owner)) = (&seen.lock_key, &seen.lock_owner) {
                // Of an orphan: who else holds one was sorted out before.
                locks.release(&self.permit, key, owner).await?;
            }
        }
        let keys: Vec<String> = chosen.iter().filter_map(|chosen| key_of(&chosen.item)).collect();
        let Some(taken) = locks.take(&self.permit, &keys, OUR_LOCK).await? else { return Ok(Vec::new()) };
        let refused: Vec<&String> = keys.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(key, _)| key).collect();
        let mut kept = Vec::with_capacity(chosen.len());
        for one in chosen.drain(..) {
            match key_of(&one.item) {
                Some(key) if refused.contains(&&key) => settled.push(left_alone(one.of.at, &Skip::Alive)?),
                _ => kept.push(one),
            }
        }
        *chosen = kept;
        Ok(keys.into_iter().zip(taken).filter(|(_, taken)| *taken).map(|(key, _)| key).collect())
    }

    /// They end by themselves as well.
    pub(super) async fn let_go(&self, keys: &[String]) {
        let Some(locks) = &self.source.locks else { return };
        let owner = locks.ours(&self.permit);
        for key in keys {
            if let Err(fault) = locks.release(&self.permit, key, &owner).await {
                tracing::warn!(key, %fault, "our own lock was not given back; it ends by itself");
            }
        }
    }

    /// What became of items that were begun before a crash, or whose commit's answer was lost.
    pub(super) async fn find_out(
        &self,
        lease: &Lease,
        items: &[JobItem],
    ) -> Result<Result<Vec<Settled>, Fault>, Refused> {
        let asked: Vec<Item> = (items.iter())
            .map(|item| Item {
                reference: item.reference.clone(),
                stamp: item.stamp.clone(),
                whole: item.whole.clone(),
                minimum_age: Duration::ZERO,
            })
            .collect();
        let found = match self.changes.find_out(change_of(self.operation), &asked).await {
            Ok(found) => found,
            Err(fault) => return Ok(Err(fault)),
        };
        let untouched = items.iter().zip(&found).filter(|(_, found)| **found == Found::Untouched);
        let again: Vec<i64> = untouched.map(|(item, _)| item.at).collect();
        self.system.state.jobs.reopen(lease, &self.job.new.id, &again).await?;
        let done = if self.redelivery.is_some() { ItemOutcome::Opened } else { ItemOutcome::Done };
        let settle = |(item, found): (&JobItem, Found)| match found {
            Found::Untouched => None,
            Found::Done { before, after } => {
                Some(Settled { at: item.at, outcome: done, why: None, before: Some(before), after })
            }
            Found::Unclear => Some(Settled {
                at: item.at,
                outcome: ItemOutcome::Uncertain,
                why: None,
                before: Some(item.whole.clone().unwrap_or_else(|| item.stamp.clone())),
                after: None,
            }),
        };
        Ok(Ok(items.iter().zip(found).filter_map(settle).collect()))
    }
}

fn chosen_of<'a>(now: &Now, of: &'a JobItem, whole: Option<Image>) -> Chosen<'a> {
    let seen = now.get(&of.reference).map(|(_, seen)| &seen.standing);
    // Failed and dead rows may be young.
    let processing = seen.filter(|seen| seen.status == Status::Processing);
    let minimum_age = processing.map_or(Duration::ZERO, |seen| seen.minimum_age);
    Chosen { of, item: Item { reference: of.reference.clone(), stamp: of.stamp.clone(), whole, minimum_age } }
}

pub(super) fn left_alone(at: i64, why: &Skip) -> Result<Settled, Refused> {
    Ok(Settled { at, outcome: ItemOutcome::Skipped, why: Some(written(why)?), before: None, after: None })
}

fn of_changed(at: i64, changed: Changed) -> Result<Settled, Refused> {
    let why = match changed {
        Changed::Done { before, after } => {
            return Ok(Settled { at, outcome: ItemOutcome::Done, why: None, before: Some(before), after });
        }
        Changed::Differs => Skip::Changed,
        Changed::Gone => Skip::Gone,
        Changed::TooYoung => Skip::TooYoung { after_ms: 0 },
        Changed::Locked => Skip::Locked,
        Changed::TooLarge => Skip::TooLarge,
    };
    left_alone(at, &why)
}
