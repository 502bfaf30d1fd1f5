//! Numbers and times as words. Number and unit never part: a no-break space stands between them.

use crate::model::{Count, Lang, Quality};

words! {
    ms(n): "{n}\u{a0}ms", "{n}\u{a0}毫秒";
    seconds(n): "{n}\u{a0}s", "{n}\u{a0}秒";
    minutes(n): "{n}\u{a0}min", "{n}\u{a0}分钟";
    hours(n): "{n}\u{a0}h", "{n}\u{a0}小时";
    hours_minutes(h, m): "{h}\u{a0}h\u{a0}{m}\u{a0}min", "{h}\u{a0}小时\u{a0}{m}\u{a0}分";
    days(n): "{n}\u{a0}d", "{n}\u{a0}天";
    days_hours(d, h): "{d}\u{a0}d\u{a0}{h}\u{a0}h", "{d}\u{a0}天\u{a0}{h}\u{a0}小时";
    ago_text(age): "{age} ago", "{age}前";
    in_text(age): "in {age}", "{age}后";
    at_least(n): "≥\u{a0}{n}", "≥\u{a0}{n}";
    about(n): "≈\u{a0}{n}", "≈\u{a0}{n}";
    per_minute(n): "{n}\u{a0}/min", "{n}\u{a0}/分钟";
    exact: "counted now", "精确计数";
    capped: "counting stopped at the cap", "计数已达上限";
    estimated: "by table statistics", "来自表统计信息";
    partial: "only what was walked so far", "只含已遍历的部分";
    not_known: "not known", "未知";
    none: "none", "无";
}

/// `1204` → `1,204`.
#[must_use]
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number whose last digits mean nothing: three figures and a unit, `48.2 M` or `4,820 万`.
fn rounded(lang: Lang, number: u64) -> String {
    let units: &[(u64, &str)] = match lang {
        Lang::En => &[(1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k")],
        Lang::Zh => &[(100_000_000, "亿"), (10_000, "万")],
    };
    // A Chinese reader keeps four digits in front of 万 where an English one would change the unit.
    match units.iter().find(|(size, _)| number >= *size) {
        None => grouped(number),
        Some((size, unit)) => {
            let tenths = number / (size / 10);
            let whole = tenths / 10;
            if whole >= 100 || tenths.is_multiple_of(10) {
                format!("{}\u{a0}{unit}", grouped(whole))
            } else {
                format!("{whole}.{}\u{a0}{unit}", tenths % 10)
            }
        }
    }
}

/// For a place that has no room: `214`, `1k`, `13k`, `2M`.
#[must_use]
pub(crate) fn brief(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}M", number / 1_000_000),
    }
}

/// A count with how it was read: `1,204`, `10,000+`, `≈ 48.2 M`, `≥ 214`.
#[must_use]
pub fn count(lang: Lang, count: Count) -> String {
    match count.quality {
        Quality::Exact => grouped(count.value),
        Quality::Capped => format!("{}+", grouped(count.value)),
        Quality::Estimated => about(lang, rounded(lang, count.value)),
        Quality::Partial => at_least(lang, grouped(count.value)),
    }
}

/// How a count was read, in words.
pub(crate) fn quality(lang: Lang, quality: Quality) -> &'static str {
    match quality {
        Quality::Exact => exact(lang),
        Quality::Capped => capped(lang),
        Quality::Estimated => estimated(lang),
        Quality::Partial => partial(lang),
    }
}

/// The greatest two units that say something: `850 ms`, `2.4 s`, `47 min`, `1 h 20 min`, `9 d 4 h`. Below zero is zero:
/// two clocks never agree to the millisecond.
#[must_use]
pub fn duration(lang: Lang, duration_ms: i64) -> String {
    let ms_all = duration_ms.max(0);
    match ms_all {
        0 => seconds(lang, 0),
        1..1_000 => ms(lang, ms_all),
        1_000..10_000 => match (ms_all / 1_000, ms_all / 100 % 10) {
            (s, 0) => seconds(lang, s),
            (s, tenths) => seconds(lang, format!("{s}.{tenths}")),
        },
        10_000..60_000 => seconds(lang, ms_all / 1_000),
        60_000..3_600_000 => minutes(lang, ms_all / 60_000),
        3_600_000..86_400_000 => match (ms_all / 3_600_000, ms_all / 60_000 % 60) {
            (h, 0) => hours(lang, h),
            (h, m) => hours_minutes(lang, h, m),
        },
        _ => match (ms_all / 86_400_000, ms_all / 3_600_000 % 24) {
            (d, 0) => days(lang, d),
            (d, h) => days_hours(lang, d, h),
        },
    }
}

/// Two clocks may be so far apart before a time is said to lie in the future.
const APART_MS: i64 = 60_000;

/// Further ahead than clocks are apart: most often a time zone that the configuration does not name.
#[must_use]
pub(crate) fn is_future(age_ms: i64) -> bool {
    age_ms <= -APART_MS
}

/// Like [`duration`], in whole seconds: an age that ticks does not show tenths. What lies in the future says so: `in 8 h`.
#[must_use]
pub(crate) fn age(lang: Lang, age_ms: i64) -> String {
    let whole = |ms: i64| duration(lang, ms.max(0) / 1_000 * 1_000);
    if is_future(age_ms) { in_text(lang, whole(age_ms.saturating_neg())) } else { whole(age_ms) }
}

/// `47 min ago`, or `in 8 h`.
#[must_use]
pub fn ago(lang: Lang, age_ms: i64) -> String {
    if is_future(age_ms) { age(lang, age_ms) } else { ago_text(lang, age(lang, age_ms)) }
}

/// Milliseconds of a limit, which are never negative.
#[must_use]
pub(crate) fn limit(lang: Lang, limit_ms: u64) -> String {
    duration(lang, i64::try_from(limit_ms).unwrap_or(i64::MAX))
}

/// Messages per second with one digit after the point; small ones keep two.
#[must_use]
pub(crate) fn rate(per_second: f64) -> String {
    if per_second == 0.0 {
        "0".into()
    } else if per_second < 1.0 {
        format!("{per_second:.2}")
    } else {
        format!("{per_second:.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::{age, ago, count, duration, grouped};
    use crate::model::{Count, Lang, Quality};

    #[test]
    fn numbers_say_how_they_were_read() {
        let of = |value, quality| Count { value, quality };
        assert_eq!(grouped(1_204), "1,204");
        assert_eq!(grouped(18_446_744_073_709_551_615), "18,446,744,073,709,551,615");
        assert_eq!(count(Lang::En, of(48_203_117, Quality::Estimated)), "≈\u{a0}48.2\u{a0}M");
        assert_eq!(count(Lang::Zh, of(48_203_117, Quality::Estimated)), "≈\u{a0}4,820\u{a0}万");
        assert_eq!(count(Lang::En, of(950, Quality::Estimated)), "≈\u{a0}950");
        assert_eq!(count(Lang::En, of(10_000, Quality::Capped)), "10,000+");
        assert_eq!(count(Lang::Zh, of(214, Quality::Partial)), "≥\u{a0}214");
    }

    #[test]
    fn ages_have_at_most_two_units() {
        assert_eq!(duration(Lang::En, 850), "850\u{a0}ms");
        assert_eq!(duration(Lang::En, 2_400), "2.4\u{a0}s");
        assert_eq!(duration(Lang::En, 47 * 60_000), "47\u{a0}min");
        assert_eq!(duration(Lang::Zh, 80 * 60_000), "1\u{a0}小时\u{a0}20\u{a0}分");
        assert_eq!(duration(Lang::En, (9 * 24 + 4) * 3_600_000), "9\u{a0}d\u{a0}4\u{a0}h");
        assert_eq!(age(Lang::En, 5_900), "5\u{a0}s");
        assert_eq!(age(Lang::En, -20), "0\u{a0}s");
    }

    #[test]
    fn the_future_is_no_age_of_zero() {
        let ahead = -8 * 3_600_000;
        assert_eq!([age(Lang::En, ahead), ago(Lang::En, ahead)], ["in 8\u{a0}h", "in 8\u{a0}h"]);
        assert_eq!(ago(Lang::Zh, ahead), "8\u{a0}小时后");
        assert_eq!(ago(Lang::En, -59_000), "0\u{a0}s ago", "two clocks may be a minute apart");
    }
}
