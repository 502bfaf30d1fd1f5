//! What stands in the way, with what would mend it.

use super::is_missing;
use crate::context::PageContext;
use crate::model::{ArchiveRefusal, ArchiveStanding};
use crate::ui::{Icon, code, icon};
use crate::words::archiving as word;
use leptos::prelude::*;

/// Nothing, where nothing does.
pub(super) fn view(ctx: &PageContext, tables: &[ArchiveStanding]) -> Option<AnyView> {
    let panels: Vec<AnyView> = tables
        .iter()
        .filter(|table| !table.refusals.is_empty())
        .map(|table| panel(ctx, &table.table, &table.refusals))
        .collect();
    (!panels.is_empty()).then(|| panels.into_any())
}

pub(super) fn panel(ctx: &PageContext, table: &str, refusals: &[ArchiveRefusal]) -> AnyView {
    let lang = ctx.viewer.lang;
    let rows = refusals.iter().map(|refusal| {
        let shape = if is_missing(refusal) { Icon::Info } else { Icon::Warn };
        let ddl = match refusal {
            ArchiveRefusal::ArchiveMissing { ddl, .. } => Some(format!("{};", ddl.join(";\n"))),
            ArchiveRefusal::MissingGrant { statement } => Some(statement.clone()),
            _ => None,
        };
        let tone = if is_missing(refusal) { "finding busy" } else { "finding warn" };
        view! {
            <li>
                <p class="finding__what"><span class=tone>{icon(shape)}</span><span class="break">{word::whole_sentence(lang, &word::refusal(lang, refusal))}</span></p>
                {ddl.map(|ddl| code(lang, word::ddl(lang), &ddl))}
            </li>
        }
    });
    view! {
        <section class="panel">
            <header class="panel__head">
                <h2>{word::in_the_way(lang)}</h2>
                <p class="panel__sub break">{word::in_the_way_sub(lang, table)}</p>
            </header>
            <div class="panel__body"><ul class="stack s13">{rows.collect_view()}</ul></div>
        </section>
    }
    .into_any()
}
