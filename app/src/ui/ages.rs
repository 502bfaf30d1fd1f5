//! Processing records by age: the whole panel, drawn by the server and, when news come in, by the same code in the
//! browser.

use super::{Clock, Explained, csv_link, explain, fresh, not_mapped, numbers, unreachable, waiting};
use crate::charts::{self, Bar, BarChart, Hue};
use crate::model::{AgeBucket, Count, Lang, Layer, Panel, RecordsPanel, Status, Strategy};
use crate::words::{self, explain as about, measure, overview as word};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

/// What of the records is shown here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ages {
    processing: Option<Count>,
    completed: Option<Count>,
    buckets: Vec<AgeBucket>,
    aging_after_ms: u64,
    strategy: Strategy,
    in_first_pass: bool,
}

impl Ages {
    pub(crate) fn of(body: &RecordsPanel) -> Self {
        Self {
            processing: body.processing,
            completed: body.completed,
            buckets: body.ages.clone(),
            aging_after_ms: body.aging_after_ms,
            strategy: body.strategy,
            in_first_pass: body.in_first_pass(),
        }
    }
}

/// Count, chart, table and age are of one reading; without one the panel says why.
pub(crate) fn ages_panel(clock: &Clock<'_>, source: &str, panel: &Panel<Ages>) -> AnyView {
    let lang = clock.lang;
    let (sub, body, completed) = match (&panel.trouble, &panel.body) {
        (Some(trouble), _) => (None, unreachable(clock, Layer::Records, trouble).view(), None),
        (None, None) => (None, waiting(lang, Layer::Records).view(), None),
        (None, Some(ages)) => match ages.processing {
            None => (None, not_mapped(lang, Status::Processing).view(), None),
            Some(count) => {
                let after = measure::limit(lang, ages.aging_after_ms);
                (Some(word::by_age_sub(lang, words::count(lang, count), after)), drawn(lang, ages), ages.completed)
            }
        },
    };
    let foot = completed.map(|count| {
        let said = word::completed(lang, words::count(lang, count), measure::quality(lang, count.quality));
        view! {
            <footer class="panel__foot">
                <span>{said}</span>
                <a href=format!("/s/{source}/records?status=processing")>{word::see_all_processing(lang)}</a>
            </footer>
        }
    });
    let csv = csv_link(word::by_age(lang), format!("/api/sources/{source}/overview.csv?table=ages"));
    view! {
        <section class="panel">
            <header class="panel__head">
                <h2>{word::by_age(lang)}</h2>
                {explain(lang, explained(lang, panel.body.as_ref()))}
                {fresh(clock, panel)}
                {csv}
                {sub.map(|sub| view! { <p class="panel__sub">{sub}</p> })}
            </header>
            {body}
            {foot}
        </section>
    }
    .into_any()
}

fn explained(lang: Lang, ages: Option<&Ages>) -> Explained {
    let blind = |ages: &Ages| about::records_blind(lang, ages.strategy, ages.in_first_pass);
    Explained {
        id: "ages",
        figure: word::by_age(lang),
        what: about::ages(lang),
        how: about::ages_how(lang).into(),
        blind: vec![ages.map_or_else(|| about::nothing_read(lang), blind)],
    }
}

fn drawn(lang: Lang, ages: &Ages) -> AnyView {
    let chart = chart(lang, &ages.buckets, ages.aging_after_ms);
    let table = charts::bars_table(&chart, [word::chart_age(lang), word::chart_records(lang)]);
    view! {
        <div class="panel__body">
            <div inner_html=charts::bars(&chart)></div>
            {numbers(lang, word::by_age(lang), table)}
        </div>
    }
    .into_any()
}

/// What is older than `aging_after_ms` is marked.
fn chart(lang: Lang, ages: &[AgeBucket], aging_after_ms: u64) -> BarChart {
    let bars = ages.iter().map(|bucket| {
        let hue = match bucket.from_ms {
            from if from >= aging_after_ms => Hue::Crit,
            from if from.saturating_mul(2) >= aging_after_ms => Hue::Warn,
            _ => Hue::Busy,
        };
        Bar {
            label: bucket_word(lang, bucket),
            // A count of open records is far below 2⁵³.
            #[allow(clippy::cast_precision_loss)]
            value: bucket.count as f64,
            shown: Some(measure::grouped(bucket.count)),
            notes: Vec::new(),
            hue,
        }
    });
    let aging: u64 = ages.iter().filter(|bucket| bucket.from_ms >= aging_after_ms).map(|bucket| bucket.count).sum();
    let all: u64 = ages.iter().map(|bucket| bucket.count).sum();
    BarChart {
        finding: word::by_age_finding(
            lang,
            measure::grouped(aging),
            measure::grouped(all),
            measure::limit(lang, aging_after_ms),
        ),
        bars: bars.collect(),
        no_data: word::no_data(lang).into(),
    }
}

/// `< 15 s`, `1–5 min`, `> 30 min`.
fn bucket_word(lang: Lang, bucket: &AgeBucket) -> String {
    let edge = |ms| measure::limit(lang, ms);
    match (bucket.from_ms, bucket.to_ms) {
        (0, Some(to)) => format!("<\u{a0}{}", edge(to)),
        (from, None) => format!(">\u{a0}{}", edge(from)),
        (from, Some(to)) => {
            // One unit is enough where both edges have the same: `1–5 min`.
            let (from, to) = (edge(from), edge(to));
            match (from.split_once('\u{a0}'), to.split_once('\u{a0}')) {
                (Some((number, unit)), Some((_, same))) if unit == same => format!("{number}–{to}"),
                _ => format!("{from}–{to}"),
            }
        }
    }
}
