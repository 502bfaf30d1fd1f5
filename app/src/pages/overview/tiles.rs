//! The key figures, each with its last three hours behind it.

use super::history::{points, span};
use crate::charts::{self, Spark};
use crate::context::PageContext;
use crate::islands::LiveTile;
use crate::model::{Minute, Overview};
use crate::ui::{Face, TileName, Watched};
use crate::words::overview as word;
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Overview) -> AnyView {
    let tiles = TileName::ALL.map(|name| tile(ctx, data, name));
    view! { <section class="tiles" aria-label=word::key_figures(ctx.viewer.lang)>{tiles.collect_view()}</section> }
        .into_any()
}

fn tile(ctx: &PageContext, data: &Overview, name: TileName) -> AnyView {
    let lang = ctx.viewer.lang;
    let brokers: Vec<_> = data.brokers.iter().collect();
    let watched = Watched { records: Some(&data.records), locks: data.locks.as_ref(), brokers: &brokers };
    let face = Face::of(lang, name, &watched, ctx.now);
    let page = match name {
        TileName::Aging | TileName::Processing => "records?status=processing",
        TileName::Failed => "records?status=failed",
        TileName::LocksWrong | TileName::LocksHeld => "locks",
        TileName::Ready | TileName::DeadLetter => "brokers",
    };
    let href = format!("/s/{}/{page}", data.source);
    let spark = Spark { span: span(ctx), points: points(&data.minutes, reading(name)), limit: None };
    view! {
        <LiveTile name lang href face brokers=brokers.len()>
            <span class="spark-box" aria-hidden="true" inner_html=charts::spark(&spark)></span>
        </LiveTile>
    }
    .into_any()
}

fn reading(name: TileName) -> fn(&Minute) -> Option<i64> {
    match name {
        TileName::Aging => |minute| minute.aging,
        TileName::Processing => |minute| minute.processing,
        TileName::Failed => |minute| minute.failed,
        TileName::LocksWrong => |minute| minute.locks_wrong,
        TileName::LocksHeld => |minute| minute.locks_held,
        TileName::Ready => |minute| minute.ready,
        TileName::DeadLetter => |minute| minute.dead_letter,
    }
}
