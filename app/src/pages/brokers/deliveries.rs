//! Pending entries of all streams by how often they were delivered.

use super::{Data, live};
use crate::charts::{self, Bar, BarChart, Hue};
use crate::context::PageContext;
use crate::model::{Group, Lang, Queue};
use crate::ui::{Explained, explain, numbers};
use crate::words::{broker as word, explain as about, measure, overview};
use leptos::prelude::*;

/// `None`: no group was read, or nothing is pending.
pub(super) fn view(ctx: &PageContext, data: &Data) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let queues: Vec<&Queue> = live(data).flat_map(|body| &body.queues).collect();
    let groups: Vec<&Group> = queues.iter().filter_map(|queue| queue.group.as_ref()).collect();
    let mut counts = [0; 5];
    for group in &groups {
        counts.iter_mut().zip(group.by_deliveries).for_each(|(sum, count)| *sum += count);
    }
    if counts.iter().all(|count| *count == 0) {
        return None;
    }
    let most = groups.iter().filter_map(|group| group.most_deliveries).max().unwrap_or(1);
    let chart = chart(lang, counts, most);
    let table = charts::bars_table(&chart, [word::deliveries(lang), word::pending(lang)]);
    let sampled = queues.iter().any(|queue| queue.is_sampled());
    let foot = sampled.then(|| {
        view! { <footer class="panel__foot"><span>{word::by_deliveries_sampled(lang)}</span></footer> }
    });
    let panel = view! {
        <section class="panel">
            <header class="panel__head">
                <h2>{word::by_deliveries(lang)}</h2>
                {explain(lang, explained(lang))}
                <p class="panel__sub">{word::by_deliveries_sub(lang)}</p>
            </header>
            <div class="panel__body">
                <div class="chart-box" inner_html=charts::bars(&chart)></div>
                {numbers(lang, word::by_deliveries(lang), table)}
            </div>
            {foot}
        </section>
    };
    Some(panel.into_any())
}

fn explained(lang: Lang) -> Explained {
    Explained {
        id: "by-deliveries",
        figure: word::by_deliveries(lang),
        what: about::by_deliveries(lang),
        how: about::by_deliveries_how(lang).into(),
        blind: vec![about::by_deliveries_blind(lang)],
    }
}

fn chart(lang: Lang, counts: [u64; 5], most: u64) -> BarChart {
    let hues = [Hue::Busy, Hue::Busy, Hue::Warn, Hue::Warn, Hue::Crit];
    let bars = ["1", "2", "3", "4–9", "10+"].into_iter().zip(counts).zip(hues).map(|((label, count), hue)| Bar {
        label: label.into(),
        // A count of pending entries is far below 2⁵³.
        #[allow(clippy::cast_precision_loss)]
        value: count as f64,
        shown: Some(measure::grouped(count)),
        notes: (hue == Hue::Crit && count > 0)
            .then(|| word::most_note(lang, measure::grouped(most)))
            .into_iter()
            .collect(),
        hue,
    });
    let again: u64 = counts[1..].iter().sum();
    let all = counts.iter().sum();
    BarChart {
        finding: word::by_deliveries_finding(
            lang,
            measure::grouped(all),
            measure::grouped(again),
            measure::grouped(most),
        ),
        bars: bars.collect(),
        no_data: overview::no_data(lang).into(),
    }
}
