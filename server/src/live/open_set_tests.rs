use super::{Entry, Open, OpenSet};
use app::model::{Pk, RecordRef};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const TABLES: [&str; 2] = ["log_00", "log_01"];

#[derive(Debug, Clone)]
enum Step {
    Insert(&'static str, Pk, Entry),
    Remove(&'static str, Pk),
    Store(usize),
}

fn pk() -> impl Strategy<Value = Pk> {
    // The largest are beyond 63 bits.
    let beyond = i128::from(i64::MAX) - 5;
    prop_oneof![
        (0..30_i128).prop_map(Pk::Int),
        (beyond..beyond + 12).prop_map(Pk::Int),
        (0..10_u8).prop_map(|n| Pk::Text(format!("k{n}")))
    ]
}

fn entry() -> impl Strategy<Value = Entry> {
    let open = prop_oneof![Just(Open::Processing), Just(Open::Failed)];
    (open, prop::option::of(-5..5_i64)).prop_map(|(open, since_ms)| Entry { open, since_ms })
}

fn step() -> impl Strategy<Value = Step> {
    let table = prop::sample::select(&TABLES[..]);
    prop_oneof![
        3 => (table.clone(), pk(), entry()).prop_map(|(table, pk, entry)| Step::Insert(table, pk, entry)),
        2 => (table, pk()).prop_map(|(table, pk)| Step::Remove(table, pk)),
        1 => (0..8_usize).prop_map(Step::Store),
    ]
}

fn reference(table: &str, pk: &Pk) -> RecordRef {
    RecordRef { table: table.into(), pk: pk.clone() }
}

fn store(copy: &mut BTreeSet<(String, Pk)>, table: &str, add: Vec<Pk>, gone: &[Pk]) {
    copy.retain(|(of, pk)| of != table || !gone.contains(pk));
    copy.extend(add.into_iter().map(|pk| (table.to_owned(), pk)));
}

proptest! {
    #[test]
    fn below_its_bound_it_is_a_map_that_counts_and_whose_copy_follows(steps in prop::collection::vec(step(), 0..200)) {
        let mut set = OpenSet::new(1_000);
        let mut model: BTreeMap<(String, Pk), Entry> = BTreeMap::new();
        let mut copy: BTreeSet<(String, Pk)> = BTreeSet::new();
        for step in steps {
            match step {
                Step::Insert(table, pk, entry) => {
                    set.insert(table, &pk, entry);
                    model.insert((table.into(), pk), entry);
                }
                Step::Remove(table, pk) => {
                    prop_assert_eq!(set.remove(table, &pk), model.remove(&(table.into(), pk)).is_some());
                }
                Step::Store(limit) => {
                    for table in TABLES {
                        let (add, gone) = set.unstored(table, limit, |_, _| true);
                        prop_assert!(add.len() <= limit && gone.len() <= limit);
                        store(&mut copy, table, add, &gone);
                    }
                }
            }
            let found: BTreeMap<(String, Pk), Entry> =
                set.iter().map(|(table, id, entry)| ((table.to_owned(), id.pk()), entry)).collect();
            prop_assert_eq!(&found, &model);
            prop_assert_eq!(set.len(), model.len());
            prop_assert_eq!(set.processing(), model.values().filter(|entry| entry.open == Open::Processing).count());
            prop_assert_eq!(set.processing() + set.failed(), set.len());
            prop_assert!(!set.overflowed());
        }
        for table in TABLES {
            let (add, gone) = set.unstored(table, 10_000, |_, _| true);
            store(&mut copy, table, add, &gone);
        }
        prop_assert_eq!(copy, model.into_keys().collect::<BTreeSet<_>>());
    }

    #[test]
    fn beyond_its_bound_it_keeps_the_oldest_and_says_so(ages in prop::collection::vec(0..40_i64, 33..200)) {
        let mut set = OpenSet::new(32);
        for (id, since_ms) in ages.iter().enumerate() {
            set.insert("t", &Pk::Int(id as i128), Entry { open: Open::Processing, since_ms: Some(*since_ms) });
        }
        prop_assert!(set.overflowed() && set.len() <= 32 && set.processing() == set.len());
        prop_assert_eq!(set.iter().count(), set.len());
        let mut kept: Vec<i64> = set.iter().filter_map(|(.., entry)| entry.since_ms).collect();
        kept.sort_unstable();
        let mut all = ages;
        all.sort_unstable();
        prop_assert_eq!(&kept[..30], &all[..30]);
    }

    #[test]
    fn pages_lose_and_double_nothing_in_either_direction(
        entries in prop::collection::btree_map((0..2_usize, pk()), entry(), 0..60),
        page in 1..20_usize,
    ) {
        let mut set = OpenSet::new(1_000);
        for ((table, pk), entry) in &entries {
            set.insert(TABLES[*table], pk, *entry);
        }
        let failed = entries.iter().filter(|(_, entry)| entry.open == Open::Failed);
        let expected: BTreeSet<RecordRef> =
            failed.map(|((table, pk), _)| reference(TABLES[*table], pk)).collect();
        let (mut down, mut at) = (Vec::new(), None);
        loop {
            let part = set.below(Open::Failed, at.as_ref(), page);
            let Some(last) = part.last() else { break };
            at = Some(last.clone());
            down.extend(part);
        }
        prop_assert_eq!(down.len(), expected.len());
        prop_assert_eq!(down.iter().map(|(_, reference)| reference.clone()).collect::<BTreeSet<_>>(), expected);
        prop_assert!(down.windows(2).all(|pair| pair[0].0 >= pair[1].0), "newest first");
        if let Some(mut at) = down.last().cloned() {
            let mut up = vec![at.clone()];
            loop {
                let part = set.above(Open::Failed, &at, page);
                let Some(last) = part.last() else { break };
                at = last.clone();
                up.extend(part);
            }
            up.reverse();
            prop_assert_eq!(up, down);
        }
    }
}

#[test]
fn an_entry_stays_small_and_keeps_its_time() {
    assert_eq!(size_of::<i64>() + size_of::<super::Packed>(), 16);
    for since_ms in [None, Some(0), Some(-1), Some(1_795_939_200_000)] {
        for open in [Open::Processing, Open::Failed] {
            let entry = Entry { open, since_ms };
            assert_eq!(super::Packed::new(entry, true).entry(), entry);
        }
    }
}

#[test]
fn the_oldest_are_those_whose_time_is_known() {
    let mut set = OpenSet::new(10);
    for (id, since_ms) in [(1, None), (2, Some(30)), (3, Some(10))] {
        set.insert("t", &Pk::Int(id), Entry { open: Open::Processing, since_ms });
    }
    let oldest = set.oldest(Open::Processing, 2);
    assert_eq!(oldest, [reference("t", &Pk::Int(3)), reference("t", &Pk::Int(2))]);
}
