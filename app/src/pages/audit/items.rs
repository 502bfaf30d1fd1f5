//! What became of each item: before, after and why.

use crate::context::PageContext;
use crate::model::{AuditEntry, AuditEvent, AuditItem, Lang, Status};
use crate::ui::{Icon, code, cut, cut_text, encoded, small_icon};
use crate::words::{self, measure::grouped, trail as word};
use leptos::prelude::*;
use serde_json::Value;

const CELL: usize = 48;
const VALUE: usize = 24;
/// Columns of a change that are named; a row seldom changes in more.
const COLUMNS: usize = 4;

/// What is shown of rows that were deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// That they are kept.
    Named,
    /// All of them.
    Whole,
}

pub(super) fn view(ctx: &PageContext, entry: &AuditEntry, rows: Rows) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    if entry.events.is_empty() {
        return None;
    }
    let lines = entry.events.iter().map(|event| line(ctx, entry, event, rows)).collect_view();
    let foot = (rows == Rows::Named && entry.next_event.is_some()).then(|| {
        let first = word::first_of(lang, u64::try_from(entry.events.len()).unwrap_or(u64::MAX));
        view! {
            <footer class="panel__foot">
                <span>{first}</span>
                <a href=format!("/audit/{}", entry.number)>{word::more_items(lang)}</a>
            </footer>
        }
    });
    Some(
        view! {
            <div class="panel panel--flush">
                <div class="tablebox">
                    <table class="table table--tight table--cards">
                        <caption class="sr">{word::items(lang)}</caption>
                        <thead>
                            <tr>
                                <th scope="col">{word::record(lang)}</th>
                                <th scope="col">{word::outcome(lang)}</th>
                                <th scope="col">{word::before(lang)}</th>
                                <th scope="col">{word::after(lang)}</th>
                                <th scope="col">{word::why(lang)}</th>
                            </tr>
                        </thead>
                        <tbody>{lines}</tbody>
                    </table>
                </div>
                {foot}
            </div>
        }
        .into_any(),
    )
}

fn line(ctx: &PageContext, entry: &AuditEntry, event: &AuditEvent, rows: Rows) -> AnyView {
    let Some(item) = &event.item else { return step(ctx, event) };
    let lang = ctx.viewer.lang;
    let key = match &item.key {
        Some(key) => {
            let of = item.r#type.as_ref().map(|of| format!("type={}&", encoded(of))).unwrap_or_default();
            let href = format!("/s/{}/lookup?{of}key={}", entry.source, encoded(key));
            view! { <a href=href>{cut_text(key, CELL)}</a> }.into_any()
        }
        None => view! { <span class="t3">{words::record::no_key(lang)}</span> }.into_any(),
    };
    let outcome = item.outcome.as_ref().map(|outcome| {
        let (shape, tone) = look(outcome);
        let class = format!("with-icon {tone}");
        view! { <span class=class>{small_icon(shape, "")}{word::item_outcome(lang, outcome)}</span> }
    });
    let before = item.status.as_deref().map(|word| match Status::parse(word) {
        Some(status) => words::status(lang, status).to_owned(),
        None => word.to_owned(),
    });
    let why = match (&item.left_out, &item.why) {
        (Some(characters), _) => Some(word::too_large(lang, grouped(*characters))),
        (None, why) => why.as_ref().map(|why| word::item_why(lang, why)),
    };
    view! {
        <tr>
            <td class="lead key clip">{key}</td>
            <td class="aside nowrap s12">{outcome}</td>
            <td class="s12 t2" data-h=word::before(lang)>{before}</td>
            <td class="s12 t2 break" data-h=word::after(lang)>{after(lang, item)}</td>
            <td class="s12 t2 full break">{why}{whole(lang, item, rows)}</td>
        </tr>
    }
    .into_any()
}

/// What somebody did to the run meanwhile.
fn step(ctx: &PageContext, event: &AuditEvent) -> AnyView {
    let lang = ctx.viewer.lang;
    let by = cut(&event.actor, CELL);
    let (shape, says) = match event.kind.as_str() {
        "paused" => (Icon::Pause, word::paused(lang, by)),
        "resumed" => (Icon::Next, word::resumed(lang, by)),
        "stopped" => (Icon::Stop, word::stopped_by(lang, by)),
        "unfinished" => (Icon::Warn, word::swept(lang).to_owned()),
        other => (Icon::Info, other.to_owned()),
    };
    let at = ctx.clock().at(event.at);
    view! { <tr><td colspan="5" class="s12 t2"><span class="with-icon">{small_icon(shape, "")}<span>{at}" "{says}</span></span></td></tr> }
        .into_any()
}

fn look(outcome: &str) -> (Icon, &'static str) {
    match outcome {
        "done" => (Icon::Ok, "ok"),
        "undone" => (Icon::Ok, "mute"),
        "failed" => (Icon::Failed, "warn"),
        "uncertain" => (Icon::Unknown, "warn"),
        _ => (Icon::Pause, "mute"),
    }
}

fn after(lang: Lang, item: &AuditItem) -> String {
    match (item.outcome.as_deref(), &item.before, &item.after) {
        (None, ..) => String::new(),
        (Some("uncertain"), ..) => word::not_known(lang).into(),
        (Some(_), None, None) => word::untouched(lang).into(),
        (Some(_), Some(_), None) => word::deleted(lang).into(),
        (Some(_), before, Some(after)) => changed(before.as_ref(), after),
    }
}

/// `status 1 → 3, update_time … → …`.
fn changed(before: Option<&Value>, after: &Value) -> String {
    let Some(columns) = after.as_object() else { return cut(&shown(after), CELL) };
    let was = |column: &str| before.and_then(|before| before.get(column));
    let differs = columns.iter().filter(|(column, value)| was(column) != Some(*value));
    let said = differs.take(COLUMNS).map(|(column, value)| {
        let was = was(column).map(|was| format!("{} → ", cut(&shown(was), VALUE))).unwrap_or_default();
        format!("{} {was}{}", cut(column, VALUE), cut(&shown(value), VALUE))
    });
    said.collect::<Vec<String>>().join(", ")
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn whole(lang: Lang, item: &AuditItem, rows: Rows) -> Option<AnyView> {
    let row = item.before.as_ref().filter(|_| rows == Rows::Whole && item.after.is_none())?;
    let text = serde_json::to_string_pretty(row).unwrap_or_else(|_| row.to_string());
    Some(
        view! { <details><summary>{word::whole_row(lang)}</summary>{code(lang, word::whole_row(lang), &text)}</details> }
            .into_any(),
    )
}
