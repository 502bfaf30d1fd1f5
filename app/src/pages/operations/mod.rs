//! Which runs go on, how did the others end, who ran them and why?

use crate::context::PageContext;
use crate::model::{Fault, Run, RunsPage};
use crate::pages::operation::{run_pill, selected_text, share_bar};
use crate::reads::Reads;
use crate::ui::{Icon, State, Tone, cut_text, small_icon};
use crate::words::{self, measure, run as word};
use leptos::prelude::*;

/// Characters of a foreign text in one cell.
const CELL: usize = 48;

#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    pub source: String,
    /// Of an older page than the first.
    pub before: Option<i64>,
    pub page: RunsPage,
}

pub async fn load(reads: &dyn Reads, source: &str, before: Option<i64>) -> Result<Data, Fault> {
    Ok(Data { source: source.to_owned(), before, page: reads.runs(source, before).await? })
}

#[must_use]
pub fn title(ctx: &PageContext, _: &Data) -> String {
    words::plan::operations(ctx.viewer.lang).into()
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let body = if data.page.items.is_empty() {
        State::new(Tone::Mute, Icon::Ops, word::none(lang))
            .line(word::none_why(lang))
            .way(format!("/s/{}/records", data.source), word::to_records(lang))
            .view()
    } else {
        table(ctx, &data.page.items)
    };
    let first = format!("/s/{}/operations", data.source);
    let newest = data.before.map(|_| {
        view! { <a class="btn btn--s" href=first.clone()>{small_icon(Icon::Prev, "")}{word::newest(lang)}</a> }
    });
    let older = data.page.next.map(|next| {
        let href = format!("{first}?before={next}");
        view! { <a class="btn btn--s" href=href>{word::older(lang)}{small_icon(Icon::Next, "")}</a> }
    });
    let foot = (newest.is_some() || older.is_some()).then(|| {
        view! {
            <footer class="panel__foot">
                <span></span>
                <nav class="row" aria-label=words::record::pages(lang)>{newest}{older}</nav>
            </footer>
        }
    });
    view! {
        <header class="page__head">
            <h1>{words::plan::operations(lang)}</h1>
            <p class="page__sub page__sub--line">{word::sub(lang)}</p>
        </header>
        <section class="panel" aria-label=word::list(lang)>{body}{foot}</section>
    }
    .into_any()
}

fn table(ctx: &PageContext, runs: &[Run]) -> AnyView {
    let lang = ctx.viewer.lang;
    view! {
        <div class="tablebox">
            <table class="table table--cards">
                <thead>
                    <tr>
                        <th scope="col">{word::operation(lang)}</th>
                        <th scope="col">{word::state(lang)}</th>
                        <th scope="col">{word::records(lang)}</th>
                        <th scope="col" class="optional">{word::reason(lang)}</th>
                        <th scope="col" class="optional-2">{word::who(lang)}</th>
                        <th scope="col" class="num">{word::when(lang)}</th>
                    </tr>
                </thead>
                <tbody>{runs.iter().map(|run| line(ctx, run)).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn line(ctx: &PageContext, run: &Run) -> AnyView {
    let lang = ctx.viewer.lang;
    let href = format!("/s/{}/operations/{}", run.source, crate::ui::encoded(&run.id));
    let what = run.selected.as_ref().map(|selected| selected_text(lang, selected));
    let what = what.map(|what| view! { <span class="under t3 mono clip">{cut_text(&what, CELL)}</span> });
    let mut marks = Vec::new();
    if run.uncertain > 0 {
        marks.push(
            view! { <span class="crit">{word::uncertain_n(lang, measure::grouped(run.uncertain))}</span> }.into_any(),
        );
    }
    if run.failed > 0 {
        marks
            .push(view! { <span class="warn">{word::refused_n(lang, measure::grouped(run.failed))}</span> }.into_any());
    }
    let marks = (!marks.is_empty()).then(|| view! { <span class="row s12">{marks}</span> });
    let counts = word::done_of(lang, measure::grouped(run.done - run.undone), measure::grouped(run.total));
    let at = run.begun_at.map(|at| ctx.clock().ago(at));
    view! {
        <tr>
            <td class="lead"><a href=href>{words::operate::operation(lang, run.operation)}</a>{what}</td>
            <td class="aside">{run_pill(lang, run)}</td>
            <td class="full"><span class="runs__far">{share_bar(lang, run, "gauge")}<span>{counts}</span>{marks}</span></td>
            <td class="optional t2 s12 clip">{cut_text(&run.reason, CELL)}</td>
            <td class="optional-2 t2 s12 nowrap">{cut_text(&run.actor, CELL)}</td>
            <td class="num nowrap t3 aside">{at}</td>
        </tr>
    }
    .into_any()
}
