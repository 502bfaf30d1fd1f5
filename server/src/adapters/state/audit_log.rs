//! The audit as pages read it. Every search runs on the index of words alone; entries are then read by their numbers.

use super::audit::{entries, read};
use super::audit_words::{FIND, TIME};
use super::database::{Database, get};
use super::trail::{COLUMNS, EVENT, read_event};
use crate::ports::audit_log::{
    AuditLog, Beside, Brief, EXAMINED, Found, Kept, Sought, Stretch, Verified, Walked, Wanted,
};
use crate::ports::state::StateError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_query::{Cond, Expr, ExprTrait, Func, OnConflict, Order, Query, SelectStatement};

const AT_MOST: u32 = 200;
/// Characters of a body that a list shows: rows that were deleted are kept whole, up to a megabyte each.
const BODY: i64 = 20_000;
/// Behind every character that there is.
const LAST: char = '\u{10ffff}';

#[async_trait]
impl AuditLog for Database {
    async fn find(&self, wanted: &Wanted) -> Result<Found, StateError> {
        let limit = Ord::min(wanted.limit, AT_MOST) as usize;
        let floor = match wanted.since {
            Some(since) => match self.first_since(since).await? {
                Some(first) => Some(first),
                None => return Ok(Found { entries: Vec::new(), next: None }),
            },
            None => None,
        };
        let (driver, beside) = driven(&wanted.sought);
        let candidates = |from: Beside| candidates(&driver, from, floor);
        let mut query = Query::select();
        query.column(("c", "entry")).from_subquery(candidates(wanted.beside).limit(EXAMINED).to_owned(), "c");
        for sought in &beside {
            query.and_where(Expr::exists(has(sought)));
        }
        query.order_by(("c", "entry"), direction(wanted.beside)).limit(limit as u64 + 1);
        let rows = self.all(&query).await?;
        let mut numbers: Vec<i64> = rows.iter().map(|row| get(row, "entry")).collect::<Result<_, _>>()?;
        let next = if numbers.len() > limit {
            numbers.truncate(limit);
            numbers.last().copied()
        } else if beside.is_empty() {
            None
        } else {
            // The last one that was looked at, where there may be more behind it.
            let last = candidates(wanted.beside).limit(1).offset(EXAMINED - 1).to_owned();
            self.optional(self.pool(), &last).await?.map(|row| get(&row, "entry")).transpose()?
        };
        Ok(Found { entries: self.kept(&numbers).await?, next })
    }

    async fn entry(&self, number: i64) -> Result<Option<Kept>, StateError> {
        Ok(self.kept(&[number]).await?.pop())
    }

    async fn events(&self, operation_id: &str, stretch: Stretch, limit: u32) -> Result<Vec<Brief>, StateError> {
        let length = || Func::char_length(Expr::col("body"));
        let mut query = Query::select();
        query.columns(COLUMNS.into_iter().filter(|column| *column != "body")).from(EVENT);
        let body = Expr::case(length().lte(BODY), Expr::col("body")).finally("{}");
        query.expr_as(body, "body").expr_as(length(), "characters");
        query.and_where(Expr::col("operation_id").eq(operation_id));
        let order = match stretch {
            Stretch::After(after) => {
                query.and_where_option(after.map(|after| Expr::col("id").gt(after)));
                Order::Asc
            }
            Stretch::Last => Order::Desc,
        };
        query.order_by("id", order).limit(Ord::min(limit, AT_MOST).into());
        let brief = |row: &sqlx::any::AnyRow| {
            let characters: i64 = get(row, "characters")?;
            let left_out = if characters > BODY { u64::try_from(characters).ok() } else { None };
            Ok(Brief { id: get(row, "id")?, event: read_event(row)?, left_out })
        };
        self.all(&query).await?.iter().map(brief).collect()
    }

    async fn verify(&self, walked: Walked) -> Result<Verified, StateError> {
        self.step(walked).await
    }

    async fn checked(&self) -> Result<Option<String>, StateError> {
        let mut query = Query::select();
        query.column("body").from("oncewatch_audit_check").and_where(Expr::col("id").eq(1));
        self.optional(self.pool(), &query).await?.map(|row| get(&row, "body")).transpose()
    }

    async fn keep_check(&self, body: &str) -> Result<(), StateError> {
        let mut put = Query::insert();
        put.into_table("oncewatch_audit_check")
            .columns(["id", "body"])
            .values_panic([1.into(), body.into()])
            .on_conflict(OnConflict::column("id").update_column("body").to_owned());
        self.run(self.pool(), &put).await.map(drop)
    }
}

impl Database {
    /// The number of the first operation that began then or later.
    async fn first_since(&self, since: DateTime<Utc>) -> Result<Option<i64>, StateError> {
        let mut query = Query::select();
        query.column("entry").from(TIME).and_where(Expr::col("begun_at").gte(since.timestamp_millis()));
        query.order_by("begun_at", Order::Asc).order_by("entry", Order::Asc).limit(1);
        self.optional(self.pool(), &query).await?.map(|row| get(&row, "entry")).transpose()
    }

    /// Newest first.
    async fn kept(&self, numbers: &[i64]) -> Result<Vec<Kept>, StateError> {
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let mut query = entries();
        query.column("hash").and_where(Expr::col("id").is_in(numbers.iter().copied())).order_by("id", Order::Desc);
        let kept = |row| Ok(Kept { entry: read(row)?, hash: get(row, "hash")? });
        self.all(&query).await?.iter().map(kept).collect()
    }
}

fn direction(beside: Beside) -> Order {
    if matches!(beside, Beside::After(_)) { Order::Asc } else { Order::Desc }
}

/// The word whose operations are walked through, and those that each of them is asked for: the rarest is the best driver.
fn driven(sought: &[Sought]) -> (String, Vec<Sought>) {
    let rank = |word: &str| {
        let kinds = ["key:", "plan:", "item:", "end:", "op:", "by:", "source:"];
        kinds.iter().position(|kind| word.starts_with(kind)).unwrap_or(kinds.len())
    };
    let exact = sought.iter().filter_map(|sought| match sought {
        Sought::Is(word) => Some(word),
        Sought::Begins(_) => None,
    });
    let driver = exact.min_by_key(|word| rank(word)).cloned().unwrap_or_else(|| "all".to_owned());
    let beside = sought.iter().filter(|sought| **sought != Sought::Is(driver.clone())).cloned().collect();
    (driver, beside)
}

fn candidates(driver: &str, beside: Beside, floor: Option<i64>) -> SelectStatement {
    let mut query = Query::select();
    query.column("entry").from(FIND).and_where(Expr::col("word").eq(driver));
    match beside {
        Beside::Before(before) => query.and_where_option(before.map(|number| Expr::col("entry").lt(number))),
        Beside::After(number) => query.and_where(Expr::col("entry").gt(number)),
    };
    query.and_where_option(floor.map(|number| Expr::col("entry").gte(number)));
    query.order_by("entry", direction(beside));
    query
}

/// Correlated with the candidate `c`.
fn has(sought: &Sought) -> SelectStatement {
    let word = || Expr::col(("g", "word"));
    let is = match sought {
        Sought::Is(text) => Cond::all().add(word().eq(text)),
        Sought::Begins(text) => Cond::all().add(word().gte(text)).add(word().lt(format!("{text}{LAST}"))),
    };
    let mut query = Query::select();
    query.expr(Expr::val(1)).from_as(FIND, "g").cond_where(is);
    query.and_where(Expr::col(("g", "entry")).equals(("c", "entry")));
    query
}
