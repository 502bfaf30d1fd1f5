//! Searches: what each qualifier finds, whichever index there is.

use super::pages::there_and_back;
use super::table::{Engine, Indexed, Mapping, Table, insert};
use super::{ids, search};
use crate::cases::store_of;
use app::model::{Filter, Pattern, RecordsQuery, Row, Status, Window};
use server::config::{Environment, from_toml};
use server::ports::records::RecordStore;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

conformance!(
    keys_that_begin_alike_are_found_newest_first,
    numbers_bytes_and_joined_keys_are_found_by_their_beginning,
    a_key_alone_is_found_beside_other_qualifiers,
    many_keys_that_begin_alike_are_walked,
    ages_count_from_the_last_change,
    days_are_those_of_the_source,
    owners_and_attempts_are_searched_for,
    what_the_table_lacks_matches_nothing,
    the_stored_code_is_told,
    rows_of_others_do_not_take_the_place_of_those_that_count,
    without_an_identity_there_is_one_page_and_it_says_so,
);

/// With lines of `[source.records]`.
fn mapped(table: &Table, lines: &str) -> Arc<dyn RecordStore> {
    let toml = format!("[[source]]\nname = \"t\"\n[source.records]\nurl = {:?}\n{lines}", table.url());
    let mut config = from_toml(&toml, &Environment::default()).unwrap();
    config.limits.statement_timeout = Duration::from_secs(20);
    store_of(&config)
}

async fn found(store: &dyn RecordStore, text: &str) -> Vec<i128> {
    ids(&there_and_back(store, search(text, 7)).await)
}

async fn keys_that_begin_alike_are_found_newest_first(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    let keys = [
        "2023",
        "20231027001",
        "2024",
        "202",
        "%",
        "_x",
        "%_",
        "a\\b",
        "a!b",
        "O'Brien",
        "订单-七",
        "订单",
        "🧾🧨",
        "A-1",
        "a-1",
        "a:b",
        "a:b:c",
        "",
        " x",
        "z",
        "Z",
        "zz",
        "\u{10fffe}",
    ];
    let all: Vec<(usize, &str)> =
        keys.iter().chain(&keys).copied().enumerate().map(|(at, key)| (at + 1, key)).collect();
    for (id, key) in &all {
        table.add(insert(*id, ["A", "B"][(id - 1) / keys.len()], key, 2, "2026-11-29 08:00:00")).await;
    }
    let store = table.store();
    for begin in [
        "2",
        "2023",
        "20231",
        "%",
        "_",
        "a\\",
        "a!",
        "O'",
        "订",
        "订单-",
        "🧾",
        "A",
        "a",
        "a:",
        "a:b:",
        " ",
        "z",
        "Z",
        "x",
        "\u{10fffe}",
    ] {
        let query = |r#type: Option<&str>, status: Option<Status>| RecordsQuery {
            r#type: r#type.map(str::to_owned),
            status,
            filter: Filter { key: Some(Pattern::Begins(begin.into())), ..Filter::default() },
            limit: 3,
            ..RecordsQuery::default()
        };
        let expected: Vec<i128> =
            all.iter().rev().filter(|(_, key)| key.starts_with(begin)).map(|(id, _)| *id as i128).collect();
        assert_eq!(ids(&there_and_back(&*store, query(None, None)).await), expected, "{begin:?}");
        let of_b: Vec<i128> = expected.iter().copied().filter(|id| *id > keys.len() as i128).collect();
        assert_eq!(ids(&there_and_back(&*store, query(Some("B"), Some(Status::Completed))).await), of_b, "{begin:?}");
        assert_eq!(there_and_back(&*store, query(None, Some(Status::Failed))).await, [], "{begin:?}");
    }
    let page = store.list(&search("key:2023*", 9)).await.unwrap();
    assert_eq!((page.items.len(), page.window), (4, Window::All));
}

async fn numbers_bytes_and_joined_keys_are_found_by_their_beginning(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    let bytes = match engine {
        Engine::Postgres => "bytea",
        Engine::Mariadb => "VARBINARY(16)",
        Engine::Sqlite => "BLOB",
    };
    table
        .run(&format!(
            "CREATE TABLE numbers (n BIGINT NOT NULL PRIMARY KEY, s INT);
            CREATE TABLE hexes (b {bytes} NOT NULL, s INT, UNIQUE (b));
            CREATE TABLE joined (tenant BIGINT NOT NULL, event VARCHAR(40), s INT, id INT NOT NULL PRIMARY KEY);
            CREATE INDEX by_key ON joined (tenant, event)"
        ))
        .await;
    let numbers: [i64; 12] = [0, 2, 20, 23, 230, 2_399, 24, -2, -23, 2_300_000_000_000_000_000, i64::MAX, i64::MIN];
    let values: Vec<String> = numbers.iter().map(|number| format!("({number}, 2)")).collect();
    table.run(&format!("INSERT INTO numbers VALUES {}", values.join(", "))).await;
    let hexes = ["00", "0a", "0aff", "ff", "ff00", "abcdef", "ab"];
    let literal = |hex: &&str| match engine {
        Engine::Postgres => format!("('\\x{hex}', 2)"),
        _ => format!("(x'{hex}', 2)"),
    };
    table.run(&format!("INSERT INTO hexes VALUES {}", hexes.iter().map(literal).collect::<Vec<_>>().join(", "))).await;
    table
        .run("INSERT INTO joined VALUES (7, 'a', 2, 1), (7, 'a:b', 2, 2), (7, 'b', 2, 3), (77, 'a', 2, 4), (7, NULL, 2, 5), (-7, 'a', 2, 6)")
        .await;
    let mapping = |table, key| Mapping {
        table,
        id: None,
        key,
        r#type: None,
        times: false,
        column: "s",
        codes: "completed = [2]",
        error: None,
    };
    let keys = async |mapping: &Mapping, text: &str| -> BTreeSet<String> {
        let rows = there_and_back(&*table.store_with(mapping), search(text, 2)).await;
        rows.iter().map(|row: &Row| row.record.key.clone().unwrap()).collect()
    };
    let starts = |all: Vec<String>, begin: &str| all.into_iter().filter(|key| key.starts_with(begin)).collect();
    for begin in ["2", "23", "230", "0", "9", "-", "-2", "007", "x"] {
        let expected: BTreeSet<String> = starts(numbers.iter().map(i64::to_string).collect(), begin);
        assert_eq!(keys(&mapping("numbers", r#"["n"]"#), &format!("key:{begin}*")).await, expected, "{begin}");
    }
    for begin in ["0", "00", "0a", "f", "ff", "ab", "abc", "g"] {
        let expected: BTreeSet<String> = starts(hexes.iter().map(ToString::to_string).collect(), begin);
        assert_eq!(keys(&mapping("hexes", r#"["b"]"#), &format!("key:{begin}*")).await, expected, "{begin}");
    }
    let joined = mapping("joined", r#"["tenant", "event"]"#);
    for begin in ["7", "7:", "7:a", "7:a:", "77:", "-7:a", "a"] {
        let all = ["7:a", "7:a:b", "7:b", "77:a", "7:", "-7:a"].map(str::to_owned).to_vec();
        let expected: BTreeSet<String> = starts(all, begin);
        assert_eq!(keys(&joined, &format!("key:{begin}*")).await, expected, "{begin}");
    }
    assert_eq!(keys(&joined, "7:a:b").await, BTreeSet::from(["7:a:b".to_owned()]));
}

async fn a_key_alone_is_found_beside_other_qualifiers(engine: Engine) {
    let table = Table::textbook(engine, Indexed::StatusAndTime).await;
    // Sixty types share each key.
    let key = |id: usize| format!("k{}", id / 60);
    table.fill(600, |id| insert(id, &format!("T{}", id % 60), &key(id), [2, 3][id % 2], "2026-11-29 08:00:00")).await;
    let store = table.store();
    assert_eq!(found(&*store, "k3").await, (180..240).rev().collect::<Vec<_>>());
    let failed = (180..240).rev().filter(|id| id % 2 == 1).collect::<Vec<_>>();
    assert_eq!(found(&*store, "k3 status:failed").await, failed);
    assert_eq!(found(&*store, "k3 status:failed type:T7").await, [187]);
    assert_eq!(found(&*store, "k3 created:<2026-11-29").await, Vec::<i128>::new());
    assert_eq!(found(&*store, "nothing").await, Vec::<i128>::new());
}

async fn many_keys_that_begin_alike_are_walked(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.fill_completed(6_000).await;
    let store = table.store();
    let page = store.list(&search("key:k*", 50)).await.unwrap();
    assert_eq!(ids(&page.items), (5_951..=6_000).rev().collect::<Vec<_>>());
    let rare = store.list(&search("key:k1* status:dead", 50)).await.unwrap();
    assert_eq!((rare.items.len(), rare.window), (0, Window::All));
}

/// The textbook table with times that count from the database's clock.
async fn aged(engine: Engine, indexed: Indexed) -> Table {
    let table = Table::textbook(engine, indexed).await;
    let ago = |minutes: usize| match engine {
        Engine::Sqlite => format!("datetime('now', '-{minutes} minutes')"),
        Engine::Mariadb => format!("UTC_TIMESTAMP() - INTERVAL {minutes} MINUTE"),
        Engine::Postgres => format!("timezone('UTC', now()) - interval '{minutes} minutes'"),
    };
    // Every fourth was never changed.
    let row = |id: usize| {
        let updated = if id.is_multiple_of(4) { "NULL".to_owned() } else { ago(id * 2) };
        format!("({id}, 'k{id}', 'A', {}, {}, {updated})", [1, 2, 3][id % 3], ago(id * 2 + 30))
    };
    table.fill(60, row).await;
    table
}

/// Minutes in its state.
fn age(id: i128) -> i128 {
    if id % 4 == 0 { id * 2 + 30 } else { id * 2 }
}

async fn ages_count_from_the_last_change(engine: Engine) {
    for indexed in [Indexed::No, Indexed::Status, Indexed::StatusAndTime] {
        let table = aged(engine, indexed).await;
        let store = table.store();
        for (text, from, to) in [("age:>61m", 61, i128::MAX), ("age:<1h1m", -1, 61), ("age:35m..95m", 35, 95)] {
            for (status, code) in [("", None), ("status:processing ", Some(1)), ("status:completed ", Some(2))] {
                let expected: BTreeSet<i128> = (1..=60)
                    .filter(|id| (from..to).contains(&age(*id)))
                    .filter(|id| code.is_none_or(|code| [1, 2, 3][(*id % 3) as usize] == code))
                    .collect();
                let rows = found(&*store, &format!("{status}{text}")).await;
                assert_eq!(rows.len(), expected.len(), "{status}{text}: {rows:?}");
                assert_eq!(rows.into_iter().collect::<BTreeSet<_>>(), expected, "{status}{text}");
            }
        }
    }
}

async fn days_are_those_of_the_source(engine: Engine) {
    for indexed in [Indexed::No, Indexed::StatusAndTime] {
        let table = Table::textbook(engine, indexed).await;
        // An hour apart, over two days.
        let at = |id: usize| format!("2026-11-{:02} {:02}:30:00", 28 + id / 24, id % 24);
        table.fill(47, |id| insert(id, "A", &format!("k{id}"), 2, &at(id))).await;
        let mut config = table.config();
        config.sources[0].timezone = chrono_tz::Asia::Shanghai;
        let store = store_of(&config);
        for column in ["created", "updated"] {
            let of = async |bounds: &str| found(&*store, &format!("status:completed {column}:{bounds}")).await;
            let span = |from: i128, to: i128| (from..=to).rev().collect::<Vec<_>>();
            assert_eq!(of("2026-11-28").await, span(1, 23), "{column}");
            assert_eq!(of(">2026-11-28").await, span(24, 47));
            assert_eq!(of("<=2026-11-28T05:30").await, span(1, 5));
            assert_eq!(of("2026-11-28T02:30..2026-11-28T04:30").await, span(2, 4));
            assert_eq!(of(">=2026-11-29T00:00Z").await, span(32, 47), "eight in Shanghai");
            assert_eq!(of("<2026-11-29T01:00+09:00").await, span(1, 23));
            assert_eq!(of(">2027-01-01").await, Vec::<i128>::new());
        }
    }
}

async fn owners_and_attempts_are_searched_for(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.run("CREATE TABLE held (id INT NOT NULL PRIMARY KEY, k VARCHAR(20) NOT NULL, s INT, who VARCHAR(20), tries INT)").await;
    table.run("INSERT INTO held VALUES (1, 'a', 1, 'worker-1', 0), (2, 'b', 1, 'worker-12', 4), (3, 'c', 1, NULL, NULL), (4, 'd', 2, 'Worker-1', 5)").await;
    let mapping = r#"
        table = "held"
        id = "id"
        key = ["k"]
        type = { constant = "T" }
        owner = "who"
        attempts = "tries"
        [source.records.status]
        column = "s"
        processing = [1]
        completed = [2]"#;
    let store = mapped(&table, mapping);
    for (text, expected) in [
        ("owner:worker-1", vec![1]),
        ("owner:worker-1*", vec![2, 1]),
        ("attempts:>3", vec![4, 2]),
        ("attempts:0", vec![1]),
        ("attempts:3..4 status:processing", vec![2]),
        ("owner:nobody", vec![]),
        ("type:T owner:w*", vec![2, 1]),
        ("type:U", vec![]),
    ] {
        assert_eq!(found(&*store, text).await, expected, "{text}");
    }
}

async fn what_the_table_lacks_matches_nothing(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.fill(5, |id| insert(id, "A", &format!("k{id}"), 2, "2026-11-29 08:00:00")).await;
    let store = table.store_with(&Mapping { times: false, ..Mapping::textbook() });
    for text in ["age:>1s", "created:>2020-01-01", "updated:>2020-01-01", "owner:x", "attempts:>=0"] {
        let page = store.list(&search(text, 5)).await.unwrap();
        assert_eq!((page.items, page.window), (vec![], Window::All), "{text}");
    }
}

async fn the_stored_code_is_told(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.fill(3, |id| insert(id, "A", &format!("k{id}"), [1, 2, 77][id % 3], "2026-11-29 08:00:00")).await;
    let store = table.store();
    let rows = store.list(&search("", 5)).await.unwrap().items;
    let codes: Vec<_> = rows.iter().map(|row| (row.record.status, row.code.as_deref().unwrap())).collect();
    assert_eq!(codes, [(Status::Processing, "1"), (Status::Unmapped, "77"), (Status::Completed, "2")]);
    assert_eq!(store.find(Some("A"), "k2").await.unwrap()[0].code.as_deref(), Some("77"));
    table.run("CREATE TABLE empty_state AS SELECT id, biz_id, biz_type, create_time, update_time, NULL AS status FROM idempotent_record").await;
    let unset = table.store_with(&Mapping { table: "empty_state", id: None, ..Mapping::textbook() });
    let row = unset.list(&search("", 5)).await.unwrap().items.remove(0);
    assert_eq!((row.record.status, row.code.as_deref()), (Status::Unmapped, Some("NULL")));
}

/// The textbook table of which only rows with an even id count: the others are of a tenant `x`.
async fn half_of_others(engine: Engine) -> (Table, Arc<dyn RecordStore>) {
    let table = Table::textbook(engine, Indexed::StatusAndTime).await;
    table.run("ALTER TABLE idempotent_record ADD COLUMN tenant VARCHAR(9) DEFAULT 'x'").await;
    let mapping = r#"
        table = "idempotent_record"
        id = "id"
        key = ["biz_id"]
        type = "biz_type"
        created = "create_time"
        updated = "update_time"
        where = [ { column = "tenant", equals = "ours" } ]
        [source.records.status]
        column = "status"
        processing = [1]
        completed = [2]
        failed = [3]"#;
    let store = mapped(&table, mapping);
    (table, store)
}

async fn rows_of_others_do_not_take_the_place_of_those_that_count(engine: Engine) {
    let (table, store) = half_of_others(engine).await;
    // One key, in many types; nearly all of its rows are of somebody else.
    let row = |id: usize| {
        let plain = insert(id, &format!("T{id:03}"), "shared", [2, 3][id % 2], "2026-11-29 08:00:00");
        plain.replacen(')', if id.is_multiple_of(100) { ", 'ours')" } else { ", 'x')" }, 1)
    };
    table.fill(900, row).await;
    let hundreds: Vec<i128> = (1..=9).rev().map(|hundred| hundred * 100).collect();
    let mut by_key = ids(&store.find(None, "shared").await.unwrap());
    by_key.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!(by_key, hundreds);
    for text in ["shared", "key:sh*", "status:completed", "", "status:completed created:2026-11-29"] {
        assert_eq!(found(&*store, text).await, hundreds, "{text:?}");
    }
    assert_eq!(found(&*store, "status:failed").await, Vec::<i128>::new());
}

async fn without_an_identity_there_is_one_page_and_it_says_so(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.run("CREATE TABLE bare (biz_id VARCHAR(20), biz_type VARCHAR(20), status INT)").await;
    table.run("INSERT INTO bare VALUES ('a', 'A', 1), ('a', 'A', 1), ('b', 'A', 2)").await;
    let store = table.store_with(&Mapping { table: "bare", id: None, times: false, ..Mapping::textbook() });
    let page = store.list(&search("", 2)).await.unwrap();
    assert_eq!((page.items.len(), page.next, page.window), (2, None, Window::OnePage { rows: 3 }));
    let page = store.list(&search("", 3)).await.unwrap();
    assert_eq!((page.items.len(), page.window), (3, Window::All));
    table.run("CREATE INDEX by_key ON bare (biz_id)").await;
    store.describe().await.unwrap();
    let page = store.list(&search("a", 1)).await.unwrap();
    assert_eq!((page.items.len(), page.next, page.window), (1, None, Window::OnePage { rows: 2 }));
    assert_eq!(store.list(&search("key:a* status:processing", 5)).await.unwrap().items.len(), 2);
}
