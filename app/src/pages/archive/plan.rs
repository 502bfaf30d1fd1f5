//! What a run would do, and the form that begins it.

use super::policy::fact;
use super::{is_missing, refusals, warnings};
use crate::context::PageContext;
use crate::model::{ArchiveLeft, ArchivePlan, ArchiveRefusal, ArchiveWarning};
use crate::ui::{Icon, State, Tone, classed, small_icon};
use crate::words::{archiving as word, measure, measure::grouped};
use leptos::prelude::*;

#[must_use]
pub fn title(ctx: &PageContext, plan: &ArchivePlan) -> String {
    let lang = ctx.viewer.lang;
    let more = plan.tables.iter().any(|table| table.more);
    if more { word::archive_at_least(lang, plan.ripe()) } else { word::archive_title(lang, plan.ripe()) }
}

#[must_use]
pub fn view(ctx: &PageContext, plan: &ArchivePlan) -> AnyView {
    let lang = ctx.viewer.lang;
    let home = format!("/s/{}/archive", plan.source);
    let in_the_way = plan
        .tables
        .iter()
        .filter(|table| !table.refusals.is_empty())
        .map(|table| refusals::panel(ctx, &table.table, &table.refusals))
        .collect_view();
    let is_refused = plan.refusals().any(|refusal| !is_missing(refusal));
    let form = (plan.ripe() > 0 && !is_refused).then(|| confirm(ctx, plan));
    view! {
        <header class="page__head">
            <div>
                <p class="crumb"><a href=home>{word::archive(lang)}</a><span>"/"</span><span>{word::plan(lang)}</span></p>
                <h1>{title(ctx, plan)}</h1>
            </div>
        </header>
        <div class="split">
            <div class="stack">{counted(ctx, plan)}{in_the_way}</div>
            <div class="stack">{happens(ctx, plan)}{warnings(ctx, &plan.warnings)}{form}</div>
        </div>
    }
    .into_any()
}

fn counted(ctx: &PageContext, plan: &ArchivePlan) -> AnyView {
    let lang = ctx.viewer.lang;
    let (mut left, mut examined) = (ArchiveLeft::default(), 0);
    for table in &plan.tables {
        left += table.left;
        examined += table.examined;
    }
    let keep = measure::limit(lang, plan.keep_ms);
    if plan.ripe() == 0 && left.all() == left.too_young + left.not_completed {
        let state = State::new(Tone::Ok, Icon::Ok, word::nothing_ripe(lang)).line(word::nothing_ripe_why(lang, keep));
        return view! { <section class="panel">{state.view()}</section> }.into_any();
    }
    let ripe = plan.ripe();
    let reasons = [
        (left.not_completed, word::why_not_completed(lang), word::why_not_completed_why(lang).to_owned()),
        (left.too_young, word::why_young(lang), word::why_young_why(lang, keep)),
        (left.no_time, word::why_no_time(lang), word::why_no_time_why(lang).to_owned()),
        (left.locked, word::why_locked(lang), word::why_locked_why(lang).to_owned()),
    ];
    let reasons = reasons.into_iter().filter(|(count, ..)| *count > 0).map(|(count, what, why)| {
        view! { <tr><td class="num">{grouped(count)}</td><td>{what}<span class="why">{why}</span></td><td></td></tr> }
    });
    let more = plan.tables.iter().any(|table| table.more).then(|| view! { <p class="s12 t3">{word::more(lang)}</p> });
    let share = (ripe * 1_000).checked_div(examined).unwrap_or(0);
    let figure = |number: u64, tone: &'static str, shape: Icon, says: &'static str| {
        view! {
            <div>
                <p class=format!("big {tone}")>{grouped(number)}</p>
                <p class="s12 t2 with-icon">{small_icon(shape, tone)}{says}</p>
            </div>
        }
    };
    view! {
        <section class="panel">
            <header class="panel__head">
                <h2>{word::what_counted(lang)}</h2>
                <p class="panel__sub">{word::counted_sub(lang, grouped(examined))}</p>
            </header>
            <div class="panel__body stack">
                <div class="plan__sum">
                    {figure(ripe, "ok", Icon::Archive, word::would_move(lang))}
                    {figure(left.all(), "", Icon::Pause, word::would_stay(lang))}
                    {figure(examined, "", Icon::Search, word::looked_at(lang))}
                </div>
                <svg class="split-bar" viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label=word::bar_of(lang, grouped(ripe), grouped(examined))>
                    <rect class="f-line" width="1000" height="12"></rect>
                    <rect class="f-ok" width=share height="12"></rect>
                </svg>
                <table class="reasons"><caption class="sr">{word::would_stay(lang)}</caption><tbody>{reasons.collect_view()}</tbody></table>
                {more}
            </div>
        </section>
    }
    .into_any()
}

fn happens(ctx: &PageContext, plan: &ArchivePlan) -> AnyView {
    let lang = ctx.viewer.lang;
    let deletes = plan.warnings.contains(&ArchiveWarning::Deletes);
    let to = plan.tables.iter().map(|table| match &table.archive {
        Some(archive) => word::from_to(lang, &table.table, archive),
        None => table.table.clone(),
    });
    // Numbered tables are many, and all alike.
    let to: Vec<String> = to.take(3).collect();
    let undo = if deletes { word::undo_none(lang) } else { word::undo_restore(lang) };
    view! {
        <section class="panel">
            <header class="panel__head"><h2>{word::what_happens(lang)}</h2></header>
            <div class="panel__body">
                <dl class="kv">
                    {fact(word::mode(lang), view! { <span class="break">{to.join(", ")}</span> }.into_any())}
                    {fact(word::each_chunk(lang), word::each_chunk_what(lang).into_any())}
                    {fact(word::waits(lang), word::waits_for(lang).into_any())}
                    {fact(word::never(lang), word::never_what(lang).into_any())}
                    {fact(word::undo(lang), view! { <strong>{undo}</strong> }.into_any())}
                </dl>
            </div>
        </section>
    }
    .into_any()
}

fn confirm(ctx: &PageContext, plan: &ArchivePlan) -> AnyView {
    let lang = ctx.viewer.lang;
    let more = plan.tables.iter().any(|table| table.more);
    let deletes = plan.warnings.contains(&ArchiveWarning::Deletes);
    let planned = (!more).then(|| view! { <input type="hidden" name="planned" value=plan.ripe()/> });
    let missing: Vec<&str> = plan
        .refusals()
        .filter_map(|refusal| match refusal {
            ArchiveRefusal::ArchiveMissing { table, .. } => Some(table.as_str()),
            _ => None,
        })
        .collect();
    let create = (!missing.is_empty()).then(|| {
        let tables = missing.join(", ");
        view! {
            <div class="field">
                <label class="with-icon choice"><input class="check" type="checkbox" name="create" value="yes" required/>{word::create_table(lang, tables)}</label>
                <span class="field__help">{word::create_needed(lang)}</span>
            </div>
        }
    });
    let pace = [("usual", word::pace_usual(lang)), ("polite", word::pace_polite(lang))].map(|(value, says)| {
        view! {
            <label class="with-icon choice">
                <input class="check" type="radio" name="speed" value=value checked=value == "usual"/>{says}
            </label>
        }
    });
    view! {
        <form class="panel confirm" method="post" action=format!("/s/{}/archive/run", plan.source)>
            <header class="panel__head"><h2>{word::confirm(lang)}</h2></header>
            <div class="panel__body stack">
                {hidden(ctx)}
                {planned}
                {reason(ctx)}
                <fieldset class="field"><legend class="label">{word::pace(lang)}</legend>{pace.collect_view()}</fieldset>
                {create}
                {phrase(ctx, &plan.phrase, if deletes { word::phrase_why_delete(lang) } else { word::phrase_why(lang) })}
                <div class="row">
                    <button class="btn btn--main" type="submit">{classed(Icon::Archive, "icon icon--s")}{title(ctx, plan)}</button>
                    <a class="btn btn--bare" href=format!("/s/{}/archive", plan.source)>{word::back(lang)}</a>
                </div>
            </div>
        </form>
    }
    .into_any()
}

pub(super) fn hidden(ctx: &PageContext) -> AnyView {
    let fields = [("form_token", &ctx.viewer.form_token), ("operation_id", &ctx.operation_id), ("back", &ctx.url)];
    fields.map(|(name, value)| view! { <input type="hidden" name=name value=value.clone()/> }).collect_view().into_any()
}

pub(super) fn reason(ctx: &PageContext) -> AnyView {
    view! {
        <div class="field">
            <label for="reason">{word::reason(ctx.viewer.lang)}</label>
            <textarea class="input" id="reason" name="reason" rows="2" required maxlength="500"></textarea>
        </div>
    }
    .into_any()
}

pub(super) fn phrase(ctx: &PageContext, phrase: &str, why: &'static str) -> AnyView {
    let lang = ctx.viewer.lang;
    view! {
        <div class="field">
            <label for="phrase">{word::type_phrase(lang)}" "<span class="confirm__phrase">{phrase.to_owned()}</span>" "{word::to_confirm(lang)}</label>
            <input class="input mono" id="phrase" name="phrase" autocomplete="off" autocapitalize="none" spellcheck="false" required aria-describedby="phrase-help"/>
            <span class="field__help" id="phrase-help">{why}</span>
        </div>
    }
    .into_any()
}
