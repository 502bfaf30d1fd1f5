//! The key figures as they are now, each with its course behind it.

use super::history::{signed, span, values, whole};
use super::{explain, range};
use crate::charts::{self, Spark};
use crate::context::PageContext;
use crate::islands::LiveTile;
use crate::model::{Minute, Overview};
use crate::ui::{self, Face, TileName, Watched};
use crate::words::range as word;
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Overview) -> AnyView {
    let names: &[TileName] = if data.signals.is_some() { &TileName::ALL } else { &TileName::READ };
    let tiles = names.iter().map(|name| tile(ctx, data, *name)).collect_view();
    let class = format!("tiles tiles--{}", names.len());
    view! { <section class=class aria-label=word::shown(ctx.viewer.lang, range::name(ctx, &data.course))>{tiles}</section> }.into_any()
}

fn tile(ctx: &PageContext, data: &Overview, name: TileName) -> AnyView {
    let lang = ctx.viewer.lang;
    let brokers: Vec<_> = data.brokers.iter().collect();
    let watched = Watched {
        records: Some(&data.records),
        locks: data.locks.as_ref(),
        signals: data.signals.as_ref(),
        brokers: &brokers,
    };
    let face = Face::of(lang, name, &watched, ctx.now);
    let page = match name {
        TileName::Aging | TileName::Processing => "records?status=processing",
        TileName::Failed => "records?status=failed",
        TileName::LocksWrong | TileName::LocksHeld => "locks",
        TileName::Ready | TileName::DeadLetter => "brokers",
        // On this page, in the time that it shows.
        TileName::HandlingTime => "#handling",
        TileName::Conflicts => "#conflicts",
        TileName::DuplicateRate => "#sources",
        TileName::Failures => "records?status=failed",
        TileName::DedupHits | TileName::Interception | TileName::Consumers => "#layers",
    };
    let href = if page.starts_with('#') { page.to_owned() } else { format!("/s/{}/{page}", data.source) };
    let limit = match (name, data.signals.as_ref().and_then(|panel| panel.body.as_ref()?.ttl_ms)) {
        (TileName::HandlingTime, Some(ttl_ms)) => Some(whole(ttl_ms)),
        _ => None,
    };
    let spark = Spark { span: span(&data.course), points: values(&data.course, reading(name)), limit };
    view! {
        <div class="tilebox">
            <LiveTile name lang href face brokers=brokers.len()>
                <span class="spark-box" aria-hidden="true" inner_html=charts::spark(&spark)></span>
            </LiveTile>
            {ui::explain(lang, explain::tile(ctx, data, name))}
        </div>
    }
    .into_any()
}

/// What was not read, or has no value, has no point.
fn reading(name: TileName) -> fn(&Minute) -> Option<f64> {
    match name {
        TileName::Aging => |minute| signed(minute.aging),
        TileName::Processing => |minute| signed(minute.processing),
        TileName::Failed => |minute| signed(minute.failed),
        TileName::LocksWrong => |minute| signed(minute.locks_wrong),
        TileName::LocksHeld => |minute| signed(minute.locks_held),
        TileName::Ready => |minute| signed(minute.ready),
        TileName::DeadLetter => |minute| signed(minute.dead_letter),
        TileName::HandlingTime => |minute| minute.handling?.p99_ms.map(whole),
        TileName::Conflicts => |minute| minute.signals.map(|counts| whole(counts.conflict)),
        TileName::DedupHits => |minute| minute.signals.map(|counts| whole(counts.duplicates())),
        TileName::DuplicateRate => |minute| minute.signals?.duplicate_rate(),
        TileName::Interception => |minute| minute.signals?.interception(),
        TileName::Failures => |minute| minute.signals?.failure_rate(),
        TileName::Consumers => |minute| minute.alive.map(whole),
    }
}
