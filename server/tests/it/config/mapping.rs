//! Keys and types put together, values inside JSON, and what operations may write.

use super::{read, refused, with};
use server::config::{Code, Part, Pointer, Release, print};

const KEY: &str = "key = [\"biz_id\"]";

fn json(column: &str, pointer: &str) -> Part {
    Part::Json { column: column.into(), pointer: Pointer::parse(pointer).unwrap() }
}

#[test]
fn parts_of_every_kind_are_read() {
    let records = |line: &str, by: &str| read(&with(line, by)).sources[0].records.clone();
    let key = |by: &str| records(KEY, &format!("key = {by}")).key;
    assert_eq!(
        key(r#"{ column = "Content", json = "/Headers/cap-msg-id" }"#),
        [json("Content", "/Headers/cap-msg-id")]
    );
    assert_eq!(key(r#"["tenant", { column = "c", json = "" }]"#), [Part::Column("tenant".into()), json("c", "")]);
    assert_eq!(key(r#"[{ column = "a" }]"#), [Part::Column("a".into())]);
    let r#type = |by: &str| records("type = \"biz_type\"", &format!("type = {by}")).r#type;
    let mixed = r#"[{ constant = "points" }, "topic", { table_name = true }, { column = "c", json = "/a~1b" }, { constant = "points" }]"#;
    let points = || Part::Constant("points".into());
    assert_eq!(r#type(mixed), [points(), Part::Column("topic".into()), Part::TableName, json("c", "/a~1b"), points()]);
    assert_eq!(r#type("{ table_name = true }"), [Part::TableName]);
    let error = records("updated = \"update_time\"", r#"error = { column = "c", json = "/e" }"#).error;
    assert_eq!(error, Some(json("c", "/e")));
}

#[test]
fn parts_must_be_possible() {
    let key = |by: &str| refused(&with(KEY, &format!("key = {by}")));
    insta::assert_snapshot!(key("{ column = 'c', json = 'id' }"), @r#"source[0].records.key.json: found "id" (string); accepted: a JSON pointer such as "/Headers/cap-msg-id" or "/items/0" (~1 stands for /, ~0 for ~)"#);
    insta::assert_snapshot!(key("{ column = 'c', json = '/a~2' }"), @r#"source[0].records.key.json: found "/a~2" (string); accepted: a JSON pointer such as "/Headers/cap-msg-id" or "/items/0" (~1 stands for /, ~0 for ~)"#);
    insta::assert_snapshot!(key("{ json = '/a' }"), @"source[0].records.key.column: missing; accepted: the name of a column");
    insta::assert_snapshot!(key("[{ constant = 'x' }]"), @"source[0].records.key[0].constant: found an unknown key (string); accepted: column, json");
    insta::assert_snapshot!(key("[{ column = 'c', json = '/a' }, { column = 'c', json = '/a' }]"), @r#"source[0].records.key[1]: found /a of "c" a second time; accepted: each once"#);
    let r#type = |by: &str| refused(&with("type = \"biz_type\"", &format!("type = {by}")));
    insta::assert_snapshot!(r#type("{ table_name = false }"), @"source[0].records.type.table_name: found false (boolean); accepted: true");
    insta::assert_snapshot!(r#type("{ constant = 'a', column = 'b' }"), @r#"source[0].records.type: found a table; accepted: the name of a column, { constant = "…" }, { table_name = true }, { column = "…", json = "/pointer" }, or a list of these"#);
    insta::assert_snapshot!(r#type("[]"), @r#"source[0].records.type: found an empty list; accepted: the name of a column, { constant = "…" }, { table_name = true }, { column = "…", json = "/pointer" }, or a list of these"#);
    let updated = |by: &str| refused(&with("updated = \"update_time\"", &format!("updated = {by}")));
    insta::assert_snapshot!(updated("{ column = 'c', format = '%H:%M' }"), @r#"source[0].records.updated.format: found "%H:%M" (string); accepted: a strftime format such as "%Y%m%d%H%M%S", with year, month and day, or with %s"#);
}

#[test]
fn what_operations_write_is_read() {
    let write = |section: &str| {
        let text = with("[source.locks]", &format!("[source.records.write]\n{section}\n[source.locks]"));
        read(&text).sources[0].records.write.clone().unwrap()
    };
    let set = |column: &str, code| (column.to_owned(), code);
    let whole = write(
        "url = 'mysql://operator:s3cret@primary/points'\nrelease = 'delete'\ndead = { status = 2, gone = 'null', at = '' }\ntouch = true"
            .replace("status = 2", "state = 4")
            .as_str(),
    );
    assert_eq!(whole.url.as_ref().unwrap().expose(), "mysql://operator:s3cret@primary/points");
    assert_eq!(
        (whole.release, whole.failed, whole.touch.as_deref()),
        (Some(Release::Delete), None, Some("update_time"))
    );
    let mut dead = whole.dead.unwrap();
    dead.sort_by(|(a, _), (b, _)| a.cmp(b));
    assert_eq!(dead, [set("at", Code::Text(String::new())), set("gone", Code::Null), set("state", Code::Int(4))]);
    let nothing = write("");
    assert!(nothing.url.is_none() && nothing.release.is_none() && nothing.touch.is_none());
    // The only failed code of the mapping is what is written for it.
    let text = with(
        "completed = [2]",
        "completed = [2]\nfailed = [3]\ndead = ['4..9']\n[source.records.write]\nrelease = 'status'\ndead = 7",
    );
    let derived = read(&text).sources[0].records.write.clone().unwrap();
    assert_eq!(derived.failed, Some(vec![set("status", Code::Int(3))]));
    assert_eq!(derived.dead, Some(vec![set("status", Code::Int(7))]));
}

#[test]
fn what_operations_write_must_be_possible() {
    let says = |codes: &str, section: &str| {
        refused(&with("completed = [2]", &format!("{codes}\n[source.records.write]\n{section}")))
    };
    let failed = "with release = \"status\" what makes a row failed, since [source.records.status] does not name exactly one failed code: a code, or { column = value, … }";
    for codes in ["completed = [2]", "failed = [3, 4]", "failed = ['3..4']"] {
        let said = says(codes, "release = 'status'");
        assert_eq!(said, format!("source[0].records.write.failed: missing; accepted: {failed}"), "{codes}");
    }
    insta::assert_snapshot!(says("failed = [3]", "failed = 1"), @"source[0].records.write.failed: found 1 (integer); accepted: a code that [source.records.status] reads as failed");
    insta::assert_snapshot!(says("failed = [3]", "dead = { status = 9 }"), @"source[0].records.write.dead: found a table; accepted: a code that [source.records.status] reads as dead");
    insta::assert_snapshot!(says("failed = [3]", "failed = [3]"), @r#"source[0].records.write.failed: found a list; accepted: an integer, a boolean, a string, or "null""#);
    insta::assert_snapshot!(says("failed = [3]", "release = 'drop'\ntouch = 1\nurl = 'redis://x:s3cret@y'"), @r#"
    source[0].records.write.url: found redis://x:[secret]@y; accepted: mysql://, mariadb://, postgres://, postgresql://, sqlite://, for example mysql://console:${POINTS_PW}@db:3306/points
    source[0].records.write.release: found "drop" (string); accepted: "status", "delete"
    source[0].records.write.touch: found 1 (integer); accepted: true or false
    "#);
    insta::assert_snapshot!(says("failed = [3]", "relaese = 'delete'"), @r#"source[0].records.write.relaese: found an unknown key (string); accepted: url, release, failed, dead, touch; did you mean "release"?"#);
    let rules = with(
        "column = \"status\"\nprocessing = [1]\ncompleted = [2]",
        "rules = [{ status = 'completed', not_null = 'done_at' }]\n[source.records.write]\nfailed = 3",
    );
    insta::assert_snapshot!(refused(&rules), @"source[0].records.write.failed: found 3 (integer); accepted: { column = value, … }, since no status column says it");
    let untimed = with("updated = \"update_time\"\n", "")
        .replace("[source.locks]", "[source.records.write]\ntouch = true\n[source.locks]");
    insta::assert_snapshot!(refused(&untimed), @"source[0].records.write.touch: found true (boolean); accepted: true only with an updated column in [source.records]");
}

#[test]
fn the_account_that_writes_is_printed_without_its_password() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("oncewatch.toml");
    let section =
        "[source.records.write]\nurl = 'mysql://operator:s3cret@primary/points'\nrelease = 'delete'\n[source.locks]";
    std::fs::write(&file, with("[source.locks]", section)).unwrap();
    let printed = print(Some(&file), &super::none()).unwrap();
    assert!(!printed.contains("s3cret"), "{printed}");
    let printed =
        printed.split_once("[source.records.write]").unwrap().1.split_once("[source.records.status]").unwrap().0;
    insta::assert_snapshot!(printed, @r#"
    # The primary, with an account that may write; records.url when absent.
    url = "mysql://operator:[secret]@primary/points"
    # How a stuck or failed row is opened for its next delivery: "status" sets the failed code, "delete" deletes the row.
    release = "delete"
    # What makes a row failed: a code, or { status = 3, handled_at = "null" }.
    # failed = 3
    # What makes a row dead, in the same way.
    # dead = 4
    # Sets the updated column to the database's clock.
    # touch = true
    "#);
}
