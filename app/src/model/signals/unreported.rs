//! What the convention asks consumers to report and they do not, as far as the last hour tells.

use super::SignalsPanel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Unreported {
    /// Nobody reported anything.
    Everything,
    /// Types that the table or the locks have, at most ten.
    Types {
        names: Vec<String>,
    },
    HandlingTimes,
    /// Which instances are there.
    Alive,
    /// There are duplicates, and nobody says where from.
    Origins,
    /// Deliveries are settled, and none of them completed, failed or died.
    Ends,
}

/// Types that are named.
const NAMED: usize = 10;
/// What stands for the types beyond those that are told apart.
const OTHER: &str = "other";

impl SignalsPanel {
    /// `types`: those that are known from elsewhere.
    #[must_use]
    pub fn unreported<'a>(&'a self, types: impl Iterator<Item = &'a str>) -> Vec<Unreported> {
        if self.reported_at.is_none() {
            return vec![Unreported::Everything];
        }
        let told: BTreeSet<&str> = self.types.iter().map(|of| of.r#type.as_str()).collect();
        let silent: BTreeSet<&str> = types.filter(|name| !name.is_empty() && !told.contains(name)).collect();
        let total = &self.total;
        let mut gaps = Vec::new();
        // One without a name of its own may be among the rest.
        if !silent.is_empty() && !told.contains(OTHER) {
            gaps.push(Unreported::Types { names: silent.into_iter().take(NAMED).map(str::to_owned).collect() });
        }
        gaps.extend((self.handling.count == 0).then_some(Unreported::HandlingTimes));
        gaps.extend((self.alive == 0).then_some(Unreported::Alive));
        let nowhere = total.duplicates() > 0 && self.types.iter().all(|of| of.origins.is_empty());
        gaps.extend(nowhere.then_some(Unreported::Origins));
        let endless = total.deliveries() > 0 && total.completed + total.failed + total.dead == 0;
        gaps.extend(endless.then_some(Unreported::Ends));
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::Unreported;
    use crate::model::{Counts, HandlingFigures, Origin, SignalsPanel, TypeSignals};
    use chrono::DateTime;

    fn panel() -> SignalsPanel {
        let counts = Counts { first: 9, dup_lock: 1, completed: 9, ..Counts::default() };
        let handling = HandlingFigures { count: 9, p50_ms: Some(5), p99_ms: Some(9) };
        let origins = vec![Origin { name: "order_event".into(), duplicates: 1 }];
        SignalsPanel {
            kind: "http".into(),
            address: None,
            reported_at: Some(DateTime::UNIX_EPOCH),
            alive: 2,
            total: counts,
            handling,
            last: None,
            recent: handling,
            ttl_ms: None,
            types: vec![TypeSignals { r#type: "ORDER".into(), counts, handling, origins }],
            unreadable: 0,
            cut_minutes: 0,
        }
    }

    fn gaps(panel: &SignalsPanel) -> Vec<Unreported> {
        panel.unreported(["ORDER", "REFUND", ""].into_iter())
    }

    #[test]
    fn what_is_missing_is_named() {
        let refund = || Unreported::Types { names: vec!["REFUND".into()] };
        assert_eq!(gaps(&panel()), [refund()]);
        let silent = SignalsPanel { reported_at: None, ..panel() };
        assert_eq!(gaps(&silent), [Unreported::Everything]);
        let mut bare = panel();
        (bare.handling, bare.alive, bare.total.completed) = (HandlingFigures::default(), 0, 0);
        bare.types[0].origins.clear();
        let all = [refund(), Unreported::HandlingTimes, Unreported::Alive, Unreported::Origins, Unreported::Ends];
        assert_eq!(gaps(&bare), all);
    }

    #[test]
    fn what_nothing_says_is_not_claimed() {
        let mut calm = panel();
        (calm.total.dup_lock, calm.types[0].r#type) = (0, "other".into());
        calm.types[0].origins.clear();
        assert_eq!(gaps(&calm), [], "no duplicates, no origins; and REFUND may be among the rest");
    }
}
