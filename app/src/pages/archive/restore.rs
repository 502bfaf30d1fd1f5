//! The way back: which records, what a restore would bring, and the form that does it.

use super::plan::{hidden, phrase, reason};
use crate::context::PageContext;
use crate::model::{Archive, RestorePlan, Role, Row};
use crate::ui::{Icon, State, Tone, cut_text, small_icon};
use crate::words::{archiving as word, measure::grouped, record};
use leptos::prelude::*;

const CELL: usize = 48;

#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    pub plan: RestorePlan,
    /// Which were meant, by the names of the form.
    pub wanted: Vec<(&'static str, String)>,
}

/// Not for viewers: a plan walks the archive.
pub(super) fn form(ctx: &PageContext, archive: &Archive) -> AnyView {
    let lang = ctx.viewer.lang;
    let field = |id: &'static str, name: &'static str, kind: &'static str, says: &'static str| {
        let class = if kind == "text" { "input mono" } else { "input" };
        view! {
            <div class="field">
                <label for=id>{says}</label>
                <input class=class id=id name=name type=kind autocomplete="off" autocapitalize="none" spellcheck="false"/>
            </div>
        }
    };
    let submit = if ctx.viewer.role < Role::Operator {
        view! { <button class="btn" type="button" aria-disabled="true" aria-describedby="restore-why">{word::plan_restore(lang)}</button><span class="s12 t3" id="restore-why">{word::needs_operator(lang)}</span> }
            .into_any()
    } else {
        view! { <button class="btn" type="submit">{word::plan_restore(lang)}</button><span class="s12 t3">{word::restore_counts(lang)}</span> }
            .into_any()
    };
    view! {
        <form class="panel" id="restore" action=format!("/s/{}/archive/restore", archive.source)>
            <header class="panel__head"><h2>{word::restore(lang)}</h2><p class="panel__sub">{word::restore_sub(lang)}</p></header>
            <div class="panel__body stack">
                <div class="fields">
                    {field("restore-key", "key", "text", word::restore_key(lang))}
                    {field("restore-type", "type", "text", word::restore_type(lang))}
                    {field("restore-from", "from", "date", word::restore_from(lang))}
                    {field("restore-to", "to", "date", word::restore_to(lang))}
                </div>
                <div class="row">{submit}</div>
            </div>
        </form>
    }
    .into_any()
}

#[must_use]
pub fn title(ctx: &PageContext, data: &Data) -> String {
    word::restore_title(ctx.viewer.lang, data.plan.found)
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let plan = &data.plan;
    let home = format!("/s/{}/archive", plan.source);
    let said = data.wanted.iter().map(|(name, value)| format!("{name}:{value}")).collect::<Vec<String>>().join(" ");
    let (heading, body) = if plan.found == 0 {
        (
            word::restore(lang).to_owned(),
            refused(Tone::Mute, Icon::Search, word::none_found(lang), word::none_found_why(lang)),
        )
    } else if plan.found > plan.most {
        (
            word::restore(lang).to_owned(),
            refused(Tone::Warn, Icon::Warn, word::too_many(lang), word::too_many_why(lang)),
        )
    } else {
        let split = view! {
            <div class="split">
                <div class="stack">{sample(ctx, plan)}</div>
                <div class="stack">{confirm(ctx, data)}</div>
            </div>
        };
        (title(ctx, data), split.into_any())
    };
    view! {
        <header class="page__head">
            <div>
                <p class="crumb"><a href=home>{word::archive(lang)}</a><span>"/"</span><span class="mono break">{crate::ui::cut(&said, 80)}</span></p>
                <h1>{heading}</h1>
            </div>
        </header>
        {body}
    }
    .into_any()
}

fn refused(tone: Tone, shape: Icon, title: &'static str, why: &'static str) -> AnyView {
    view! { <section class="panel">{State::new(tone, shape, title).line(why).view()}</section> }.into_any()
}

fn sample(ctx: &PageContext, plan: &RestorePlan) -> AnyView {
    let lang = ctx.viewer.lang;
    let count = u64::try_from(plan.sample.len()).unwrap_or(u64::MAX);
    let rows = plan.sample.iter().map(|row| line(ctx, row)).collect_view();
    view! {
        <section class="panel panel--flush">
            <header class="panel__head">
                <h2>{word::sample(lang)}</h2>
                <span class="t3 s12">{word::sample_of(lang, grouped(count), grouped(plan.found))}</span>
            </header>
            <div class="tablebox">
                <table class="table table--tight table--cards">
                    <thead>
                        <tr>
                            <th scope="col">{record::key(lang)}</th>
                            <th scope="col">{record::r#type(lang)}</th>
                            <th scope="col">{word::archived_as(lang)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

fn line(ctx: &PageContext, row: &Row) -> AnyView {
    let lang = ctx.viewer.lang;
    let of = &row.record;
    view! {
        <tr>
            <td class="lead key clip">{of.key.as_deref().map(|key| cut_text(key, CELL))}</td>
            <td class="aside s12 clip">{of.r#type.as_deref().map(|of| cut_text(of, CELL))}</td>
            <td class="s12 t2 nowrap" data-h=word::archived_as(lang)>{of.since().map(|at| ctx.clock().at(at))}</td>
        </tr>
    }
    .into_any()
}

fn confirm(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let plan = &data.plan;
    let wanted =
        data.wanted.iter().map(|(name, value)| view! { <input type="hidden" name=*name value=value.clone()/> });
    let typed = plan.phrase.as_ref().map(|text| phrase(ctx, text, word::phrase_why(lang)));
    view! {
        <form class="panel confirm" method="post" action=format!("/s/{}/archive/restore", plan.source)>
            <header class="panel__head"><h2>{word::confirm(lang)}</h2></header>
            <div class="panel__body stack">
                <p class="s13 t2">{word::put_back(lang)}</p>
                {hidden(ctx)}
                {wanted.collect_view()}
                <input type="hidden" name="found" value=plan.found/>
                {reason(ctx)}
                {typed}
                <div class="row">
                    <button class="btn btn--main" type="submit">{small_icon(Icon::Retry, "")}{title(ctx, data)}</button>
                    <a class="btn btn--bare" href=format!("/s/{}/archive", plan.source)>{word::back(lang)}</a>
                </div>
            </div>
        </form>
    }
    .into_any()
}
