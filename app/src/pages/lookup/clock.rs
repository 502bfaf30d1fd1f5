//! Record, lock and deliveries on one clock, which counts from when the record was inserted.

use super::Data;
use crate::charts::{self, Happened, Hue, Lane, Lanes, Lasting, Mark, Severity};
use crate::context::PageContext;
use crate::model::{Lang, LockState, Lookup, Record, Status, TraceEntry};
use crate::words::{self, clock as word, lock as lock_word, measure, record as record_word};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// Dots beyond so many would lie on each other.
const DOTS: usize = 12;

/// Nothing, where no single record says when it was inserted.
pub(super) fn view(ctx: &PageContext, data: &Data, lookup: &Lookup) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let [row] = lookup.records.as_slice() else { return None };
    let began = row.record.created_at.filter(|at| !ctx.clock().is_future(*at))?;
    let told = Told { lang, began, now_s: since(began, ctx.now), record: &row.record, lookup, data };
    let svg = charts::lanes(&told.chart());
    let title = word::one_clock(lang);
    Some(
        view! {
            <section class="panel">
                <header class="panel__head">
                    <h2>{title}</h2>
                    <p class="panel__sub">{word::one_clock_sub(lang, ctx.clock().short(began))}</p>
                </header>
                <div class="panel__body wide-chart" tabindex="0" role="group" aria-label=title inner_html=svg></div>
            </section>
        }
        .into_any(),
    )
}

/// Seconds; what a clock change turned round is no time at all.
fn since(began: DateTime<Utc>, at: DateTime<Utc>) -> f64 {
    (at - began).to_std().map_or(0.0, |time| time.as_secs_f64())
}

struct Told<'a> {
    lang: Lang,
    began: DateTime<Utc>,
    now_s: f64,
    record: &'a Record,
    lookup: &'a Lookup,
    data: &'a Data,
}

impl Told<'_> {
    fn chart(&self) -> Lanes {
        let lang = self.lang;
        let lanes: Vec<Lane> =
            [Some(self.record_lane()), self.lock_lane(), self.delivery_lane()].into_iter().flatten().collect();
        let said = lanes.iter().map(|lane| {
            let last = lane.bars.last().map(|bar| bar.name.clone());
            word::lane_said(lang, &lane.name, last.unwrap_or_else(|| word::deliveries(lang, lane.dots.len() as u64)))
        });
        let finding = words::join(lang, &said.collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>());
        Lanes { finding, lanes, marks: self.marks(), ticks: ticks(lang) }
    }

    fn bar(&self, from_s: f64, to_s: f64, name: impl Into<String>, hue: Option<Hue>) -> Option<Lasting> {
        let (from_s, to_s) = (from_s.clamp(0.0, self.now_s), to_s.clamp(0.0, self.now_s));
        (to_s > from_s).then(|| Lasting { from_s, to_s, name: name.into(), hue })
    }

    /// When it came into its present state.
    fn changed_s(&self) -> f64 {
        self.record.updated_at.map_or(0.0, |at| since(self.began, at)).min(self.now_s)
    }

    fn record_lane(&self) -> Lane {
        let lang = self.lang;
        let status = self.record.status;
        let hue = match status {
            Status::Processing => Hue::Busy,
            Status::Completed => Hue::Ok,
            Status::Failed => Hue::Warn,
            Status::Dead => Hue::Crit,
            Status::Unmapped => Hue::Mute,
        };
        // What it was before is known of those only that a handler has left.
        let (before, before_hue) = match status {
            Status::Completed | Status::Failed | Status::Dead => (words::status(lang, Status::Processing), Hue::Busy),
            Status::Processing | Status::Unmapped => (word::earlier(lang), Hue::Mute),
        };
        let changed_s = self.changed_s();
        let bars = [
            self.bar(0.0, changed_s, before, Some(before_hue)),
            self.bar(changed_s, self.now_s, words::status(lang, status), Some(hue)),
        ];
        Lane { name: record_word::record(lang).into(), bars: bars.into_iter().flatten().collect(), dots: Vec::new() }
    }

    fn lock_lane(&self) -> Option<Lane> {
        let lang = self.lang;
        let lock = self.lookup.lock.as_ref()?;
        let ttl_s = self.data.beside.ttl_ms.map(seconds);
        let left_s = lock.ttl_ms.and_then(|ms| u64::try_from(ms).ok()).map(seconds);
        let state = words::lock_state(lang, lock.state);
        let bars = match lock.state {
            LockState::Held | LockState::Expiring | LockState::Orphan | LockState::Eternal => {
                // Taken when its whole TTL was left, if consumers set the one that is configured.
                let whole = ttl_s.zip(left_s).filter(|(ttl, left)| left <= ttl);
                let taken_s = whole.map_or(0.0, |(ttl, left)| self.now_s - (ttl - left));
                [self.bar(taken_s, self.now_s, state, Some(Hue::Lock)), None]
            }
            LockState::Done => [self.bar(self.changed_s(), self.now_s, state, Some(Hue::Ok)), None],
            LockState::Unknown => [self.bar(0.0, self.now_s, state, None), None],
            LockState::None | LockState::Unprotected => {
                // A handler held it for its TTL at most, and gave it back when it was done.
                let worked_s = if self.record.status == Status::Processing { self.now_s } else { self.changed_s() };
                let held_s = ttl_s.map_or(0.0, |ttl| ttl.min(worked_s));
                let held = word::held_at_most(lang, measure::duration(lang, milliseconds(held_s)));
                [
                    self.bar(0.0, held_s, held, Some(Hue::Lock)),
                    self.bar(held_s, self.now_s, words::lock_state(lang, LockState::None), None),
                ]
            }
        };
        Some(Lane { name: lock_word::lock(lang).into(), bars: bars.into_iter().flatten().collect(), dots: Vec::new() })
    }

    /// Where consumers write down what they did with each delivery.
    fn delivery_lane(&self) -> Option<Lane> {
        let written: Vec<&TraceEntry> = self.lookup.trace.iter().rev().filter(|entry| entry.at.is_some()).collect();
        let dots: Vec<Happened> = written
            .iter()
            .enumerate()
            .skip(written.len().saturating_sub(DOTS))
            .filter_map(|(place, entry)| {
                let number = entry.delivery.as_ref().filter(|text| text.len() <= 2).cloned();
                Some(Happened {
                    at_s: since(self.began, entry.at?),
                    name: number.unwrap_or_else(|| (place + 1).to_string()),
                    severity: severity(entry),
                })
            })
            .collect();
        (!dots.is_empty()).then(|| Lane { name: word::deliveries_lane(self.lang).into(), bars: Vec::new(), dots })
    }

    fn marks(&self) -> Vec<Mark> {
        let lang = self.lang;
        let beside = &self.data.beside;
        let mark = |ms: Option<u64>, severity, name: fn(Lang, String) -> String| {
            let ms = ms?;
            let shown = measure::duration(lang, i64::try_from(ms).ok()?);
            Some(Mark { at_s: seconds(ms), name: name(lang, shown), severity, is_now: false })
        };
        let open = self.record.status == Status::Processing;
        let now = Mark {
            at_s: self.now_s,
            name: word::now_mark(lang, measure::duration(lang, milliseconds(self.now_s))),
            severity: Severity::Mute,
            is_now: true,
        };
        let held_against = [
            mark(beside.ttl_ms.filter(|_| self.lookup.lock.is_some()), Severity::Crit, word::ttl_mark),
            mark(beside.p99_ms, Severity::Mute, word::p99_mark),
            mark(beside.minimum_age_ms.filter(|_| open), Severity::Ok, word::stuck_mark),
        ];
        held_against.into_iter().flatten().chain([now]).collect()
    }
}

fn severity(entry: &TraceEntry) -> Severity {
    match entry.outcome.as_deref() {
        Some("leaked" | "fenced" | "failed" | "dead") => Severity::Crit,
        Some(outcome) if outcome.starts_with("dup_") => Severity::Warn,
        _ => Severity::Mute,
    }
}

fn ticks(lang: Lang) -> Vec<(f64, String)> {
    let of = |seconds: i32| (f64::from(seconds), measure::duration(lang, i64::from(seconds) * 1_000));
    [1, 10, 60, 600, 3_600, 21_600, 86_400, 864_000, 8_640_000].map(of).into()
}

#[expect(clippy::cast_precision_loss, reason = "far below 2⁵³")]
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

#[expect(clippy::cast_possible_truncation, reason = "a time that passed")]
fn milliseconds(seconds: f64) -> i64 {
    (seconds * 1_000.0) as i64
}
