//! `oncewatch archive` and `restore` as somebody types them.

use super::site::{OLD, Site, YOUNG};
use crate::cli::Desk;
use crate::team::Engine;
use std::io::Read;

#[tokio::test]
async fn archive_shows_first_and_does_then() {
    let site = Site::without_archive(Engine::Sqlite, "keep = \"7d\"").await;
    site.insert(1, "done", 2, OLD).await;
    site.insert(2, "stuck", 1, OLD).await;
    site.insert(3, "young", 2, YOUNG).await;
    let desk = Desk::new(&site.team.toml());
    let missing = desk.run(&["archive", "--yes", "--reason", "room"]);
    assert_eq!(missing.code, 1, "{missing:?}");
    assert!(missing.out.contains("CREATE TABLE") && missing.err.contains("--create-table"), "{missing:?}");
    let dry = desk.run(&["archive", "--dry-run", "--create-table"]);
    assert_eq!(dry.code, 0, "{dry:?}");
    assert!(dry.out.contains("Archive 1 record of idempotent_record to idempotent_record_archive"), "{dry:?}");
    assert!(dry.out.contains("left alone: 1 record, too young"), "{dry:?}");
    assert!(dry.err.contains("not known"), "how old a message the broker has: {dry:?}");
    let no_reason = desk.run(&["archive", "--create-table", "--yes"]);
    assert_eq!(no_reason.code, 2, "{no_reason:?}");
    let unasked = desk.run(&["archive", "--create-table"]);
    assert_eq!(unasked.code, 1, "{unasked:?}");
    assert_eq!(site.ids_of("idempotent_record").await, [1, 2, 3]);

    let done = desk.run(&["archive", "--create-table", "--polite", "--yes", "--reason", "room", "--json"]).json();
    assert_eq!((&done["run"]["state"], &done["run"]["moved"]), (&"done".into(), &1.into()), "{done:#}");
    assert_eq!(site.ids().await, (vec![2, 3], vec![1]));
    let nothing = desk.run(&["archive", "--dry-run"]);
    assert_eq!(nothing.code, 1, "{nothing:?}");
    let idle = desk.run(&["archive", "--stop"]);
    assert_eq!(idle.code, 1, "{idle:?}");

    let unsaid = desk.run(&["restore"]);
    assert_eq!(unsaid.code, 2, "{unsaid:?}");
    let found = desk.run(&["restore", "--key", "done", "--dry-run"]);
    assert_eq!((found.code, found.out.contains("Restore 1 record")), (0, true), "{found:?}");
    let back = desk.run(&["restore", "--key", "done", "--yes", "--reason", "the audit asks", "--json"]).json();
    assert_eq!(back["restored"]["done"], 1, "{back:#}");
    assert_eq!(site.ids().await, (vec![1, 2, 3], vec![]));
    let again = desk.run(&["restore", "--key", "done", "--yes", "--reason", "twice"]);
    assert_eq!(again.code, 1, "{again:?}");

    // The archive has no end of its own, until somebody gives it one.
    assert_eq!(desk.run(&["archive", "--yes", "--reason", "room"]).code, 0);
    let exported = desk.run(&["archive", "--export", "old.jsonl.gz"]);
    assert_eq!((exported.code, exported.out.as_str()), (0, "1 record written to old.jsonl.gz\n"), "{exported:?}");
    let mut text = String::new();
    let file = std::fs::File::open(desk.path().join("old.jsonl.gz")).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let row: serde_json::Value = serde_json::from_str(text.trim_end()).unwrap();
    assert_eq!((&row["biz_id"], &row["id"]), (&"done".into(), &1.into()), "{text}");
    assert_eq!(desk.run(&["archive", "--export", "old.jsonl.gz"]).code, 1, "what is there is not written over");
    let kept = desk.run(&["archive", "--purge", "30d", "--yes", "--reason", "law"]);
    assert_eq!((kept.code, site.ids_of("idempotent_record_archive").await), (1, vec![1]), "{kept:?}");
    let dry = desk.run(&["archive", "--purge", "7d", "--dry-run"]);
    assert_eq!((dry.code, dry.out.contains("Delete 1 record from the archive")), (0, true), "{dry:?}");
    let purged = desk.run(&["archive", "--purge", "7d", "--yes", "--reason", "law", "--json"]).json();
    assert_eq!((&purged["purged"], site.ids().await), (&1.into(), (vec![2, 3], vec![])), "{purged:#}");
}

#[tokio::test]
async fn a_source_that_may_not_be_written_is_left_alone() {
    let site = Site::without_archive(Engine::Sqlite, "").await;
    let desk = Desk::new(&site.team.toml());
    let unkept = desk.run(&["archive"]);
    assert_eq!((unkept.code, unkept.err.contains("source.archive.keep is not set")), (1, true), "{unkept:?}");
    let read_only = desk_without_write(&site).run(&["archive"]);
    assert_eq!(read_only.code, 1, "{read_only:?}");
}

fn desk_without_write(site: &Site) -> Desk {
    Desk::new(&site.team.toml().replace("[source.records.write]", ""))
}
