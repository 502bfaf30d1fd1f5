//! Icons: one sprite of 16 px strokes, written into the page, and references to it.

use leptos::prelude::*;

macro_rules! icons {
    ($($name:ident $id:literal $path:literal)+) => {
        /// Shapes have meanings that never change: see each state's pill.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub(crate) enum Icon { $($name),+ }

        impl Icon {
            fn href(self) -> &'static str {
                match self { $(Self::$name => concat!("#i-", $id)),+ }
            }
        }

        #[cfg(feature = "ssr")]
        /// All symbols, and the hatching that charts fill gaps with.
        const SPRITE: &str = concat!(
            "<defs>",
            $("<symbol id=\"i-", $id, "\" viewBox=\"0 0 16 16\">", $path, "</symbol>",)+
            r#"<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">"#,
            r#"<rect class="hatch-bg" width="6" height="6"/><line class="hatch-line" x1="0" x2="0" y1="0" y2="6"/></pattern></defs>"#,
        );
    };
}

icons! {
    Archive "archive" r#"<rect x="2" y="3" width="12" height="3.2" rx="1"/><path d="M3.2 6.2v6.3a1 1 0 0 0 1 1h7.6a1 1 0 0 0 1-1V6.2M6.5 9h3"/>"#
    Audit "audit" r#"<path d="M3.5 1.8h6.7l2.6 2.7v9.7H3.5zM6 7.2h4.5M6 10h4.5"/>"#
    Bare "bare" r#"<path d="M8 1.6 13.3 3.5v4.2c0 3.2-2.2 5.5-5.3 6.7-3.1-1.2-5.3-3.5-5.3-6.7V3.5zM8 5v3.6M8 11v.1"/>"#
    Broker "broker" r#"<path d="M1.5 8h3.2M11.3 8h3.2M12.8 6.3 14.5 8l-1.7 1.7"/><rect x="4.7" y="4" width="2.6" height="8" rx="1"/><rect x="8.7" y="4" width="2.6" height="8" rx="1"/>"#
    Busy "busy" r#"<circle cx="8" cy="8" r="6.25"/><path d="M8 1.75a6.25 6.25 0 0 1 0 12.5z" fill="currentColor"/>"#
    Chain "chain" r#"<path d="M6.6 9.4a2.6 2.6 0 0 0 3.7 0l2.4-2.4A2.6 2.6 0 0 0 9 3.3l-.9.9M9.4 6.6a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.9-.9"/>"#
    Check "check" r#"<path d="m3.3 8.5 3 3 6.4-7"/>"#
    Clock "clock" r#"<circle cx="8" cy="8" r="6.25"/><path d="M8 4.5V8l2.4 1.6"/>"#
    Copy "copy" r#"<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M3.5 10.5h-.2a.8.8 0 0 1-.8-.8V3.3a.8.8 0 0 1 .8-.8h6.4a.8.8 0 0 1 .8.8v.2"/>"#
    Crit "crit" r#"<path d="M5.3 1.75h5.4l3.55 3.55v5.4l-3.55 3.55H5.3L1.75 10.7V5.3z"/><path d="M8 4.8v4M8 11v.1"/>"#
    Csv "csv" r#"<path d="M8 2.5v7.5M4.8 7.2 8 10.3l3.2-3.1M2.8 13.3h10.4"/>"#
    Dead "dead" r#"<path d="M5.3 1.75h5.4l3.55 3.55v5.4l-3.55 3.55H5.3L1.75 10.7V5.3z"/><path d="m6 6 4 4M10 6l-4 4"/>"#
    Down "down" r#"<path d="m4 6.2 4 4 4-4"/>"#
    Failed "failed" r#"<circle cx="8" cy="8" r="6.25"/><path d="m5.8 5.8 4.4 4.4M10.2 5.8l-4.4 4.4"/>"#
    Forever "forever" r#"<path d="M8 8c-1.2-1.7-2.3-2.5-3.5-2.5a2.5 2.5 0 0 0 0 5c1.2 0 2.3-.8 3.5-2.5s2.3-2.5 3.5-2.5a2.5 2.5 0 0 1 0 5c-1.2 0-2.3-.8-3.5-2.5z"/>"#
    Globe "globe" r#"<circle cx="8" cy="8" r="6.25"/><path d="M1.9 8h12.2M8 1.8c2.1 1.9 2.8 4 2.8 6.2S10.1 12.3 8 14.2C5.9 12.3 5.2 10.2 5.2 8S5.9 3.7 8 1.8z"/>"#
    Info "info" r#"<circle cx="8" cy="8" r="6.25"/><path d="M8 7.3v3.7M8 5v.1"/>"#
    Key "key" r#"<circle cx="5.3" cy="10.7" r="2.8"/><path d="m7.4 8.6 5.8-5.8M10.6 5.4l1.9 1.9"/>"#
    Lock "lock" r#"<rect x="3" y="7" width="10" height="6.5" rx="1.5"/><path d="M5.25 7V5a2.75 2.75 0 0 1 5.5 0v2"/>"#
    Moon "moon" r#"<path d="M13 9.8A5.6 5.6 0 0 1 6.2 3a5.6 5.6 0 1 0 6.8 6.8z"/>"#
    Next "next" r#"<path d="m6 3.5 4.5 4.5L6 12.5"/>"#
    Off "off" r#"<circle cx="8" cy="8" r="6.25"/><path d="m3.6 12.4 8.8-8.8"/>"#
    Ok "ok" r#"<circle cx="8" cy="8" r="6.25"/><path d="m5.3 8.2 1.9 1.9 3.6-4"/>"#
    Once "once" r#"<circle cx="8" cy="8" r="6.25"/><path d="M6.2 6.2 8.3 5v6.2"/>"#
    Ops "ops" r#"<path d="M2.5 4h6M2.5 8h4M2.5 12h4M9.5 7.5v5.5l4.3-2.75z"/>"#
    Orphan "orphan" r#"<circle cx="8" cy="8" r="6.25" stroke-dasharray="2.4 2.2"/><path d="M6.2 8h3.6"/>"#
    Overview "overview" r#"<path d="M2.5 13.5v-5M6.2 13.5v-11M9.8 13.5V6M13.5 13.5v-4"/>"#
    Pause "pause" r#"<path d="M5.5 3.5v9M10.5 3.5v9"/>"#
    Prev "prev" r#"<path d="M10 3.5 5.5 8l4.5 4.5"/>"#
    Records "records" r#"<rect x="2" y="2.75" width="12" height="10.5" rx="1.5"/><path d="M2 6.25h12M2 9.75h12M6 6.25v7"/>"#
    Retry "retry" r#"<path d="M13.2 8a5.2 5.2 0 1 1-1.6-3.75M13.3 2v3h-3"/>"#
    Scan "scan" r#"<path d="M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M4.5 8h7"/>"#
    Search "search" r#"<circle cx="7" cy="7" r="4.25"/><path d="m10.2 10.2 3.3 3.3"/>"#
    Settings "settings" r#"<path d="M2 5h7M12.5 5H14M2 11h1.5M7 11h7"/><circle cx="10.7" cy="5" r="1.7"/><circle cx="5.2" cy="11" r="1.7"/>"#
    Shield "shield" r#"<path d="M8 1.8 13 3.7v4c0 3-2.1 5.3-5 6.5-2.9-1.2-5-3.5-5-6.5v-4z"/>"#
    Stop "stop" r#"<rect x="3.5" y="3.5" width="9" height="9" rx="1.5"/>"#
    Sun "sun" r#"<circle cx="8" cy="8" r="2.8"/><path d="M8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M12.5 3.5l-.8.8M4.3 11.7l-.8.8"/>"#
    Theme "theme" r#"<circle cx="8" cy="8" r="6.25"/><path d="M8 1.75a6.25 6.25 0 0 0 0 12.5z" fill="currentColor"/>"#
    Unknown "unknown" r#"<circle cx="8" cy="8" r="6.25" stroke-dasharray="2.4 2.2"/><path d="M6.3 6.4a1.8 1.8 0 1 1 2.5 1.7c-.6.3-.8.6-.8 1.2M8 11.3v.1"/>"#
    Up "up" r#"<path d="M8 13.2V3M3.8 7.2 8 3l4.2 4.2"/>"#
    Warn "warn" r#"<path d="M8 2 14.5 13.5h-13zM8 6.3v3.4M8 11.5v.1"/>"#
    X "x" r#"<path d="m4.5 4.5 7 7M11.5 4.5l-7 7"/>"#
}

#[cfg(feature = "ssr")]
/// Once in each page, at its top.
pub(crate) fn sprite() -> impl IntoView {
    view! { <svg width="0" height="0" class="sr" aria-hidden="true" inner_html=SPRITE></svg> }
}

#[cfg(feature = "ssr")]
/// Beside a word: hidden from screen readers.
pub(crate) fn icon(icon: Icon) -> AnyView {
    classed(icon, "icon")
}

/// 14 px, in lines of small text. `tone` is a class such as `warn`, or empty.
pub(crate) fn small_icon(icon: Icon, tone: &str) -> AnyView {
    classed(icon, format!("icon icon--s {tone}").trim_end())
}

pub(crate) fn classed(icon: Icon, class: &str) -> AnyView {
    view! { <svg class=class.to_owned() aria-hidden="true"><use_ href=icon.href()/></svg> }.into_any()
}

#[cfg(feature = "ssr")]
/// Where no word stands beside it: its meaning is read out.
pub(crate) fn speaking_icon(icon: Icon, class: &str, meaning: String) -> AnyView {
    view! { <svg class=class.to_owned() role="img" aria-label=meaning><use_ href=icon.href()/></svg> }.into_any()
}
