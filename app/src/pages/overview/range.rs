//! Which time is shown, and the ways to another: links, and a form for any span.

use crate::context::PageContext;
use crate::model::{Course, Overview, Recent, TimeRange};
use crate::ui::{Icon, csv_button, icon, small_icon};
use crate::words::{overview, range as word};
use leptos::prelude::*;

/// The page with this range.
pub(super) fn address(source: &str, range: TimeRange) -> String {
    let query = range.query();
    let between = if query.is_empty() { "" } else { "?" };
    format!("/s/{source}/overview{between}{query}")
}

/// A table of this page as CSV, of the same time.
pub(super) fn csv(data: &Overview, table: &str) -> String {
    let query = data.course.asked().query();
    let between = if query.is_empty() { "" } else { "&" };
    format!("/api/sources/{}/overview.csv?table={table}{between}{query}", data.source)
}

/// `Last 3 h`, or from when to when.
pub(super) fn name(ctx: &PageContext, course: &Course) -> String {
    let lang = ctx.viewer.lang;
    match course.range {
        Some(recent) => word::recent(lang, recent),
        None => word::between(lang, clock(ctx, course.from, true), clock(ctx, course.to, !same_day(ctx, course))),
    }
}

fn same_day(ctx: &PageContext, course: &Course) -> bool {
    ctx.zone.local(course.from).date_naive() == ctx.zone.local(course.to).date_naive()
}

fn clock(ctx: &PageContext, at: chrono::DateTime<chrono::Utc>, dated: bool) -> String {
    ctx.zone.local(at).format(if dated { "%Y-%m-%d %H:%M" } else { "%H:%M" }).to_string()
}

pub(super) fn view(ctx: &PageContext, data: &Overview) -> AnyView {
    let lang = ctx.viewer.lang;
    view! { {menu(ctx, data)}{ways_back(ctx, data)}{csv_button(overview::overview(lang), csv(data, "course"))} }
        .into_any()
}

fn menu(ctx: &PageContext, data: &Overview) -> AnyView {
    let lang = ctx.viewer.lang;
    let course = &data.course;
    let pick = |recent: Recent| {
        let chosen = course.range == Some(recent);
        view! {
            <a class="pickone" href=address(&data.source, TimeRange::Recent(recent)) aria-current=chosen.then_some("true")>
                {icon(if chosen { Icon::Check } else { Icon::Clock })}
                <span>{word::recent(lang, recent)}</span>
            </a>
        }
    };
    let (short, long) = Recent::ALL.split_at(Recent::ALL.len().div_ceil(2));
    let zone = if ctx.zone.name == ctx.clock().zone_offset() {
        ctx.zone.name.clone()
    } else {
        format!("{}, {}", ctx.clock().zone_offset(), ctx.zone.name)
    };
    view! {
        <details class="menu menu--range">
            <summary class="btn btn--s">
                {small_icon(Icon::Clock, "")}<span class="sr">{word::menu(lang)}": "</span>{name(ctx, course)}{small_icon(Icon::Down, "")}
            </summary>
            <div class="menu__list menu__list--form">
                <div class="fields">
                    <div>{short.iter().map(|recent| pick(*recent)).collect_view()}</div>
                    <div>{long.iter().map(|recent| pick(*recent)).collect_view()}</div>
                </div>
                <form class="stack" action=format!("/s/{}/overview", data.source)>
                    <div class="fields">
                        <div class="field">
                            <label for="from">{word::from(lang)}</label>
                            <input class="input" id="from" name="from" required autocomplete="off" spellcheck="false" maxlength="64"
                                aria-describedby="range-help" value=clock(ctx, course.from, true)/>
                        </div>
                        <div class="field">
                            <label for="to">{word::to(lang)}</label>
                            <input class="input" id="to" name="to" autocomplete="off" spellcheck="false" maxlength="64"
                                aria-describedby="range-help" value=if course.range.is_some() { "now".to_owned() } else { clock(ctx, course.to, true) }/>
                        </div>
                    </div>
                    <p class="field__help" id="range-help">{word::help(lang, zone)}</p>
                    <div class="row"><button class="btn btn--main" type="submit">{word::show(lang)}</button></div>
                </form>
            </div>
        </details>
    }
    .into_any()
}

/// From a span of its own: to three times as much, and to where one came from.
fn ways_back(ctx: &PageContext, data: &Overview) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    if data.course.range.is_some() {
        return None;
    }
    let wider = data.course.asked().wider(ctx.now).map(|range| {
        view! { <a class="btn btn--s" href=address(&data.source, range)>{small_icon(Icon::Scan, "")}{word::zoom_out(lang)}</a> }
    });
    let usual = word::back(lang, word::recent(lang, Recent::Hours3));
    Some(
        view! {
            {wider}
            <a class="btn btn--s" href=address(&data.source, TimeRange::default())>{small_icon(Icon::X, "")}{usual}</a>
        }
        .into_any(),
    )
}
