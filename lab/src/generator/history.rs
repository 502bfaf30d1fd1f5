//! What happened before the demonstration began, so that lists page and charts are full at once.

use super::message::{Keys, Kind, ODD_KEYS};
use super::table::{PastRecord, Status, Table};
use chrono::{NaiveDateTime, TimeDelta};

const COMPLETED: i64 = 4_000;
const SPREAD: TimeDelta = TimeDelta::days(5);
/// Minutes ago: one or more in each column of the age chart.
const STUCK: [i64; 14] = [6, 7, 8, 9, 11, 13, 16, 19, 23, 27, 33, 38, 44, 50];
const FAILED: [i64; 6] = [4, 12, 31, 58, 140, 600];

/// In the order in which they were created, as ids are.
pub async fn fill(table: &Table, keys: &Keys, now: NaiveDateTime) -> anyhow::Result<()> {
    let ago = |minutes: i64| now - TimeDelta::minutes(minutes);
    let mut events: Vec<(NaiveDateTime, Status)> = (0..COMPLETED)
        .map(|_| (now - TimeDelta::seconds(rand::random_range(60..SPREAD.num_seconds())), Status::Completed))
        .chain(STUCK.map(|minutes| (ago(minutes), Status::Processing)))
        .chain(FAILED.map(|minutes| (ago(minutes), Status::Failed)))
        .collect();
    events.sort_by_key(|(created, _)| *created);
    let mut records: Vec<PastRecord> = events
        .into_iter()
        .map(|(created, status)| {
            let kind = Kind::draw();
            record(kind, keys.next_of(kind, created.date()), status, created)
        })
        .collect();
    let odd = ODD_KEYS.into_iter().zip([Status::Completed, Status::Failed, Status::Processing]);
    records.extend(odd.map(|(key, status)| record(Kind::OrderDone, key.to_owned(), status, ago(6))));
    table.insert_past(&records).await
}

fn record(kind: Kind, key: String, status: Status, created: NaiveDateTime) -> PastRecord {
    let handled_for = match status {
        Status::Processing => TimeDelta::zero(),
        Status::Completed | Status::Failed => TimeDelta::seconds(rand::random_range(0..3)),
    };
    PastRecord { kind, key, status, created, updated: created + handled_for }
}
