//! What an open record costs in memory.

use super::report::Line;
use app::model::Pk;
use server::live::{Entry, Open, OpenSet};

const RECORDS: u32 = 1_000_000;
const MOST_BYTES: f64 = 48.0;

/// A million numeric ids in growing order, which fills the tree's nodes the least.
pub fn measured() -> Line {
    let before = resident();
    let mut set = OpenSet::new(2 * RECORDS as usize);
    for id in 0..RECORDS {
        let entry = Entry { open: Open::Processing, since_ms: Some(1_795_939_200_000 + i64::from(id)) };
        set.insert("idempotent_record", &Pk::Int(i128::from(id)), entry);
    }
    let each = (resident() - before) as f64 / f64::from(RECORDS);
    assert_eq!(set.len(), RECORDS as usize);
    Line::ratio("", "memory for each open id", format!("{each:.1} bytes"), each, MOST_BYTES)
}

/// Bytes of this process in memory.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux says it");
    pages.split(' ').nth(1).expect("the second number").parse::<u64>().expect("a number") * 4_096
}
