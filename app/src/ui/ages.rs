use crate::charts::{Bar, BarChart, Hue};
use crate::model::{AgeBucket, Lang};
use crate::words::{measure, overview};

/// Processing records by age as a chart. What is older than `aging_after_ms` is marked.
pub(crate) fn ages_chart(lang: Lang, ages: &[AgeBucket], aging_after_ms: u64) -> BarChart {
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
        finding: overview::by_age_finding(
            lang,
            measure::grouped(aging),
            measure::grouped(all),
            measure::limit(lang, aging_after_ms),
        ),
        bars: bars.collect(),
        no_data: overview::no_data(lang).into(),
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
