//! What was frozen, what would be done with it, and the form that confirms it.

use super::{Data, confirm, happens, head, items, listing, records, selected_text};
use crate::context::PageContext;
use crate::model::{Lang, Outcome, Plan, PlanWarning, RowOperation, Selected, Skip, Skipped};
use crate::pages::records::key_link;
use crate::ui::{Icon, State, Tone, csv_link, cut, encoded, icon, row_status, small_icon};
use crate::words::{self, measure, plan as word, reason};
use leptos::prelude::*;

/// Width of the bar in its own units.
const BAR: u64 = 1_000;

pub(super) fn total(plan: &Plan) -> u64 {
    plan.eligible + plan.skipped.iter().map(|skipped| skipped.count).sum::<u64>()
}

pub(super) fn heading(lang: Lang, plan: &Plan) -> String {
    let operation = words::operate::operation(lang, plan.operation);
    word::title(lang, operation, measure::grouped(plan.eligible), measure::grouped(total(plan)))
}

pub(super) fn view(ctx: &PageContext, data: &Data, plan: &Plan) -> AnyView {
    let lang = ctx.viewer.lang;
    let selected = plan.selected.as_ref();
    if plan.expired {
        let until = ctx.clock().short(plan.expires_at);
        let state = State::new(Tone::Warn, Icon::Clock, word::expired(lang)).line(word::expired_why(lang, until));
        let operation = words::operate::operation(lang, plan.operation);
        return view! {
            {head(ctx, data, selected, operation.into(), None)}
            <section class="panel">{state.view()}<div class="panel__note row">{again(ctx, plan)}{back(ctx, data, plan)}</div></section>
        }
        .into_any();
    }
    let narrowed = data.query.outcome.is_some().then(|| items::view(ctx, data, None));
    view! {
        {head(ctx, data, selected, heading(lang, plan), Some(steps(lang)))}
        <div class="split">
            <div class="stack">{frozen(ctx, data, plan)}{narrowed}{sample(ctx, data, plan)}</div>
            <div class="stack">{happens::view(ctx, plan)}{warnings(lang, plan)}{confirm::view(ctx, data, plan)}</div>
        </div>
    }
    .into_any()
}

fn steps(lang: Lang) -> AnyView {
    view! {
        <ol class="steps" aria-label=word::steps(lang)>
            <li>{word::step_select(lang)}</li>
            <li aria-current="step">{word::step_check(lang)}</li>
            <li>{word::step_run(lang)}</li>
        </ol>
    }
    .into_any()
}

fn frozen(ctx: &PageContext, data: &Data, plan: &Plan) -> AnyView {
    let lang = ctx.viewer.lang;
    let clock = ctx.clock();
    let (total, skipped) = (total(plan), total(plan) - plan.eligible);
    let unmapped = plan.skipped.iter().filter(|one| one.why == Skip::Unmapped).map(|one| one.count).sum::<u64>();
    let made = word::made(lang, clock.short(plan.planned_at), cut(&plan.actor, 40), clock.short(plan.expires_at));
    let figure = |tone: &'static str, shape: Icon, count: u64, said: &'static str| {
        let big = format!("big {}", if count > 0 { tone } else { "" });
        view! {
            <div>
                <p class=big.trim_end().to_owned()>{measure::grouped(count)}</p>
                <p class="s12 t2 with-icon">{small_icon(shape, tone)}{said}</p>
            </div>
        }
    };
    view! {
        <section class="panel">
            <header class="panel__head"><h2>{word::frozen(lang)}</h2><span class="end fresh">{made}</span></header>
            <div class="panel__body stack">
                <div class="plan__sum">
                    {figure("ok", Icon::Ok, plan.eligible, word::eligible(lang))}
                    {figure("", Icon::Pause, skipped, word::skipped(lang))}
                    {figure("", Icon::Unknown, unmapped, word::unmapped(lang))}
                </div>
                {bar(lang, plan.eligible, total)}
                {reasons(ctx, data, &plan.skipped)}
            </div>
        </section>
    }
    .into_any()
}

fn bar(lang: Lang, eligible: u64, total: u64) -> Option<AnyView> {
    let width = (total > 0).then(|| eligible * BAR / total)?;
    let label = word::bar(lang, measure::grouped(eligible), measure::grouped(total));
    Some(
        view! {
            <svg class="split-bar" viewBox=format!("0 0 {BAR} 12") preserveAspectRatio="none" role="img" aria-label=label>
                <rect class="f-mute" width=BAR height="12"/>
                <rect class="f-ok" width=width height="12"/>
            </svg>
        }
        .into_any(),
    )
}

fn reasons(ctx: &PageContext, data: &Data, skipped: &[Skipped]) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let rows = skipped.iter().map(|one| {
        let (title, why) = reason::skip(lang, &one.why);
        view! { <tr><td>{measure::grouped(one.count)}</td><td>{title}<span class="why break">{why}</span></td><td></td></tr> }
    });
    let rows = rows.collect_view();
    let see = listing(data, Some(Outcome::Skipped), None);
    let here = data.query.outcome.is_some();
    let see = (!here).then(|| view! { <p class="s13"><a href=see>{word::see_them(lang)}</a></p> });
    (!skipped.is_empty()).then(|| {
        view! {
            <table class="reasons"><caption class="sr">{word::by_reason(lang)}</caption><tbody>{rows}</tbody></table>
            {see}
        }
        .into_any()
    })
}

fn sample(ctx: &PageContext, data: &Data, plan: &Plan) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    if plan.sample.is_empty() {
        return None;
    }
    let then = match plan.operation {
        RowOperation::MarkDead => word::then_dead(lang),
        RowOperation::Retry if plan.warnings.contains(&PlanWarning::Deletes) => word::then_deleted(lang),
        RowOperation::Retry | RowOperation::MarkFailed => word::then_failed(lang),
    };
    let rows = plan.sample.iter().map(|row| {
        let since = row.record.since().map(|at| ctx.clock().age(at));
        view! {
            <tr>
                <td class="lead key clip">{key_link(ctx, row)}</td>
                <td class="aside">{row_status(lang, row)}</td>
                <td class="num nowrap" data-h=words::record::in_state(lang)>{since}</td>
                <td class="t2 s12" data-h=word::then(lang)>{then}</td>
            </tr>
        }
    });
    let of = word::sample_of(lang, plan.sample.len(), measure::grouped(plan.eligible));
    let csv = csv_link(word::all_csv(lang), items::csv(data, None));
    Some(
        view! {
            <section class="panel panel--flush">
                <header class="panel__head"><h2>{word::sample(lang)}</h2><span class="t3 s12">{of}</span>{csv}</header>
                <div class="tablebox">
                    <table class="table table--tight table--cards">
                        <thead>
                            <tr>
                                <th scope="col">{words::record::key(lang)}</th>
                                <th scope="col">{word::now(lang)}</th>
                                <th scope="col" class="num">{words::record::in_state(lang)}</th>
                                <th scope="col">{word::then(lang)}</th>
                            </tr>
                        </thead>
                        <tbody>{rows.collect_view()}</tbody>
                    </table>
                </div>
            </section>
        }
        .into_any(),
    )
}

/// What becomes of messages stands among what will happen.
fn warnings(lang: Lang, plan: &Plan) -> AnyView {
    let said = plan.warnings.iter().filter(|warning| {
        !matches!(warning, PlanWarning::LeavesDeadLetter | PlanWarning::Publishes | PlanWarning::AsksWebhook)
    });
    let notes = said.map(|warning| {
        view! {
            <div class="note note--warn">{icon(Icon::Warn)}<p class="break">{words::operate::warning(lang, warning)}</p></div>
        }
    });
    notes.collect_view().into_any()
}

/// The same selection, frozen anew. Without one that is kept there is only the way back.
fn again(ctx: &PageContext, plan: &Plan) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let selected = match plan.selected.as_ref()? {
        Selected::Rows { refs, .. } if refs.is_empty() => return None,
        Selected::Rows { refs, .. } => {
            let refs: Vec<_> =
                refs.iter().map(|of| view! { <input type="hidden" name="ref" value=of.to_string()/> }).collect();
            view! { <input type="hidden" name="scope" value="rows"/>{refs} }.into_any()
        }
        Selected::Search { q } => {
            view! { <input type="hidden" name="scope" value="match"/><input type="hidden" name="q" value=q.clone()/> }
                .into_any()
        }
    };
    if ctx.viewer.role < crate::model::Role::Operator {
        return None;
    }
    Some(
        view! {
            <form method="post" action=format!("/s/{}/operations", plan.source)>
                <input type="hidden" name="form_token" value=ctx.viewer.form_token.clone()/>
                <input type="hidden" name="operation_id" value=ctx.operation_id.clone()/>
                <input type="hidden" name="operation" value=plan.operation.as_str()/>
                {selected}
                <button class="btn btn--main" type="submit">{word::plan_again(lang)}</button>
            </form>
        }
        .into_any(),
    )
}

pub(super) fn back(ctx: &PageContext, data: &Data, plan: &Plan) -> AnyView {
    let lang = ctx.viewer.lang;
    // One record came from its own page.
    let href = match &plan.selected {
        Some(Selected::Rows { refs, .. }) if refs.len() == 1 => {
            format!("/s/{}/records/{}", data.source, encoded(&refs[0].to_string()))
        }
        Some(selected) => records(&data.source, selected),
        None => format!("/s/{}/records", data.source),
    };
    let label = plan.selected.as_ref().map(|selected| cut(&selected_text(lang, selected), super::SEARCH));
    view! { <a class="btn btn--bare" href=href title=label>{word::to_list(lang)}</a> }.into_any()
}
