//! Plans of one record: a form with a button for each operation; one that is not allowed says why.

use super::Data;
use crate::context::PageContext;
use crate::model::{Lookup, Operation, Role, Row, RowOperation, WhyNot};
use crate::words::{self, plan as word};
use leptos::prelude::*;

pub(super) fn view<'a>(
    ctx: &PageContext,
    data: &Data,
    lookup: &Lookup,
    operations: impl Iterator<Item = &'a Operation>,
) -> AnyView {
    let row = judged(lookup);
    let needed = Role::Operator;
    let otherwise = if ctx.viewer.role < needed {
        Some(WhyNot::Role { needed })
    } else {
        row.is_none().then_some(WhyNot::NoRecord)
    };
    let operations: Vec<(RowOperation, Option<&WhyNot>)> = operations
        .filter_map(|operation| Some((operation.name.on_rows()?, operation.why.as_ref().or(otherwise.as_ref()))))
        .collect();
    // What is not allowed for one reason is told so once.
    let alike = operations.chunk_by(|(_, one), (_, other)| one.is_some() && one == other);
    let buttons = alike.map(|alike| buttons(ctx, alike)).collect_view();
    let row = row.map(|row| {
        view! {
            <input type="hidden" name="form_token" value=ctx.viewer.form_token.clone()/>
            <input type="hidden" name="operation_id" value=format!("{}-row", ctx.operation_id)/>
            <input type="hidden" name="back" value=ctx.url.clone()/>
            <input type="hidden" name="scope" value="rows"/>
            <input type="hidden" name="ref" value=row.reference.to_string()/>
        }
    });
    view! { <form class="verdict__ops" method="post" action=format!("/s/{}/operations", data.source)>{row}{buttons}</form> }
        .into_any()
}

/// The first row of the type that the verdict is about.
fn judged(lookup: &Lookup) -> Option<&Row> {
    lookup.records.iter().find(|row| row.record.r#type == lookup.r#type)
}

fn buttons(ctx: &PageContext, alike: &[(RowOperation, Option<&WhyNot>)]) -> AnyView {
    let lang = ctx.viewer.lang;
    let Some((first, Some(why))) = alike.first() else {
        let allowed = alike.iter().map(|(operation, _)| {
            let said = word::plan_button(lang, *operation);
            view! { <button class="btn" type="submit" name="operation" value=operation.as_str()>{said}</button> }
        });
        return allowed.collect_view().into_any();
    };
    let id = format!("{}-why", first.as_str());
    let refused = alike.iter().map(|(operation, _)| {
        let said = word::plan_button(lang, *operation);
        view! { <button class="btn" type="button" aria-disabled="true" aria-describedby=id.clone()>{said}</button> }
    });
    let refused = refused.collect_view();
    view! { <div class="stack">{refused}<span class="why break" id=id.clone()>{words::why_not(lang, why)}</span></div> }
        .into_any()
}
