//! Which rows of a list came since it was opened. By names, so that the browser need not know the rows.

use super::{LockRow, LockState, LocksFilter, LocksPanel};
use std::collections::HashSet;

/// How many of the rows that the list's first page has now came since it was opened with those that are `shown`. A page
/// has room for `most`: where it was full, what follows its last row has only moved up.
#[must_use]
pub fn newer(shown: &HashSet<String>, listed: &[String], most: usize) -> usize {
    let end = if shown.len() < most { None } else { listed.iter().rposition(|row| shown.contains(row)) };
    listed[..end.unwrap_or(listed.len())].iter().filter(|row| !shown.contains(*row)).count()
}

impl LocksPanel {
    /// The same of locks, of which the list has room for `most` in each state. Those that are held as they should be are
    /// announced only to who asks for them.
    #[must_use]
    pub fn newer(&self, shown: &HashSet<String>, filter: &LocksFilter, most: usize) -> usize {
        let wanted = |state: &LockState| filter.state.map_or(*state != LockState::Held, |only| only == *state);
        let of_state = |state: LockState| {
            let listed: Vec<String> = self
                .rows
                .iter()
                .filter(|row| row.lock.state == state && filter.matches(row))
                .take(most)
                .map(LockRow::name)
                .collect();
            let begins = format!("{} ", state.as_str());
            let shown = shown.iter().filter(|name| name.starts_with(&begins)).cloned().collect();
            newer(&shown, &listed, most)
        };
        LockState::LISTED.into_iter().filter(wanted).map(of_state).sum()
    }
}

impl LockRow {
    /// Among rows of its list: one that has changed its state is another row.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.lock.state.as_str(), self.lock.key)
    }
}

#[cfg(test)]
mod tests {
    use super::newer;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn names(range: impl IntoIterator<Item = u32>) -> Vec<String> {
        range.into_iter().map(|number| number.to_string()).collect()
    }

    fn came(shown: &[String], listed: &[String]) -> usize {
        newer(&shown.iter().cloned().collect::<HashSet<_>>(), listed, 5)
    }

    #[test]
    fn what_came_is_told_from_what_moved_up() {
        let full = names([9, 8, 7, 6, 5]);
        assert_eq!(came(&full, &full), 0);
        assert_eq!(came(&full, &names([11, 10, 9, 8, 7])), 2);
        assert_eq!(came(&full, &names([9, 7, 6, 5, 4])), 0, "8 is gone, and 4 has moved up");
        assert_eq!(came(&full, &names([10, 9, 7, 4, 3])), 1);
        assert_eq!(came(&full, &names([20, 19, 18, 17, 16])), 5, "none of them is left: so many, or more");
        let short = names([3, 2]);
        assert_eq!(came(&short, &names([3, 2, 1])), 1, "all were shown, so it came, wherever it stands");
        assert_eq!(came(&[], &names([1])), 1);
        assert_eq!(came(&short, &[]), 0);
    }

    proptest! {
        /// A list of growing numbers, newest first, of which some go and some come.
        #[test]
        fn as_many_as_came_are_told(there in 0_u32..12, come in 0_u32..5, gone in prop::collection::hash_set(0_u32..12, 0..4)) {
            let page = |numbers: Vec<u32>| names(numbers.into_iter().rev().take(5));
            let shown = page((0..there).collect());
            let listed = page((0..there + come).filter(|number| *number >= there || !gone.contains(number)).collect());
            let told = came(&shown, &listed);
            prop_assert_eq!(told, usize::try_from(come.min(5)).unwrap(), "{:?} {:?}", shown, listed);
        }
    }
}
