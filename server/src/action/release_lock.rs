//! Releases a lock that nobody needs any more, if its owner is still the one that was shown.

use super::request::Target;
use super::{Outcome, Refused};
use crate::diagnose::operations::Seen;
use crate::diagnose::{Behind, LockRules, sight};
use crate::live::Known;
use crate::ports::locks::{LockStore, Reading, Released};
use crate::ports::permit::Permit;
use crate::system::{SourceSystem, System};
use app::model::{Fault, Layer, WhyNot};

pub(super) fn store(source: &SourceSystem) -> Result<&dyn LockStore, Refused> {
    source.locks.as_deref().ok_or(Refused::NotAllowed(WhyNot::NotConfigured))
}

/// Reads the lock and its records afresh and applies the rules of `diagnose::lock`. `Some`: there is nothing to do any more.
pub(super) async fn guard(
    system: &System,
    source: &SourceSystem,
    locks: &dyn LockStore,
    target: &Target,
) -> Result<Option<Outcome>, Refused> {
    let rules = stands_for_its_record(source, target)?;
    let reading = locks.read(std::slice::from_ref(&target.key)).await?.pop();
    let reading =
        reading.ok_or_else(|| Fault::Unreadable { layer: Layer::Lock, detail: "no answer for the key".into() })?;
    match &reading {
        Reading::Absent => return Ok(Some(Outcome::Gone)),
        _ if rules.is_done_by_itself(&reading) => {}
        _ => {
            if let Some(owner) = reading.owner().filter(|owner| *owner != target.owner) {
                return Ok(Some(Outcome::OwnerChanged { owner }));
            }
        }
    }
    let known = Known::of(&system.board, &source.config.name);
    let rules = rules.with(known.handling(target.r#type.as_deref()));
    let seen = Seen {
        rules: Some(&rules),
        reading: Some(&reading),
        behind: &records_behind(source, target).await?,
        watched: known.watched(&target.key, Some(&target.owner)),
        shared_owner: known.shared_owner(),
    };
    seen.why_not_released().map_or(Ok(None), |why| Err(Refused::NotAllowed(why)))
}

/// Otherwise any key of that Redis could be deleted under the name of a record that does not exist.
fn stands_for_its_record(source: &SourceSystem, target: &Target) -> Result<LockRules, Refused> {
    let (Some(rules), Some(keys)) = (source.lock_rules(), source.lock_keys()) else {
        return Err(Refused::NotAllowed(WhyNot::NotConfigured));
    };
    if keys.derive(target.r#type.as_deref(), &target.biz_key).as_ref() != Some(&target.key) {
        let detail = "it is not what locks.pattern makes of this type and key".to_owned();
        return Err(Fault::BadInput { what: "key".into(), detail }.into());
    }
    Ok(rules)
}

/// Every record that the key stands for must allow it; there may be several where no unique index keeps them apart.
async fn records_behind(source: &SourceSystem, target: &Target) -> Result<Vec<Behind>, Fault> {
    let mut rows = source.records.find(target.r#type.as_deref(), &target.biz_key).await?;
    let keys = source.lock_keys();
    rows.retain(|row| keys.as_ref().and_then(|keys| keys.of(&row.record)).as_ref() == Some(&target.key));
    if rows.is_empty() {
        return Ok(vec![Behind::Missing]);
    }
    let now = source.records.clock().await?;
    Ok(rows.iter().map(|row| sight::behind(Some(&row.record), now)).collect())
}

pub(super) async fn mutate(locks: &dyn LockStore, permit: &Permit, target: &Target) -> Result<Outcome, Fault> {
    Ok(match locks.release(permit, &target.key, &target.owner).await? {
        Released::Yes => Outcome::Released,
        Released::OwnerChanged { owner } => Outcome::OwnerChanged { owner },
        Released::Gone => Outcome::Gone,
    })
}
