//! Lists page by keyset, forward and back: no row is lost or doubled.

use super::table::{Engine, Indexed, Table, insert};
use super::{ids, query};
use app::model::{Fault, Quality, RecordsQuery, Row, Status, Strategy, Window};
use server::ports::records::RecordStore;
use std::collections::HashSet;

conformance!(
    pages_lose_and_double_nothing_within_one_second,
    pages_of_a_status_with_two_codes_are_one_list,
    rows_without_a_time_come_last_and_are_not_lost,
    a_status_without_an_index_is_searched_for,
    a_status_index_without_an_order_serves_small_lists,
    a_search_says_how_far_it_looked,
    a_list_by_type,
    a_cursor_of_another_list_is_refused,
);

/// Pages to the end and back to the beginning; both ways must show the same rows.
pub async fn there_and_back(store: &dyn RecordStore, query: RecordsQuery) -> Vec<Row> {
    let (mut query, mut pages) = (query, Vec::new());
    let mut page = store.list(&query).await.unwrap();
    assert_eq!(page.previous, None, "the first page has no newer one");
    loop {
        let next = page.next.clone();
        pages.push(page);
        let Some(next) = next else { break };
        query.cursor = Some(next);
        page = store.list(&query).await.unwrap();
    }
    for at in (1..pages.len()).rev() {
        query.cursor.clone_from(&pages[at].previous);
        assert!(query.cursor.is_some(), "page {at} leads back");
        assert_eq!(
            store.list(&query).await.unwrap().items,
            pages[at - 1].items,
            "page {at} leads back to the one before"
        );
    }
    pages.into_iter().flat_map(|page| page.items).collect()
}

async fn pages_lose_and_double_nothing_within_one_second(engine: Engine) {
    for indexed in [Indexed::No, Indexed::StatusAndTime] {
        let table = Table::textbook(engine, indexed).await;
        table.fill(500, |id| insert(id, "A", &format!("k{id}"), 2, "2026-11-29 08:00:00")).await;
        let newest_first: Vec<i128> = (1..=500).rev().collect();
        let store = table.store();
        assert_eq!(ids(&there_and_back(&*store, query(None, 37)).await), newest_first);
        assert_eq!(ids(&there_and_back(&*store, query(Some(Status::Completed), 100)).await), newest_first);
        assert_eq!(there_and_back(&*store, query(Some(Status::Dead), 10)).await, []);
    }
}

async fn pages_of_a_status_with_two_codes_are_one_list(engine: Engine) {
    let table = Table::textbook(engine, Indexed::StatusAndTime).await;
    // Codes 3 and 5 both mean failed; times go up every 20 rows, so that codes meet within a second.
    table
        .fill(400, |id| {
            insert(id, "A", &format!("k{id}"), [1, 2, 3, 5][id % 4], &format!("2026-11-29 08:00:{:02}", id / 20))
        })
        .await;
    let rows = there_and_back(&*table.store(), query(Some(Status::Failed), 17)).await;
    assert_eq!(ids(&rows).into_iter().collect::<HashSet<_>>().len(), 200);
    assert_eq!(rows.len(), 200);
    assert!(rows.iter().all(|row| row.record.status == Status::Failed));
    assert!(rows.is_sorted_by_key(|row| std::cmp::Reverse(row.record.updated_at)));
    let unmapped = table.run_and_list("UPDATE idempotent_record SET status = 99 WHERE id = 7", Status::Unmapped).await;
    assert_eq!(ids(&unmapped), [7]);
}

async fn rows_without_a_time_come_last_and_are_not_lost(engine: Engine) {
    let table = Table::textbook(engine, Indexed::StatusAndTime).await;
    table
        .fill(120, |id| insert(id, "A", &format!("k{id}"), [3, 5][id % 2], &format!("2026-11-29 08:00:{:02}", id / 4)))
        .await;
    table.run("UPDATE idempotent_record SET update_time = NULL WHERE id > 60").await;
    let rows = there_and_back(&*table.store(), query(Some(Status::Failed), 7)).await;
    assert_eq!(ids(&rows).into_iter().collect::<HashSet<_>>().len(), 120);
    assert_eq!(
        rows.iter().map(|row| row.record.updated_at.is_some()).collect::<Vec<_>>(),
        [[true; 60], [false; 60]].concat()
    );
}

async fn a_status_without_an_index_is_searched_for(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    let status = |id: usize| if id.is_multiple_of(1000) { 3 } else { 2 };
    table.fill(12_000, |id| insert(id, "A", &format!("k{id}"), status(id), "2026-11-29 08:00:00")).await;
    let store = table.store();
    let rows = there_and_back(&*store, query(Some(Status::Failed), 5)).await;
    assert_eq!(ids(&rows), (1..=12).rev().map(|thousand| thousand * 1000).collect::<Vec<i128>>());
    let page = store.list(&query(Some(Status::Processing), 5)).await.unwrap();
    assert_eq!((page.items.len(), page.window, page.next), (0, Window::All, None));
}

async fn a_search_says_how_far_it_looked(engine: Engine) {
    let table = Table::textbook(engine, Indexed::No).await;
    table.fill_completed(120_000).await;
    table.run("UPDATE idempotent_record SET status = 4 WHERE id = 1").await;
    let store = table.store();
    let mut page = store.list(&query(Some(Status::Dead), 5)).await.unwrap();
    let Window::Examined { rows, back_to: Some(_) } = page.window else { panic!("{:?}", page.window) };
    assert!((5_000..=100_000).contains(&rows), "{rows}");
    let mut found = ids(&page.items);
    while let Some(cursor) = page.next.take() {
        page = store.list(&RecordsQuery { cursor: Some(cursor), ..query(Some(Status::Dead), 5) }).await.unwrap();
        found.extend(ids(&page.items));
    }
    assert_eq!((found, page.window), (vec![1], Window::All));
    assert!(page.previous.is_some());
}

async fn a_status_index_without_an_order_serves_small_lists(engine: Engine) {
    let table = Table::textbook(engine, Indexed::Status).await;
    table.fill(600, |id| insert(id, "A", &format!("k{id}"), [2, 3, 5][id % 3], "2026-11-29 08:00:00")).await;
    let store = table.store();
    assert_eq!(store.describe().await.unwrap().choice.strategy, Strategy::StatusIndex);
    let rows = there_and_back(&*store, query(Some(Status::Failed), 33)).await;
    assert_eq!(ids(&rows), (1..=600).rev().filter(|id| id % 3 != 0).collect::<Vec<i128>>());
    let open = store.open(10).await.unwrap();
    assert_eq!((open.rows.len(), open.failed.value, open.failed.quality), (10, 400, Quality::Exact));
}

async fn a_list_by_type(engine: Engine) {
    let table = Table::textbook(engine, Indexed::StatusAndTime).await;
    table
        .fill(300, |id| insert(id, ["A", "B", "积分"][id % 3], &format!("k{id}"), 2 + id % 2, "2026-11-29 08:00:00"))
        .await;
    let store = table.store();
    for status in [None, Some(Status::Completed)] {
        let of_type = RecordsQuery { r#type: Some("积分".into()), ..query(status, 9) };
        let rows = there_and_back(&*store, of_type).await;
        let expected = (1..=300).rev().filter(|id| id % 3 == 2 && (status.is_none() || id % 2 == 0));
        assert_eq!(ids(&rows), expected.collect::<Vec<i128>>());
    }
    let nothing = RecordsQuery { r#type: Some("a".repeat(4096)), ..query(None, 9) };
    assert_eq!(store.list(&nothing).await.unwrap().items, []);
}

async fn a_cursor_of_another_list_is_refused(engine: Engine) {
    let table = Table::textbook(engine, Indexed::StatusAndTime).await;
    table.fill(20, |id| insert(id, "A", &format!("k{id}"), 2, "2026-11-29 08:00:00")).await;
    let store = table.store();
    let cursor = store.list(&query(None, 5)).await.unwrap().next;
    for cursor in [cursor, Some("'; DROP TABLE".into()), Some("7b7d".into())] {
        let refused = store.list(&RecordsQuery { cursor, ..query(Some(Status::Completed), 5) }).await;
        assert!(matches!(refused, Err(Fault::BadInput { .. })), "{refused:?}");
    }
}
