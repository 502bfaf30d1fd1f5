//! Each figure explains itself.

use super::LANGS;
use super::fixture::{self, Case, context};
use super::render::{page, part};
use app::model::{Lang, Strategy, Theme};
use app::pages;
use std::collections::BTreeSet;

fn overview(lang: Lang, data: &pages::overview::Data) -> String {
    let ctx = context(lang, Theme::System, "overview");
    page("overview-explained", &ctx, &pages::overview::title(&ctx, data), || pages::overview::view(&ctx, data))
}

/// What each question mark of a page opens.
fn opened(html: &str) -> Vec<String> {
    html.split("popovertarget=\"").skip(1).map(|rest| rest[..rest.find('"').unwrap()].to_owned()).collect()
}

#[test]
fn every_tile_and_chart_has_a_question_mark_of_its_own() {
    for lang in LANGS {
        let mut shown = vec![overview(lang, &fixture::overview(Case::Calm))];
        let ctx = context(lang, Theme::System, "locks");
        let data = fixture::locks(Case::Calm);
        shown
            .push(page("locks-explained", &ctx, &pages::locks::title(&ctx, &data), || pages::locks::view(&ctx, &data)));
        let ctx = context(lang, Theme::System, "brokers");
        let data = fixture::streams();
        let title = pages::brokers::title(&ctx, &data);
        shown.push(page("brokers-explained", &ctx, &title, || pages::brokers::view(&ctx, &data)));
        for (html, figures) in shown.iter().zip([14 + 6, 5 + 1, 5 + 1]) {
            let ids = opened(html);
            assert_eq!(ids.len(), figures, "{ids:?}");
            assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), figures, "one of its own each: {ids:?}");
            for id in &ids {
                let explained = part(html, &format!("id=\"{id}\""), "</dl>");
                assert_eq!(explained.matches("<dd>").count(), 2, "how, and what it cannot see: {explained}");
                assert!(!explained.contains("<dd></dd>") && !explained.contains("<p></p>"), "{explained}");
            }
        }
    }
}

#[test]
fn what_cannot_be_seen_is_said_of_this_source() {
    let blind = |html: &str, id: &str| {
        let explained = part(html, &format!("id=\"about-{id}\""), "</dl>");
        explained.rsplit("<dd>").next().unwrap().to_owned()
    };
    let mut data = fixture::overview(Case::Calm);
    assert!(blind(&overview(Lang::En, &data), "failed").contains("between two readings"));
    if let Some(body) = &mut data.records.body {
        body.strategy = Strategy::Bounded;
    }
    if let Some(body) = data.signals.as_mut().and_then(|panel| panel.body.as_mut()) {
        body.reported_at = None;
    }
    (data.locks, data.brokers) = (None, Vec::new());
    let html = overview(Lang::En, &data);
    assert!(blind(&html, "failed").contains("All but the newest rows"));
    assert!(blind(&html, "ages").contains("All but the newest rows"));
    assert!(blind(&html, "locks-held").contains("No locks are configured"));
    assert!(blind(&html, "ready").contains("No broker is configured"));
    assert!(blind(&html, "interception").contains("That is not zero, it is not known."));
    data.records.body = None;
    assert!(blind(&overview(Lang::En, &data), "aging-line").contains("Nothing was read yet"));
}
