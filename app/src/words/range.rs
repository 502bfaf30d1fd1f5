//! The time that a page shows.

use super::measure;
use crate::model::{Course, Lang, RangeProblem, Recent};

words! {
    menu: "Time range", "时间范围";
    last(span): "Last {span}", "最近 {span}";
    between(from, to): "{from} – {to}", "{from} – {to}";
    from: "From", "从";
    to: "To", "到";
    show: "Show this range", "显示这段时间";
    help(zone):
        "{zone}. Minutes are kept for 8 d, hours for 400 d; “-3h”, “09:15” and “now” are read too.",
        "{zone}。分钟数据保留 8 天，小时数据保留 400 天；也可写 “-3h”、“09:15” 或 “now”。";
    zoom_out: "Zoom out", "缩小";
    back(range): "Back to {range}", "回到{range}";
    minute: "minute", "分钟";
    hour: "hour", "小时";
    day: "day (UTC)", "日（UTC）";
    per(step): "Per {step}", "每{step}";
    per_some(step): "Per {step}", "每 {step}";
    each(step): "each {step}", "每{step}";
    every(step): "every {step}", "每 {step}";
    cannot_be_read(parameter, found, why):
        "The time cannot be read, {parameter} is “{found}”: {why}",
        "时间无法识别，{parameter} 为“{found}”：{why}";
    no_range(known): "a range is one of {known}", "时间范围只能是 {known}";
    no_time:
        "a time is written now, -3h, 09:15, 2026-11-29 or 2026-11-29 09:15, also with Z or +08:00",
        "时间的写法：now、-3h、09:15、2026-11-29、2026-11-29 09:15，可带 Z 或 +08:00";
    both: "it stands beside from and to, give one or the other", "它与 from、to 只能给一个";
    no_from: "to is given without from", "给出了 to，但没有 from";
    reversed: "from must lie before to", "起点必须早于终点";
    not_over: "no whole minute is over since then", "从那时起还没有完整的一分钟";
    too_old(days): "hours are kept for {days} days", "小时数据只保留 {days} 天";
    shown(range): "Key figures now; their lines show {range}", "当前关键指标，曲线为{range}";
}

/// `3 h`, `24 h`, `7 d`.
fn lasts(lang: Lang, recent: Recent) -> String {
    match recent {
        Recent::Minutes15 => measure::minutes(lang, 15),
        Recent::Hour => measure::hours(lang, 1),
        Recent::Hours3 => measure::hours(lang, 3),
        Recent::Hours6 => measure::hours(lang, 6),
        Recent::Day => measure::hours(lang, 24),
        Recent::Week => measure::days(lang, 7),
        Recent::Days30 => measure::days(lang, 30),
        Recent::Days90 => measure::days(lang, 90),
        Recent::Days400 => measure::days(lang, 400),
    }
}

pub(crate) fn recent(lang: Lang, of: Recent) -> String {
    last(lang, lasts(lang, of))
}

/// How long it is.
pub(crate) fn length(lang: Lang, course: &Course) -> String {
    match course.range {
        Some(recent) => lasts(lang, recent),
        None => measure::duration(lang, (course.to - course.from).num_milliseconds()),
    }
}

/// `Per minute`, `Per 5 min`, `Per day (UTC)`, of counts.
pub(crate) fn per_step(lang: Lang, step_s: u32) -> String {
    match single(lang, step_s) {
        Some(one) => per(lang, one),
        None => per_some(lang, several(lang, step_s)),
    }
}

/// `each minute`, `every 5 min`, of what is the highest or a percentile of it.
pub(crate) fn each_step(lang: Lang, step_s: u32) -> String {
    match single(lang, step_s) {
        Some(one) => each(lang, one),
        None => every(lang, several(lang, step_s)),
    }
}

fn single(lang: Lang, step_s: u32) -> Option<&'static str> {
    match step_s {
        60 => Some(minute(lang)),
        3_600 => Some(hour(lang)),
        86_400 => Some(day(lang)),
        _ => None,
    }
}

fn several(lang: Lang, step_s: u32) -> String {
    match step_s {
        hours if hours.is_multiple_of(3_600) => measure::hours(lang, hours / 3_600),
        minutes => measure::minutes(lang, minutes / 60),
    }
}

/// One line, without a full stop.
pub(super) fn bad_range(lang: Lang, parameter: &str, found: &str, problem: RangeProblem) -> String {
    let between = match lang {
        Lang::En => ", ",
        Lang::Zh => "、",
    };
    let why = match problem {
        RangeProblem::Unknown => no_range(lang, Recent::ALL.map(Recent::as_str).join(between)),
        RangeProblem::NoTime => no_time(lang).into(),
        RangeProblem::Both => both(lang).into(),
        RangeProblem::NoFrom => no_from(lang).into(),
        RangeProblem::Reversed => reversed(lang).into(),
        RangeProblem::NotOver => not_over(lang).into(),
        RangeProblem::TooOld => too_old(lang, crate::model::TimeRange::KEPT.num_days()),
    };
    cannot_be_read(lang, parameter, found, why)
}
