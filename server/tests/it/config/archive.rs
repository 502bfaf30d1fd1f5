//! `[source.archive]`: what may go, where, and when.

use super::{POINTS, read, refused, source};
use server::config::ArchiveMode;
use std::time::Duration;

/// [`POINTS`], which may be written, with these lines of its archive.
fn with(lines: &str) -> String {
    let write = "[source.records.write]\nrelease = \"delete\"\n";
    format!("{POINTS}{write}[source.archive]\n{lines}\n")
}

#[test]
fn a_table_alone_is_only_looked_into() {
    let config = read(&with("table = 'old'"));
    let archive = source(&config).archive.as_ref().unwrap();
    assert_eq!((archive.keep, archive.mode, archive.schedule.is_none()), (None, ArchiveMode::Move, true));
    assert_eq!((archive.window, archive.batch), (Duration::from_secs(7_200), 2_000));
}

#[test]
fn what_is_written_counts() {
    let config = read(&with("table = 'old'\nkeep = '14d'\nschedule = '0 3 * * *'\nwindow = '90m'\nbatch = 500"));
    let archive = source(&config).archive.as_ref().unwrap();
    assert_eq!(archive.keep, Some(Duration::from_secs(14 * 86_400)));
    assert_eq!((archive.window, archive.batch), (Duration::from_secs(5_400), 500));
    // In the source's own zone, which is Shanghai's.
    let at = |text: &str| text.parse().unwrap();
    let last = |now| archive.schedule.as_ref().unwrap().last(at(now), source(&config).timezone, archive.window);
    assert_eq!(last("2026-11-29T20:00:00Z"), Some(at("2026-11-29T19:00:00Z")));
}

#[test]
fn nothing_is_deleted_or_done_by_itself_by_mistake() {
    let delete = "table = 'old'\nkeep = '7d'\nmode = 'delete'";
    for (lines, path, accepted) in [
        (delete, "mode", "\"delete\" with i_know = true"),
        ("table = 'old'\nschedule = '0 3 * * *'", "schedule", "only with keep"),
        ("table = 'old'\nkeep = '7d'\nschedule = 'at night'", "schedule", "such as \"0 3 * * *\""),
        ("table = 'idempotent_record'", "table", "another table than the source's own"),
        ("table = 'old_*'\nkeep = '7d'", "table", "one * where the source's table has its only one"),
    ] {
        let said = refused(&with(lines));
        assert!(said.starts_with(&format!("source[0].archive.{path}: ")) && said.contains(accepted), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let read_only = format!("{POINTS}[source.archive]\ntable = 'old'\nkeep = '7d'\nschedule = '0 3 * * *'\n");
    let said = refused(&read_only);
    assert!(said.contains("only with [source.records.write]"), "{said}");
    let config = read(&with(&format!("{delete}\ni_know = true")));
    assert_eq!(source(&config).archive.as_ref().unwrap().mode, ArchiveMode::Delete);
}

/// What was moved would be read as if it were still there.
#[test]
fn an_archive_is_none_of_the_source_s_own_tables() {
    let numbered = with("table = 'idempotent_record_old_*'\nkeep = '7d'")
        .replace("\"idempotent_record\"", "\"idempotent_record_*\"");
    let said = refused(&numbered);
    assert!(said.contains("a name that is none of idempotent_record_*"), "{said}");
    read(&numbered.replace("idempotent_record_old_*", "old_*"));
}
