//! What became of each record, in the order of the plan.

use super::run::again;
use super::{Data, listing};
use crate::context::PageContext;
use crate::model::{Lang, Outcome, Run, RunItem};
use crate::ui::{Icon, State, Tone, csv_link, cut_text, encoded, small_icon};
use crate::words::{self, measure, plan, run as word};
use leptos::prelude::*;

/// Characters of a foreign text in one cell.
const CELL: usize = 48;

/// `None`: of a plan, whose left-alone records are shown.
pub(super) fn view(ctx: &PageContext, data: &Data, run: Option<&Run>) -> AnyView {
    let lang = ctx.viewer.lang;
    let heading = if run.is_some() { word::each_record(lang) } else { plan::left_alone(lang) };
    let body = if data.items.items.is_empty() {
        State::new(Tone::Mute, Icon::Info, word::none_so(lang)).view()
    } else {
        table(ctx, data)
    };
    let filter = run.map(|run| filter(lang, data, run));
    view! {
        <section class="panel panel--flush" id="run-items" data-again=run.and_then(again)>
            <header class="panel__head">
                <h2>{heading}</h2>{filter}{csv_link(heading, csv(data, data.query.outcome))}
            </header>
            {body}
            {ways_on(lang, data)}
        </section>
    }
    .into_any()
}

pub(super) fn csv(data: &Data, outcome: Option<Outcome>) -> String {
    let of = outcome.map(|outcome| format!("?outcome={}", outcome.as_str())).unwrap_or_default();
    format!("/api/sources/{}/operations/{}/items.csv{of}", data.source, encoded(&data.id))
}

fn filter(lang: Lang, data: &Data, run: &Run) -> AnyView {
    let count = |outcome: Option<Outcome>| match outcome {
        None => run.total,
        Some(Outcome::Done) => run.done - run.undone,
        Some(Outcome::Failed) => run.failed,
        Some(Outcome::Skipped) => run.skipped,
        Some(Outcome::Uncertain) => run.uncertain,
        Some(Outcome::Open | Outcome::Begun | Outcome::Undone) => 0,
    };
    let links = [None].into_iter().chain(Outcome::FILTERS.map(Some)).map(|outcome| {
        let here = data.query.outcome == outcome;
        let number = measure::grouped(count(outcome));
        let said = match outcome {
            None => word::all(lang, number),
            Some(outcome) => format!("{} {number}", words::begun(lang, word::outcome_word(lang, outcome))),
        };
        view! { <a href=listing(data, outcome, None) aria-current=here.then_some("true")>{said}</a> }
    });
    view! { <nav class="end seg seg--s" aria-label=word::filter(lang)>{links.collect_view()}</nav> }.into_any()
}

fn table(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    view! {
        <div class="tablebox">
            <table class="table table--tight table--cards">
                <thead>
                    <tr>
                        <th scope="col">{words::record::key(lang)}</th>
                        <th scope="col">{word::outcome(lang)}</th>
                        <th scope="col">{word::detail(lang)}</th>
                        <th scope="col" class="num">{word::at(lang)}</th>
                    </tr>
                </thead>
                <tbody>{data.items.items.iter().map(|item| line(ctx, data, item)).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn line(ctx: &PageContext, data: &Data, item: &RunItem) -> AnyView {
    let lang = ctx.viewer.lang;
    let href = format!("/s/{}/records/{}", data.source, item.reference);
    let key = match &item.key {
        Some(key) => cut_text(key, CELL),
        None => view! { <span class="t3">{words::record::no_key(lang)}</span> }.into_any(),
    };
    let (tone, shape) = match item.outcome {
        Outcome::Open => ("t3", Icon::Clock),
        Outcome::Begun => ("busy", Icon::Busy),
        Outcome::Done => ("ok", Icon::Ok),
        Outcome::Skipped => ("mute", Icon::Pause),
        Outcome::Failed => ("warn", Icon::Failed),
        Outcome::Uncertain => ("crit", Icon::Unknown),
        Outcome::Undone => ("mute", Icon::Retry),
    };
    let at = item.changed_at.map(|at| ctx.clock().at(at));
    view! {
        <tr>
            <td class="lead key clip"><a href=href>{key}</a></td>
            <td class=format!("aside nowrap {tone}")><span class="with-icon">{small_icon(shape, "")}{word::outcome_word(lang, item.outcome)}</span></td>
            <td class="t2 s12 full break">{detail(lang, item)}</td>
            <td class="num nowrap t3">{at}</td>
        </tr>
    }
    .into_any()
}

fn detail(lang: Lang, item: &RunItem) -> String {
    match (&item.skip, &item.setback) {
        (Some(skip), _) => words::operate::skip(lang, skip),
        (_, Some(setback)) => words::operate::setback(lang, setback),
        (None, None) => match item.outcome {
            Outcome::Undone => word::now_undone(lang).into(),
            Outcome::Open => word::not_begun(lang).into(),
            Outcome::Begun => word::being_done(lang).into(),
            Outcome::Done | Outcome::Skipped | Outcome::Failed | Outcome::Uncertain => {
                word::was(lang, words::status(lang, item.status))
            }
        },
    }
}

fn ways_on(lang: Lang, data: &Data) -> Option<AnyView> {
    let link = |href: String, content: AnyView| view! { <a class="btn btn--s" href=href>{content}</a> };
    let outcome = data.query.outcome;
    let first = data.query.after.map(|_| {
        let content = view! { {small_icon(Icon::Prev, "")}{word::first_page(lang)} }.into_any();
        link(listing(data, outcome, None), content)
    });
    let next = data.items.next.map(|next| {
        link(listing(data, outcome, Some(next)), view! { {word::more(lang)}{small_icon(Icon::Next, "")} }.into_any())
    });
    (first.is_some() || next.is_some()).then(|| {
        view! {
            <footer class="panel__foot">
                <span></span>
                <nav class="row" aria-label=words::record::pages(lang)>{first}{next}</nav>
            </footer>
        }
        .into_any()
    })
}
