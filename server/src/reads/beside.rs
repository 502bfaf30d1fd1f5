//! What a look-up's page holds its answer against.

use super::LiveReads;
use crate::clock::millis;
use crate::live::Known;
use crate::system::SourceSystem;
use app::model::{Beside, Lookup, VerdictCount};

impl LiveReads {
    pub(super) fn beside_of(&self, source: &SourceSystem, lookup: &Lookup) -> Beside {
        let handling = Known::of(&self.system.board, &source.config.name).handling(lookup.r#type.as_deref());
        Beside {
            ttl_ms: source.config.locks.as_ref().and_then(|locks| locks.ttl).map(millis),
            p99_ms: handling.p99.map(millis),
            minimum_age_ms: Some(millis(source.minimum_age(handling))),
            alike: self.alike(source, lookup),
        }
    }

    /// As the locks collector judged all open records last; what it cannot see now is not said.
    fn alike(&self, source: &SourceSystem, lookup: &Lookup) -> Option<VerdictCount> {
        let verdict = lookup.verdict.as_ref()?.code;
        let panel = self.locks_panel(source).filter(|panel| panel.trouble.is_none())?;
        panel.body?.verdicts.into_iter().find(|of| of.verdict == verdict)
    }
}
