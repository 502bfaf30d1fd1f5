//! Runs, newest first.

use super::Data;
use super::current::{audit_of, look, per_second, state_of};
use crate::context::PageContext;
use crate::model::ArchiveRun;
use crate::ui::{Icon, State, Tone, cut_text, pill, small_icon};
use crate::words::{archiving as word, measure, measure::grouped};
use leptos::prelude::*;

const CELL: usize = 120;

pub(super) fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let archive = &data.archive;
    if archive.runs.is_empty() {
        let state = State::new(Tone::Mute, Icon::Archive, word::no_runs(lang)).line(word::no_runs_why(lang));
        return view! { <section class="panel">{state.view()}</section> }.into_any();
    }
    let rows = archive.runs.iter().map(|run| line(ctx, run)).collect_view();
    let home = format!("/s/{}/archive", archive.source);
    let first = data.before.map(|_| view! { <a class="btn btn--s" href=home.clone()>{word::first_page(lang)}</a> });
    let older = archive.next.map(|number| {
        let href = format!("{home}?before={number}");
        view! { <a class="btn btn--s" href=href>{word::older(lang)}{small_icon(Icon::Next, "")}</a> }
    });
    let foot = (first.is_some() || older.is_some())
        .then(|| view! { <footer class="panel__foot"><span></span><span class="row">{first}{older}</span></footer> });
    view! {
        <section class="panel panel--flush">
            <header class="panel__head"><h2>{word::runs(lang)}</h2><span class="t3 s12">{word::newest_first(lang)}</span></header>
            <div class="tablebox">
                <table class="table table--tight table--cards">
                    <thead>
                        <tr>
                            <th scope="col">{word::started(lang)}</th>
                            <th scope="col">{word::outcome(lang)}</th>
                            <th scope="col" class="optional-2">{word::actor(lang)}</th>
                            <th scope="col" class="num">{word::moved_head(lang)}</th>
                            <th scope="col" class="num optional">{word::rate(lang)}</th>
                            <th scope="col" class="num">{word::took(lang)}</th>
                            <th scope="col">{word::detail(lang)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {foot}
        </section>
    }
    .into_any()
}

fn line(ctx: &PageContext, run: &ArchiveRun) -> AnyView {
    let lang = ctx.viewer.lang;
    let (tone, shape) = look(run);
    let took = measure::age(lang, (run.ended_at.unwrap_or(ctx.now) - run.begun_at).num_milliseconds());
    let detail = word::detail_of(lang, run);
    let rate = per_second(ctx, run).map_or_else(|| "—".to_owned(), grouped);
    view! {
        <tr>
            <td class="lead nowrap"><a href=audit_of(run)>{ctx.clock().at(run.begun_at)}</a></td>
            <td class="aside nowrap">{pill(tone, shape, state_of(ctx, run))}</td>
            <td class="s12 t2 optional-2" data-h=word::actor(lang)>{cut_text(&word::actor_of(lang, run), 40)}</td>
            <td class="num nowrap" data-h=word::moved_head(lang)>{grouped(run.moved)}</td>
            <td class="num nowrap optional">{rate}</td>
            <td class="num nowrap" data-h=word::took(lang)>{took}</td>
            <td class="s12 t2 full">{(!detail.is_empty()).then(|| cut_text(&detail, CELL))}</td>
        </tr>
    }
    .into_any()
}
