//! Times: relative on the page with the absolute one on hover, or the other way round where both matter.

use crate::model::{Lang, Zone, time};
use crate::words;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// What is needed to tell a time: the reader's language, the zone, and what the clock says now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock<'a> {
    pub lang: Lang,
    pub zone: &'a Zone,
    pub now: DateTime<Utc>,
}

impl Clock<'_> {
    /// `2026-11-29 15:55:04 UTC+8`.
    pub fn absolute(&self, at: DateTime<Utc>) -> String {
        let local = self.zone.local(at);
        format!("{} {}", local.format("%Y-%m-%d %H:%M:%S"), offset(local.offset().local_minus_utc()))
    }

    /// `15:55:04` today, with its date on any other day.
    pub fn short(&self, at: DateTime<Utc>) -> String {
        let local = self.zone.local(at);
        let today = local.date_naive() == self.zone.local(self.now).date_naive();
        local.format(if today { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" }).to_string()
    }

    pub fn age_ms(&self, at: DateTime<Utc>) -> i64 {
        (self.now - at).num_milliseconds()
    }

    /// `47 min ago`, ticking once the page is hydrated.
    pub fn ago(&self, at: DateTime<Utc>) -> AnyView {
        let text = words::ago(self.lang, self.age_ms(at));
        view! { <time datetime=time::text(at) title=self.title(at) data-tick="ago">{text}</time> }.into_any()
    }

    pub fn is_future(&self, at: DateTime<Utc>) -> bool {
        words::measure::is_future(self.age_ms(at))
    }

    /// The absolute time; of what should be past and is not, also the usual reason.
    fn title(&self, at: DateTime<Utc>) -> String {
        let absolute = self.absolute(at);
        match self.is_future(at) {
            true => words::join(self.lang, &[&absolute, words::record::in_future(self.lang)]),
            false => absolute,
        }
    }

    /// `in 12 s`; what is due or past says so by `None`.
    pub fn until(&self, at: DateTime<Utc>) -> Option<String> {
        let left = -self.age_ms(at);
        (left >= 1_000).then(|| words::measure::in_text(self.lang, words::measure::age(self.lang, left)))
    }
}

// What no island shows.
#[cfg(feature = "ssr")]
impl Clock<'_> {
    /// `UTC+8`, as it holds now.
    pub fn zone_offset(&self) -> String {
        offset(self.zone.local(self.now).offset().local_minus_utc())
    }

    /// `47 min`, ticking.
    pub fn age(&self, at: DateTime<Utc>) -> AnyView {
        let text = words::measure::age(self.lang, self.age_ms(at));
        view! { <time datetime=time::text(at) title=self.title(at) data-tick="age">{text}</time> }.into_any()
    }

    /// `15:55:04`, the whole of it on hover.
    pub fn at(&self, at: DateTime<Utc>) -> AnyView {
        view! { <time datetime=time::text(at) title=self.absolute(at)>{self.short(at)}</time> }.into_any()
    }

    /// Both: `15:55:04 47 min ago`.
    pub fn both(&self, at: DateTime<Utc>) -> AnyView {
        view! { {self.at(at)}" "<span class="t3">{self.ago(at)}</span> }.into_any()
    }
}

/// `UTC+8`, `UTC+5:30`, `UTC`.
fn offset(seconds: i32) -> String {
    let (sign, minutes) = (if seconds < 0 { '-' } else { '+' }, seconds.abs() / 60);
    match (minutes / 60, minutes % 60) {
        (0, 0) => "UTC".into(),
        (hours, 0) => format!("UTC{sign}{hours}"),
        (hours, minutes) => format!("UTC{sign}{hours}:{minutes:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, offset};
    use crate::model::{Lang, Zone};

    #[test]
    fn offsets_are_short() {
        assert_eq!([0, 28_800, 19_800, -12_600].map(offset), ["UTC", "UTC+8", "UTC+5:30", "UTC-3:30"]);
    }

    #[test]
    fn another_day_has_its_date() {
        let zone = Zone { name: "Asia/Shanghai".into(), offsets: vec![(0, 28_800)] };
        let now = chrono::DateTime::from_timestamp(1_796_000_000, 0).unwrap();
        let clock = Clock { lang: Lang::En, zone: &zone, now };
        assert_eq!(clock.short(now).len(), "15:55:04".len());
        assert_eq!(clock.short(now - chrono::TimeDelta::days(1)).len(), "2026-11-29 15:55:04".len());
    }
}
