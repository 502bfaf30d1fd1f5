//! What the newest rows say of the mapping: codes that nobody named, keys that are none, times that cannot be right.

use super::Findings;
use crate::ports::audit::{Sample, Sampled, Text};
use app::model::{CodeCount, Note, Problem, Status, StatusCount};
use chrono::{DateTime, Offset, TimeDelta, TimeZone, Utc};
use std::collections::BTreeMap;

/// Clocks of several machines differ, so a time somewhat ahead is no wrong zone.
const AHEAD: TimeDelta = TimeDelta::minutes(1);
/// How exactly an age must be a whole number of hours.
const EXACTLY: TimeDelta = TimeDelta::seconds(60);
/// No zone is farther from another.
const FARTHEST_MINUTES: i64 = 14 * 60;
/// Zones differ by at least this.
const QUARTER_MINUTES: i64 = 15;
/// Shorter columns hold codes, which fill them by design.
const SHORTEST_COLUMN: u64 = 16;
/// Codes that are listed.
const CODES: usize = 20;

/// `now` is the database's; `None`: it did not say.
pub(super) fn judge(sample: &Sample, texts: &[Text], now: Option<DateTime<Utc>>, found: &mut Findings) {
    let rows = sample.rows.len() as u64;
    let newest = sample.rows.iter().flat_map(|row| [row.record.created_at, row.record.updated_at]).flatten().max();
    let age = now.zip(newest).map(|(now, newest)| now - newest);
    found.notes.push(Note::NewestRows {
        rows,
        statuses: statuses(&sample.rows),
        in_order: sample.in_order,
        age_ms: age.map(|age| age.num_milliseconds()),
        left_out: sample.left_out,
    });
    found.notes.extend(unmapped(&sample.rows));
    if let (Some(now), Some(age)) = (now, age) {
        zones(sample, now, age, found);
    }
    found.problems.extend(changed_before_created(&sample.rows));
    found.problems.extend(missing_keys(&sample.rows));
    found.problems.extend(duplicates(&sample.rows));
    found.notes.extend(sample.key_columns.iter().enumerate().filter_map(|(at, column)| {
        let text = texts.iter().find(|text| Some(&text.column) == column.as_ref())?;
        fill(&sample.rows, at, text)
    }));
}

fn statuses(rows: &[Sampled]) -> Vec<StatusCount> {
    let count = |status| rows.iter().filter(|row| row.record.status == status).count() as u64;
    let counts = Status::ALL.into_iter().map(|status| StatusCount { status, count: count(status) });
    counts.filter(|one| one.count > 0).collect()
}

fn unmapped(rows: &[Sampled]) -> Option<Note> {
    let unmapped: Vec<&Sampled> = rows.iter().filter(|row| row.record.status == Status::Unmapped).collect();
    let mut counts: BTreeMap<&Option<String>, u64> = BTreeMap::new();
    for code in unmapped.iter().filter_map(|row| row.code.as_ref()) {
        *counts.entry(code).or_default() += 1;
    }
    let mut codes: Vec<CodeCount> =
        counts.into_iter().map(|(code, count)| CodeCount { code: code.clone(), count }).collect();
    codes.sort_by_key(|one| std::cmp::Reverse(one.count));
    codes.truncate(CODES);
    (!unmapped.is_empty()).then_some(Note::UnmappedCodes { rows: unmapped.len() as u64, codes })
}

/// A zone that is wrong moves all times by as much.
fn zones(sample: &Sample, now: DateTime<Utc>, age: TimeDelta, found: &mut Findings) {
    if -age > AHEAD {
        let timezone = sample.zone.map(|zone| zone.name().to_owned());
        found.problems.push(Problem::InFuture { ahead_ms: -age.num_milliseconds(), timezone });
        return;
    }
    let Some(zone) = sample.zone else { return };
    let timezone = || zone.name().to_owned();
    let of_zone = i64::from(zone.offset_from_utc_datetime(&now.naive_utc()).fix().local_minus_utc()) / 60;
    let exactly = |minutes: i64| (age - TimeDelta::minutes(minutes)).abs() <= EXACTLY;
    let hours = (age.num_seconds() + 1_800) / 3_600;
    if of_zone > 0 && exactly(of_zone) {
        found.problems.push(Problem::ZoneOld { minutes: of_zone, timezone: timezone() });
    } else if (1..=FARTHEST_MINUTES / 60).contains(&hours) && exactly(hours * 60) {
        found.notes.push(Note::WholeHoursOld { minutes: hours * 60, timezone: timezone() });
    }
}

/// Two columns in two zones: most rows changed before they were, and all by about as much.
fn changed_before_created(rows: &[Sampled]) -> Option<Problem> {
    let both = rows.iter().filter_map(|row| Some(row.record.created_at? - row.record.updated_at?));
    let (mut by, all) = both.fold((Vec::new(), 0_usize), |(mut by, all), apart| {
        if apart > AHEAD {
            by.push(apart);
        }
        (by, all + 1)
    });
    by.sort();
    let median = *by.get(by.len() / 2)?;
    let quarter = TimeDelta::minutes(QUARTER_MINUTES);
    let together = by.iter().filter(|apart| (**apart - median).abs() <= quarter).count();
    let enough = by.len() >= 3 && by.len() * 2 > all && together * 5 >= by.len() * 4;
    // Handling takes its time, so what is stored is a little less than the zones are apart.
    let quarters = (median.num_minutes() + QUARTER_MINUTES - 1) / QUARTER_MINUTES;
    let rounded = TimeDelta::minutes(quarters * QUARTER_MINUTES);
    let fits = rounded >= TimeDelta::minutes(30) && rounded <= TimeDelta::minutes(2 * FARTHEST_MINUTES);
    (enough && fits).then(|| Problem::ChangedBeforeCreated { rows: by.len() as u64, by_ms: rounded.num_milliseconds() })
}

fn missing_keys(rows: &[Sampled]) -> Option<Problem> {
    let nulls = rows.iter().filter(|row| row.key.iter().all(Option::is_none)).count() as u64;
    let blank = |row: &&Sampled| row.key.iter().all(|part| part.as_deref().unwrap_or_default().is_empty());
    let empty = rows.iter().filter(blank).count() as u64 - nulls;
    (nulls + empty > 0).then_some(Problem::KeysMissing { nulls, empty, rows: rows.len() as u64 })
}

fn duplicates(rows: &[Sampled]) -> Option<Problem> {
    // By their parts: joined, different ones may look the same.
    let mut counts: BTreeMap<[&[Option<String>]; 2], Vec<&Sampled>> = BTreeMap::new();
    let blank = |part: &Option<String>| part.as_deref().unwrap_or_default().is_empty();
    for row in rows.iter().filter(|row| !row.key.iter().all(blank)) {
        counts.entry([&row.r#type, &row.key]).or_default().push(row);
    }
    let several: Vec<&Sampled> = counts.values().filter(|rows| rows.len() > 1).map(|rows| rows[0]).collect();
    let record = &several.first()?.record;
    let named = record.r#type.iter().chain(&record.key).cloned().collect::<Vec<_>>();
    let example = named.join(" ");
    Some(Problem::DuplicateKeys { keys: several.len() as u64, example, rows: rows.len() as u64 })
}

/// Keys of one fixed length fill their column by design; a few among shorter ones may be what a cut left.
fn fill(rows: &[Sampled], at: usize, text: &Text) -> Option<Note> {
    let length = text.length.filter(|length| *length >= SHORTEST_COLUMN)?;
    let lengths = rows.iter().filter_map(|row| Some(row.key.get(at)?.as_ref()?.chars().count() as u64));
    let (mut full, mut shorter) = (0, 0);
    for one in lengths {
        if one >= length { full += 1 } else { shorter += 1 }
    }
    (full > 0 && shorter > full).then(|| Note::KeysFillColumn { column: text.column.clone(), length, keys: full })
}

#[cfg(test)]
mod tests {
    use super::{Findings, judge};
    use crate::ports::audit::{Folds, Sample, Sampled, Text};
    use app::model::{CodeCount, Note, Problem, Record, Status, StatusCount};
    use chrono::{DateTime, TimeDelta, Utc};
    use chrono_tz::Tz;

    fn now() -> DateTime<Utc> {
        "2026-11-29T08:00:00Z".parse().unwrap()
    }

    /// `age`: of the last change, in seconds.
    fn row(key: Option<&str>, status: Status, age: i64) -> Sampled {
        let at = now() - TimeDelta::seconds(age);
        let record = Record {
            source: "points".into(),
            id: None,
            r#type: Some("ORDER_DONE".into()),
            key: key.map(Into::into),
            status,
            created_at: Some(at - TimeDelta::seconds(1)),
            updated_at: Some(at),
            attempts: None,
            error: None,
            owner: None,
            lease_until: None,
        };
        let code = Some((status != Status::Unmapped).then(|| "1".to_owned()));
        Sampled { record, code, r#type: vec![Some("ORDER_DONE".into())], key: vec![key.map(Into::into)] }
    }

    fn found(rows: Vec<Sampled>, zone: Option<Tz>) -> (Vec<Problem>, Vec<Note>) {
        let mut found = Findings::default();
        let text = Text {
            column: "biz_id".into(),
            collation: "utf8mb4_bin".into(),
            folds: Folds::Nothing,
            narrow_charset: None,
            length: Some(16),
        };
        judge(
            &Sample { rows, key_columns: vec![Some("biz_id".into())], in_order: true, left_out: 0, zone },
            &[text],
            Some(now()),
            &mut found,
        );
        (found.problems, found.notes)
    }

    #[test]
    fn sound_rows_are_only_counted() {
        let rows = vec![row(Some("a"), Status::Completed, 5), row(Some("b"), Status::Unmapped, 9)];
        let (problems, notes) = found(rows, Some(Tz::UTC));
        assert_eq!(problems, []);
        let of = |status| StatusCount { status, count: 1 };
        let statuses = vec![of(Status::Completed), of(Status::Unmapped)];
        let codes = vec![CodeCount { code: None, count: 1 }];
        assert_eq!(
            notes,
            [
                Note::NewestRows { rows: 2, statuses, in_order: true, age_ms: Some(5_000), left_out: 0 },
                Note::UnmappedCodes { rows: 1, codes }
            ]
        );
    }

    #[test]
    fn a_wrong_zone_moves_all_times() {
        let at = |age, zone| found(vec![row(Some("a"), Status::Completed, age)], zone);
        let future = Problem::InFuture { ahead_ms: 28_790_000, timezone: Some("UTC".into()) };
        assert_eq!(at(10 - 8 * 3_600, Some(Tz::UTC)).0, [future]);
        let old = Problem::ZoneOld { minutes: 480, timezone: "Asia/Shanghai".into() };
        assert_eq!(at(8 * 3_600 + 20, Some(Tz::Asia__Shanghai)).0, [old]);
        assert_eq!(at(8 * 3_600 + 200, Some(Tz::Asia__Shanghai)).0, []);
        let (problems, notes) = at(5 * 3_600 + 20, Some(Tz::UTC));
        assert_eq!(problems, []);
        assert!(notes.contains(&Note::WholeHoursOld { minutes: 300, timezone: "UTC".into() }), "{notes:?}");
        assert_eq!(at(5 * 3_600 + 20, None).1.len(), 1, "an instant has no zone to be wrong");
    }

    #[test]
    fn two_columns_in_two_zones_are_noticed() {
        let apart = |hours| {
            let mut rows: Vec<_> = (0..4).map(|n| row(Some(&n.to_string()), Status::Completed, 300 + n)).collect();
            for row in &mut rows {
                row.record.updated_at =
                    row.record.created_at.map(|at| at - TimeDelta::hours(hours) + TimeDelta::minutes(2));
            }
            found(rows, Some(Tz::UTC)).0
        };
        assert_eq!(apart(8), [Problem::ChangedBeforeCreated { rows: 4, by_ms: 8 * 3_600_000 }]);
        assert_eq!(apart(0), []);
    }

    #[test]
    fn keys_that_are_none_or_several_times_there() {
        let rows = vec![
            row(None, Status::Completed, 5),
            row(Some(""), Status::Completed, 5),
            row(Some("a"), Status::Completed, 5),
            row(Some("a"), Status::Processing, 5),
        ];
        let duplicate = Problem::DuplicateKeys { keys: 1, example: "ORDER_DONE a".into(), rows: 4 };
        assert_eq!(found(rows, None).0, [Problem::KeysMissing { nulls: 1, empty: 1, rows: 4 }, duplicate]);
    }

    #[test]
    fn a_few_full_keys_among_shorter_ones_may_have_been_cut() {
        let of = |lengths: &[usize]| {
            let key = |(at, length): (usize, &usize)| format!("{at}{}", "x".repeat(length - 1));
            let rows = lengths.iter().enumerate().map(key).map(|key| row(Some(&key), Status::Completed, 5)).collect();
            found(rows, None).1.iter().any(|note| matches!(note, Note::KeysFillColumn { length: 16, keys: 1, .. }))
        };
        assert!(of(&[16, 9, 12]));
        assert!(!of(&[16, 16, 16]) && !of(&[9, 9]));
    }
}
