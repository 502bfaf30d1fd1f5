//! What the Locks page says of filters, kinds and times.

use crate::fixture::{self, Case, context};
use crate::render::{page, part};
use app::model::{Fault, Lang, Layer, LockState, LocksFilter, LocksPanel, Theme, WhyNot};
use app::pages::locks;

fn html(lang: Lang, name: &str, data: &locks::Data) -> String {
    let ctx = context(lang, Theme::System, "locks");
    page(&format!("locks-{name}"), &ctx, &locks::title(&ctx, data), || locks::view(&ctx, data))
}

fn with(change: impl FnOnce(&mut LocksPanel)) -> locks::Data {
    let mut data = fixture::locks(Case::Degraded);
    change(data.panel.as_mut().unwrap().body.as_mut().unwrap());
    data
}

#[test]
fn a_ttl_that_does_not_fit_says_what_would() {
    for (lang, said) in [
        (Lang::En, ["too short: raise to 40", "tight: the slowest took 10", "fits", "a dead worker blocks for 5"]),
        (Lang::Zh, ["太短：提高到 40", "偏紧：最慢的用了 10", "合适", "消费者退出后会阻塞 5"]),
    ] {
        let shown = html(lang, "fit", &fixture::locks(Case::Degraded));
        for said in said {
            assert!(shown.contains(said), "{said}: {shown}");
        }
    }
}

#[test]
fn a_filter_leaves_its_rows_and_says_when_there_are_none() {
    let filtered = |filter| locks::Data { filter, ..fixture::locks(Case::Degraded) };
    let orphans = LocksFilter { state: Some(LockState::Orphan), ..LocksFilter::default() };
    let shown = html(Lang::En, "orphans", &filtered(orphans));
    let rows = part(&shown, "<tbody>", "</tbody>");
    assert!(rows.contains("u881204") && !rows.contains("R20261128-0071"), "{rows}");
    let chips = part(&shown, "class=\"chips\"", "</nav>");
    assert!(chips.contains("<b>8</b>"), "counts stay those of all: {chips}");
    let text = LocksFilter { text: Some("<b>\"x".into()), ..LocksFilter::default() };
    let shown = html(Lang::En, "no-match", &filtered(text));
    assert!(shown.contains("No lock matches") && !shown.contains("value=\"<b>"), "{shown}");
    assert!(!part(&shown, "class=\"chips\"", "</nav>").contains("<b>8</b>"), "beside another filter they would lie");
}

#[test]
fn what_nobody_owns_is_shown_without_a_form() {
    for (lang, said) in [(Lang::En, "Locks of this kind have no owner."), (Lang::Zh, "这种锁没有持有者。")] {
        let data = with(|body| {
            body.kind = "counter".into();
            for row in &mut body.rows {
                (row.lock.owner, row.count) = (None, Some(3));
                row.not_releasable = Some(WhyNot::NoOwner);
            }
        });
        let shown = html(lang, "counter", &data);
        assert!(shown.contains(said));
        assert!(!shown.contains("/locks/release"));
    }
}

#[test]
fn a_search_that_stands_still_says_why() {
    let shown = html(Lang::En, "slow", &with(|body| body.scan_slow_ms = Some(150)));
    assert!(shown.contains("The search stands still: Redis took 150"), "{shown}");
    let fault = Fault::TimedOut { layer: Layer::Lock, after_ms: 3_000 };
    let shown = html(Lang::En, "problem", &with(|body| body.problems = vec![fault]));
    assert!(shown.contains("Not everything could be read."), "{shown}");
}
