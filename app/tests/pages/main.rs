//! Pages as HTML, without a server: what they must say, and what they must never say. Each rendering is also written to
//! the target's temporary folder with its styles, so that it can be looked at.
#![allow(clippy::unwrap_used, reason = "a test may fail by it")]
#![cfg(feature = "ssr")]

mod explain;
mod fixture;
mod locks;
mod operations;
mod overview;
mod render;
mod trail;

use app::model::{Freshness, Health, Lang, Problem, Role, SourceHead, Strategy, Theme};
use app::pages::{self, brokers, fault, link, lookup, records, settings, signin};
use fixture::{Case, context, now};
use render::{bare, page};
use std::collections::HashSet;

const LANGS: [Lang; 2] = [Lang::En, Lang::Zh];

fn overview_html(lang: Lang, case: Case) -> String {
    let ctx = context(lang, Theme::System, "overview");
    let data = fixture::overview(case);
    page(&format!("overview-{case:?}"), &ctx, &pages::overview::title(&ctx, &data), || {
        pages::overview::view(&ctx, &data)
    })
}

fn lookup_html(lang: Lang, name: &str, data: &lookup::Data) -> String {
    let ctx = context(lang, Theme::Dark, "records/00");
    page(&format!("lookup-{name}"), &ctx, &lookup::title(&ctx, data), || lookup::view(&ctx, data))
}

#[test]
fn every_page_is_in_the_readers_language() {
    for lang in LANGS {
        let html = overview_html(lang, Case::Degraded);
        assert!(html.contains(&format!("<html lang=\"{}\"", lang.tag())), "{}", &html[..200]);
        let (said, other) = match lang {
            Lang::En => ("Needs attention", "需要处理"),
            Lang::Zh => ("需要处理", "Needs attention"),
        };
        assert!(html.contains(said));
        assert!(!html.contains(other));
    }
}

#[test]
fn unreachable_is_never_shown_as_zero() {
    for lang in LANGS {
        let html = overview_html(lang, Case::Blind);
        let tiles = render::part(&html, "class=\"tiles", "</section>");
        assert_eq!(tiles.matches("dashval").count(), 14, "each figure is a dash: {tiles}");
        for zero in [">0<", ">0 <"] {
            assert!(!tiles.contains(zero), "{tiles}");
        }
        let ctx = context(lang, Theme::System, "locks");
        let data = fixture::locks(Case::Blind);
        let html = page("locks-Blind", &ctx, &pages::locks::title(&ctx, &data), || pages::locks::view(&ctx, &data));
        assert_eq!(html.matches("dashval").count(), 5);
        let ctx = context(lang, Theme::System, "brokers");
        let data = fixture::brokers(Case::Blind);
        let html = page("brokers-Blind", &ctx, &brokers::title(&ctx, &data), || brokers::view(&ctx, &data));
        assert_eq!(
            render::part(&html, "class=\"tiles", "</section>").matches("dashval").count(),
            4,
            "only the number of brokers is known"
        );
    }
}

#[test]
fn groups_of_streams_say_what_is_not_known_and_what_is_only_a_part() {
    for lang in LANGS {
        let ctx = context(lang, Theme::System, "brokers");
        let data = fixture::streams();
        let html = page("brokers-Streams", &ctx, &brokers::title(&ctx, &data), || brokers::view(&ctx, &data));
        let row = |name: &str| render::part(&html, &format!("{name}</bdi>"), "</tr>").to_owned();
        assert!(html.contains("Redis Streams") && html.contains("cache:6379/1"));
        assert!(row("points-member").contains(">14<") && row("points-member").contains(">44<"));
        let (unknown, nothing, chart) = match lang {
            Lang::En => (
                "not known",
                "No stream, or no group of it, matches callback_event/points-*.",
                "Of 1,241 pending entries 144 were delivered more than once, at most 14 times.",
            ),
            Lang::Zh => (
                "未知",
                "没有流或消费组匹配 callback_event/points-*。",
                "1,241 条待确认条目中有 144 条投递过多次，最多 14 次。",
            ),
        };
        assert!(row("points-refund").contains(unknown), "a lag that Redis does not know is no zero");
        assert!(row("points-order").contains("≥\u{a0}100"), "a part was looked at");
        assert!(html.contains(nothing));
        assert!(html.contains(chart));
    }
}

#[test]
fn nothing_read_yet_is_not_healthy() {
    let html = overview_html(Lang::En, Case::Waiting);
    assert!(!html.contains("pill--ok"), "nothing is known, so nothing is fine");
    assert!(html.contains("not read yet"));
    assert!(html.contains("Nothing can be said yet"));
}

#[test]
fn a_calm_source_says_so() {
    for lang in LANGS {
        let html = overview_html(lang, Case::Calm);
        assert!(html.contains("pill--ok"));
        assert!(!html.contains("tile--crit"));
        assert!(!html.contains("tile--warn"));
    }
}

#[test]
fn a_stale_figure_says_how_old_it_is() {
    let html = overview_html(Lang::En, Case::Stale);
    assert!(html.contains("12\u{a0}min old"), "{html}");
    assert_eq!(fixture::overview(Case::Stale).records.freshness(now()), Freshness::Stale);
    assert!(!html.contains("tile--crit"), "an old figure lights nothing");
}

#[test]
fn a_hostile_key_is_only_text() {
    for lang in LANGS {
        for (name, key) in fixture::HOSTILE_KEYS {
            let data = fixture::lookup_of(name, key);
            let html = lookup_html(lang, &format!("hostile-{name}"), &data);
            assert!(!html.contains("<script>alert"), "{name}");
            assert!(!render::attributes(&html).contains("onmouseover"), "{name}");
            let ctx = context(lang, Theme::System, "records");
            let data = fixture::records(key);
            let html =
                page(&format!("records-{name}"), &ctx, &records::title(&ctx, &data), || records::view(&ctx, &data));
            assert!(!html.contains("<script>alert"), "{name}");
            assert!(!render::attributes(&html).contains("onmouseover"), "{name}");
        }
    }
}

#[test]
fn each_verdict_has_words_and_offers_only_what_is_allowed() {
    for lang in LANGS {
        for (name, data) in fixture::lookups() {
            let html = lookup_html(lang, name, &data);
            assert!(html.contains("verdict__title"), "{name}");
            let may = html.contains("/locks/release\"");
            assert_eq!(may, name == "orphan", "{name}: the release form stands only where it is allowed");
        }
    }
}

#[test]
fn a_viewer_gets_no_form_that_changes_something() {
    let mut ctx = context(Lang::En, Theme::System, "locks");
    ctx.viewer.role = Role::Viewer;
    let data = fixture::locks(Case::Degraded);
    let html = page("locks-viewer", &ctx, &pages::locks::title(&ctx, &data), || pages::locks::view(&ctx, &data));
    assert!(!html.contains("/locks/release"));
    assert!(html.contains("Your role does not allow it"));
}

#[test]
fn release_forms_carry_what_was_shown_and_an_id_of_their_own() {
    let ctx = context(Lang::En, Theme::Light, "locks");
    let data = fixture::locks(Case::Degraded);
    let html = page("locks-Degraded", &ctx, &pages::locks::title(&ctx, &data), || pages::locks::view(&ctx, &data));
    let ids: Vec<&str> =
        html.match_indices("name=\"operation_id\" value=\"").map(|(at, _)| &html[at..at + 40]).collect();
    let unique: HashSet<_> =
        html.split("name=\"operation_id\" value=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(ids.len() > 1);
    assert_eq!(ids.len(), unique.len());
    assert!(html.contains("name=\"form_token\" value=\"token-of-this-session\""));
}

#[test]
fn lists_say_how_far_they_looked() {
    let ctx = context(Lang::En, Theme::System, "records?status=failed");
    for (name, data, said) in fixture::record_lists() {
        let html = page(&format!("records-{name}"), &ctx, &records::title(&ctx, &data), || records::view(&ctx, &data));
        assert!(html.contains(said), "{name}: {html}");
        let box_ = render::part(&html, "name=\"type\"", ">");
        assert!(box_.contains("value=\"ORDER_DONE\""), "{name}: sending the box again keeps its type: {box_}");
        let (ends, reasons) = (html.matches("aria-disabled").count(), html.matches("aria-describedby").count());
        assert_eq!(ends, reasons, "{name}: what leads nowhere says why");
    }
}

#[test]
fn each_term_of_a_search_has_its_way_out_and_survives_the_next() {
    let ctx = context(Lang::En, Theme::System, "records");
    let data = fixture::searched("status:failed type:\"A B\" key:2023* age:>10m owner:\"</b>*\"");
    let html = page("records-searched", &ctx, &records::title(&ctx, &data), || records::view(&ctx, &data));
    let links: Vec<&str> =
        html.match_indices("class=\"filter__remove\"").map(|(at, _)| render::part(&html[at..], "", "</a>")).collect();
    assert_eq!(links.len(), 5);
    for (what, without) in [
        ("Remove age:&gt;10m", "?status=failed&amp;type=A%20B&amp;q=key%3A2023%2A%20owner%3A%22%3C%2Fb%3E%2A%22"),
        ("Remove status:failed", "records?type=A%20B&amp;q="),
    ] {
        let at = html.find(what).unwrap_or_else(|| panic!("{what}: {html}"));
        let before = &html[..at];
        let link = &html[before.rfind("<a").unwrap()..at];
        assert!(link.contains(without), "{what}: {link}");
    }
    let form = render::part(&html, "class=\"filter__box\"", "</form>");
    assert_eq!(form.matches("type=\"hidden\"").count(), 3, "status, type and the rest are sent again");
    assert!(!html.contains("</b>*"), "{html}");
    assert!(html.contains("No record matches status:failed"), "{html}");
}

#[test]
fn a_search_that_cannot_be_read_stays_in_the_box_and_says_what_is_accepted() {
    for (lang, said) in [(Lang::En, "at character 5, “ten”"), (Lang::Zh, "从第 5 个字符“ten”起无法识别")]
    {
        let ctx = context(lang, Theme::System, "records");
        let data = fixture::mistyped("age:ten");
        let html = page("records-mistyped", &ctx, &records::title(&ctx, &data), || records::view(&ctx, &data));
        assert!(html.contains(said) && html.contains("10m..1h"), "{html}");
        let box_ = render::part(&html, "<input type=\"text\"", ">");
        assert!(box_.contains("value=\"age:ten\"") && box_.contains("aria-invalid=\"true\""), "{box_}");
        assert!(html.contains("id=\"search-bad\""), "what the box is described by");
    }
}

#[test]
fn a_code_that_nobody_mapped_is_shown_as_it_is_stored() {
    for (lang, title) in [(Lang::En, "stored as 77"), (Lang::Zh, "存储值 77")] {
        let ctx = context(lang, Theme::System, "records");
        let mut data = fixture::records("k");
        if let Ok(page) = &mut data.list {
            page.items[0].record.status = app::model::Status::Unmapped;
            page.items[0].code = Some("77".into());
            page.items[1].code = Some("3".into());
        }
        let html = page("records-unmapped-code", &ctx, &records::title(&ctx, &data), || records::view(&ctx, &data));
        assert!(html.contains(title), "{html}");
        assert!(!html.contains("stored as 3") && !html.contains("存储值 3"), "only where it says something");
    }
}

#[test]
fn a_time_in_the_future_is_no_age_of_zero() {
    for (lang, said, why) in [(Lang::En, ">in 8\u{a0}h<", "in the future"), (Lang::Zh, ">8\u{a0}小时后<", "时区")]
    {
        let ctx = context(lang, Theme::System, "records");
        let mut data = fixture::records("k");
        if let Ok(page) = &mut data.list {
            page.items = vec![fixture::row("ahead", app::model::Status::Processing, -8 * 3_600)];
        }
        let html = page("records-future", &ctx, &records::title(&ctx, &data), || records::view(&ctx, &data));
        assert!(html.contains(said) && html.contains(why), "{html}");
    }
}

#[test]
fn a_record_without_a_key_says_so_and_offers_nothing_to_copy() {
    for lang in LANGS {
        let mut data = fixture::lookup_of("none", "");
        if let lookup::Found::Key(lookup) = &mut data.found {
            lookup.records.iter_mut().for_each(|row| row.record.key = None);
        }
        let html = lookup_html(lang, "no-key", &data);
        let said = if lang == Lang::En { "<h1>no key" } else { "<h1>没有业务键" };
        assert!(html.contains(said) && !html.contains("data-copy"), "{html}");
    }
}

/// Names of what a screen reader lists as places of a page.
fn landmarks(html: &str) -> Vec<&str> {
    html.split("role=\"region\" aria-label=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn no_two_places_of_a_page_have_the_same_name() {
    for lang in LANGS {
        let ctx = context(lang, Theme::System, "settings");
        let mut data = fixture::settings();
        let ddl = "CREATE INDEX ix ON t (k)".to_owned();
        data.sources[1].problems =
            vec![Problem::NoUniqueIndex { suggested_ddl: ddl.clone() }, Problem::NoKeyIndex { suggested_ddl: ddl }];
        let html = page("settings-ddl", &ctx, &settings::title(&ctx, &data), || settings::view(&ctx, &data));
        for html in [html, overview_html(lang, Case::Degraded)] {
            let names = landmarks(&html);
            assert!(names.len() > 1);
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
        }
    }
}

#[test]
fn settings_show_what_is_missing_and_what_that_hides() {
    for lang in LANGS {
        let ctx = context(lang, Theme::System, "settings");
        let data = fixture::settings();
        let html = page("settings", &ctx, &settings::title(&ctx, &data), || settings::view(&ctx, &data));
        assert!(html.contains("ADD UNIQUE INDEX"));
        let unknown = render::part(&html, "#payment_callback", "</tr>");
        assert!(unknown.contains("with-icon mute"), "nothing was looked at: {unknown}");
        assert!(html.contains("data-copy=\"oncewatch check --config /etc/oncewatch/oncewatch.toml\""));
    }
}

#[test]
fn no_problem_is_said_only_of_what_was_looked_at() {
    let ctx = context(Lang::En, Theme::System, "settings");
    let show = |name: &str, data: &settings::Data| {
        page(&format!("settings-{name}"), &ctx, &settings::title(&ctx, data), || settings::view(&ctx, data))
    };
    let mut data = fixture::settings();
    data.sources.truncate(1);
    data.sources[0].problems.clear();
    assert!(!show("unseen", &data).contains("No problem"), "its brokers were not asked yet");
    data.sources[0].head = SourceHead {
        records: Health::Reachable,
        locks: Health::Reachable,
        broker: Health::NotConfigured,
        ..data.sources[0].head.clone()
    };
    assert!(show("seen", &data).contains("No problem"));
    let body = data.sources[0].records.body.as_mut().unwrap();
    (body.strategy, body.pass) = (Strategy::Bounded, None);
    assert!(show("bounded", &data).contains("not possible: only the newest rows are read"));
    data.sources.clear();
    let html = show("none", &data);
    assert!(!html.contains("pill--ok") && html.contains("No source is configured"));
}

#[test]
fn who_reports_and_what_is_missing_is_told_of_each_source() {
    for (lang, said) in [
        (Lang::En, ["Redis hashes idem_stat:points:", "No reports of COUPON", "No instance says", "order_event"]),
        (Lang::Zh, ["Redis 哈希 idem_stat:points:", "COUPON 没有上报", "没有实例声明在线", "order_event"]),
    ] {
        let ctx = context(lang, Theme::System, "settings");
        let show = |name: &str, data: &settings::Data| {
            page(&format!("settings-{name}"), &ctx, &settings::title(&ctx, data), || settings::view(&ctx, data))
        };
        let mut data = fixture::settings();
        data.sources.truncate(1);
        let html = show("reports", &data);
        for said in said {
            assert!(html.contains(said), "{said}");
        }
        let signals = data.sources[0].signals.as_mut().unwrap();
        (signals.prefix, signals.missing) = (None, Vec::new());
        let html = show("reports-http", &data);
        assert!(html.contains("POST /api/ingest"));
        assert!(html.contains(if lang == Lang::En { "Nothing is missing" } else { "没有缺失" }));
        data.sources[0].signals = None;
        assert!(show("reports-none", &data).contains("[source.signals]"));
    }
}

#[test]
fn pages_before_sign_in() {
    for lang in LANGS {
        for (name, data) in fixture::sign_ins() {
            let html = bare(&format!("signin-{name}"), lang, Theme::System, &signin::title(lang, &data), || {
                signin::view(lang, &data)
            });
            assert!(html.contains("action=\"/signin\""));
            assert!(!html.contains("<script"), "no script before sign-in");
        }
        for (name, data) in fixture::links() {
            let html =
                bare(&format!("link-{name}"), lang, Theme::Dark, &link::title(lang, &data), || link::view(lang, &data));
            assert_eq!(html.contains("action=\"/link/x\""), matches!(name, "setup" | "signin" | "short"), "{name}");
        }
        for (name, data) in fixture::faults() {
            let html = bare(&format!("fault-{name}"), lang, Theme::System, &fault::title(lang, &data), || {
                fault::view(lang, &data)
            });
            assert!(html.contains("href=\"/\""), "{name}: a way on");
        }
    }
}

#[test]
fn no_page_has_styles_or_handlers_of_its_own() {
    for case in [Case::Degraded, Case::Blind, Case::Waiting, Case::Calm, Case::Stale] {
        let html = overview_html(Lang::En, case);
        for forbidden in [" style=", " onclick=", "<style"] {
            assert!(!html.contains(forbidden), "{case:?}: {forbidden}");
        }
    }
}
