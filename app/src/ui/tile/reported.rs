//! Figures of what consumers report. Where nobody does, nothing is known: never a zero.

use super::{Face, TileName};
use crate::model::{Counts, Lang, SignalsPanel};
use crate::ui::{Icon, Tone};
use crate::words::{measure, overview as word};

pub(super) fn face(lang: Lang, name: TileName, body: &SignalsPanel) -> Face {
    if body.reported_at.is_none() {
        return Face::missing(Icon::Unknown, Tone::Mute, word::nobody_reports(lang).into());
    }
    let total = &body.total;
    match name {
        TileName::HandlingTime => handling(lang, body),
        TileName::Conflicts => rate(lang, body, |counts| counts.conflict, word::per_hour(lang, total.conflict)),
        TileName::DedupHits => {
            let by = [total.dup_status, total.dup_lock, total.dup_index].map(measure::grouped);
            let [status, lock, index] = by;
            let sub = match total.duplicates() {
                0 => word::no_duplicates(lang).into(),
                _ => word::layers(lang, status, lock, index),
            };
            rate(lang, body, Counts::duplicates, sub)
        }
        TileName::DuplicateRate => share(lang, total.duplicate_rate(), total.duplicates(), total.deliveries()),
        TileName::Failures => share(lang, total.failure_rate(), total.failed + total.dead, total.deliveries()),
        TileName::Interception => interception(lang, total),
        _ => Face::plain(measure::grouped(body.alive), word::in_two_minutes(lang).into()),
    }
}

fn handling(lang: Lang, body: &SignalsPanel) -> Face {
    let (Some(p99_ms), Some(p50_ms)) = (body.recent.p99_ms, body.recent.p50_ms) else {
        return Face::missing(Icon::Unknown, Tone::Mute, word::nothing_handled(lang).into());
    };
    let [p99, p50] = [p99_ms, p50_ms].map(|ms| measure::limit(lang, ms));
    match body.ttl_ms {
        None => Face::plain(p99, word::median(lang, p50)),
        Some(ttl_ms) => {
            let sub = word::lock_ttl(lang, measure::limit(lang, ttl_ms));
            match p99_ms {
                over if over > ttl_ms => Face::wrong(Tone::Crit, p99, sub),
                near if near > ttl_ms / 2 => Face::wrong(Tone::Warn, p99, sub),
                _ => Face::fine(p99, sub),
            }
        }
    }
}

/// Of the last whole minute.
fn rate(lang: Lang, body: &SignalsPanel, of: impl Fn(&Counts) -> u64, sub: String) -> Face {
    match &body.last {
        Some(last) => Face::plain(word::per_minute(lang, measure::grouped(of(last))), sub),
        None => Face::missing(Icon::Unknown, Tone::Mute, sub),
    }
}

/// Of the last hour.
fn share(lang: Lang, share: Option<f64>, part: u64, whole: u64) -> Face {
    let sub = word::of(lang, measure::grouped(part), measure::grouped(whole));
    match share {
        Some(share) => Face::plain(word::percent(lang, percent(share)), sub),
        None => Face::missing(Icon::Unknown, Tone::Mute, sub),
    }
}

fn interception(lang: Lang, total: &Counts) -> Face {
    match total.interception() {
        None => Face::missing(Icon::Info, Tone::Mute, word::no_duplicates(lang).into()),
        Some(_) if total.leaked == 0 => Face::fine(word::percent(lang, "100"), word::none_through(lang).into()),
        Some(share) => {
            let sub = word::through(lang, measure::grouped(total.leaked));
            // Never rounded up to all of them.
            Face::wrong(Tone::Crit, word::percent(lang, percent(share.min(0.999))), sub)
        }
    }
}

/// Never rounded up to all, nor down to nothing.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 10.0 || percent > 99.0 && percent < 100.0 {
        format!("{percent:.1}")
    } else {
        format!("{percent:.0}")
    }
}
