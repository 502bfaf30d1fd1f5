//! What to mend, and the DDL that would help: printed, never run.

use super::all_seen;
use crate::context::PageContext;
use crate::model::{Problem, SourceSettings};
use crate::ui::{Icon, State, Tone, code, csv_link, speaking_icon};
use crate::words::{self, measure, overview, settings as word};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, source: &SourceSettings) -> AnyView {
    let lang = ctx.viewer.lang;
    let body = if !source.problems.is_empty() {
        let items = source.problems.iter().map(|problem| item(ctx, problem)).collect_view();
        view! { <ul class="attention">{items}</ul> }.into_any()
    } else if all_seen(source) {
        State::new(Tone::Ok, Icon::Ok, word::no_problem(lang)).line(word::no_problem_why(lang)).view()
    } else {
        let why = match source.strategy {
            None => word::strategy_not_known_why(lang),
            Some(_) => overview::nothing_known_why(lang),
        };
        State::new(Tone::Mute, Icon::Unknown, overview::nothing_known(lang)).line(why).view()
    };
    let count = u64::try_from(source.problems.len()).unwrap_or(u64::MAX);
    let count = (count > 0).then(|| view! { <span class="count count--warn">{measure::grouped(count)}</span> });
    let csv =
        (!source.problems.is_empty()).then(|| csv_link(word::problems(lang), super::csv("problems", Some(source))));
    view! {
        <section class="panel panel--flush">
            <header class="panel__head"><h3>{word::problems(lang)}</h3>{count}{csv}</header>
            {body}
        </section>
    }
    .into_any()
}

fn item(ctx: &PageContext, problem: &Problem) -> AnyView {
    let lang = ctx.viewer.lang;
    let (what, why) = words::problem(lang, problem);
    let (tone, shape, meaning) = match problem {
        Problem::Fault { .. } => ("crit", Icon::Off, overview::severe(lang)),
        Problem::NoUniqueIndex { .. } => ("crit", Icon::Crit, overview::severe(lang)),
        _ => ("warn", Icon::Warn, overview::warning(lang)),
    };
    view! {
        <li>
            <span class=format!("mark {tone}")>{speaking_icon(shape, "icon", meaning.into())}</span>
            <span class="attention__what break">{what}</span>
            <span class="attention__why break">{why}</span>
        </li>
    }
    .into_any()
}

/// Nothing where no index is missing.
pub(super) fn ddl(ctx: &PageContext, source: &SourceSettings) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let suggested: Vec<_> = source
        .problems
        .iter()
        .filter_map(|problem| match problem {
            Problem::NoUniqueIndex { suggested_ddl } => {
                Some((word::unique_ddl(lang, &source.head.name), suggested_ddl))
            }
            Problem::NoKeyIndex { suggested_ddl } => Some((word::key_ddl(lang, &source.head.name), suggested_ddl)),
            _ => None,
        })
        .collect();
    if suggested.is_empty() {
        return None;
    }
    let blocks = suggested.into_iter().map(|(what, ddl)| code(lang, &what, ddl)).collect_view();
    Some(
        view! {
            <section class="panel">
                <header class="panel__head"><h3>{word::index_audit(lang)}</h3><p class="panel__sub">{word::index_audit_why(lang)}</p></header>
                <div class="panel__body stack">{blocks}</div>
            </section>
        }
        .into_any(),
    )
}
