//! By what operations are found: written with the audit, in the same transaction.

use super::database::{Database, Work, get};
use crate::ports::audit_log::word;
use crate::ports::state::{Begin, StateError};
use crate::ports::trail::{Event, EventKind};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const FIND: &str = "oncewatch_audit_find";
pub(super) const TIME: &str = "oncewatch_audit_time";
/// Of one INSERT.
const ROWS: usize = 200;

impl Database {
    pub(super) async fn find_beginning(&self, work: &mut Work, id: i64, begin: &Begin) -> Result<(), StateError> {
        let mut time = Query::insert();
        time.into_table(TIME).columns(["begun_at", "entry"]);
        time.values_panic([begin.at.timestamp_millis().into(), id.into()]);
        self.run(&mut **work, &time).await?;
        self.add_words(work, id, &words_of(begin)).await
    }

    /// Events of one kind each are few or many; their operations are one or a few.
    pub(super) async fn find_events(&self, work: &mut Work, events: &[Event]) -> Result<(), StateError> {
        let mut by_operation: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for event in events {
            by_operation.entry(&event.operation_id).or_default().extend(words_of_event(event));
        }
        for (operation, words) in by_operation.into_iter().filter(|(_, words)| !words.is_empty()) {
            // An event of something that was never begun is found with nothing.
            let Some(id) = self.number_of(work, operation).await? else { continue };
            let mut known = Query::select();
            known.column("word").from(FIND).and_where(Expr::col("entry").eq(id));
            known.and_where(Expr::col("word").is_in(words.iter().map(String::as_str)));
            let known = self.all_on(&mut **work, &known).await?;
            let known: BTreeSet<String> = known.iter().map(|row| get(row, "word")).collect::<Result<_, _>>()?;
            self.add_words(work, id, &words.difference(&known).cloned().collect()).await?;
        }
        Ok(())
    }

    pub(super) async fn find_end(&self, work: &mut Work, operation_id: &str, outcome: &str) -> Result<(), StateError> {
        let Some(id) = self.number_of(work, operation_id).await? else { return Ok(()) };
        let mut open = Query::delete();
        open.from_table(FIND).and_where(Expr::col("entry").eq(id));
        open.and_where(Expr::col("word").is_in([word("end", "open"), word("end", "none")]));
        self.run(&mut **work, &open).await?;
        self.add_words(work, id, &BTreeSet::from([word("end", outcome)])).await
    }

    async fn number_of(&self, work: &mut Work, operation_id: &str) -> Result<Option<i64>, StateError> {
        let mut query = Query::select();
        query.column("id").from("oncewatch_audit").and_where(Expr::col("operation_id").eq(operation_id));
        self.optional(&mut **work, &query).await?.map(|row| get(&row, "id")).transpose()
    }

    /// New ones.
    async fn add_words(&self, work: &mut Work, id: i64, words: &BTreeSet<String>) -> Result<(), StateError> {
        let words: Vec<&String> = words.iter().collect();
        for words in words.chunks(ROWS) {
            let mut insert = Query::insert();
            insert.into_table(FIND).columns(["word", "entry"]);
            for word in words {
                insert.values_panic([word.as_str().into(), id.into()]);
            }
            self.run(&mut **work, &insert).await?;
        }
        Ok(())
    }
}

fn words_of(begin: &Begin) -> BTreeSet<String> {
    let mut words = BTreeSet::from([
        word("by", &begin.actor),
        word("op", &begin.operation),
        word("source", &begin.source),
        word("plan", &begin.operation_id),
        word("end", "open"),
    ]);
    // Thousands of chunks stand behind their run.
    if begin.operation != "archive_chunk" {
        words.insert("all".to_owned());
    }
    // `run/7` is a part of `run`.
    words.extend(begin.operation_id.match_indices('/').map(|(at, _)| word("plan", &begin.operation_id[..at])));
    if let Ok(target) = serde_json::from_str::<Value>(&begin.target) {
        let text = |name: &str| target.get(name).and_then(Value::as_str);
        words.extend(text("biz_key").map(|key| word("key", key)));
        words.extend(text("undo").map(|job| word("plan", job)));
    }
    words
}

fn words_of_event(event: &Event) -> Vec<String> {
    match event.kind {
        EventKind::Unfinished => vec![word("end", "none")],
        EventKind::Item => {
            let Ok(body) = serde_json::from_str::<Value>(&event.body) else { return Vec::new() };
            let text = |name: &str| body.get(name).and_then(Value::as_str);
            let key = text("key").map(|key| word("key", key));
            key.into_iter().chain(text("outcome").map(|outcome| word("item", outcome))).collect()
        }
        _ => Vec::new(),
    }
}
