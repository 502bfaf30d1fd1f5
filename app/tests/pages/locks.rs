//! What the Locks page says of filters, kinds and times.

use crate::fixture::{self, Case, context};
use crate::render::{page, part};
use app::model::{Fault, Lang, Layer, LockState, LocksFilter, LocksPanel, LocksQuery, Theme, WhyNot};
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
fn a_handling_time_says_whether_it_was_measured() {
    for (lang, reported, estimated) in [
        (Lang::En, "reported, 400 in the last hour", "estimated from 400 records"),
        (Lang::Zh, "已上报，最近一小时 400 次", "由 400 条记录估算"),
    ] {
        let shown = html(lang, "measured", &fixture::locks(Case::Degraded));
        // Behind the head of the page's last table.
        let fits = shown.rsplit("<thead>").next().unwrap();
        let row = |of: &str| part(fits, of, "</tr>").to_owned();
        assert!(row("ORDER_DONE").contains(reported) && !row("ORDER_DONE").contains('≈'));
        assert!(
            row("REFUND_DONE").contains(estimated) && row("REFUND_DONE").contains("≈\u{a0}9"),
            "{}",
            row("REFUND_DONE")
        );
    }
}

#[test]
fn more_than_a_page_of_one_state_goes_on() {
    let shown = html(Lang::En, "more", &fixture::locks(Case::Degraded));
    let ways = part(&shown, "aria-label=\"More locks\"", "</nav>");
    assert!(ways.contains("href=\"/s/points/locks?state=held\"") && ways.contains("All 326 held"), "{ways}");
    assert!(!ways.contains("state=unknown"), "all of them are shown: {ways}");

    let held = LocksFilter { state: Some(LockState::Held), ..LocksFilter::default() };
    let mut first = fixture::locks_listed(Case::Degraded, held);
    first.panel.as_mut().unwrap().body.as_mut().unwrap().next = Some("never.l:1&2".into());
    let shown = html(Lang::En, "next", &first);
    assert!(part(&shown, "aria-label=\"More locks\"", "</nav>").contains("?state=held&amp;after=never.l%3A1%262"));
    assert!(shown.contains("data-newer=\"locks\"") && shown.contains("data-row=\"held "), "{shown}");
    first.query = LocksQuery::read(Some("held"), None, None, Some("never.l:1")).unwrap();
    let shown = html(Lang::En, "last", &first);
    assert!(part(&shown, "aria-label=\"More locks\"", "</nav>").contains("href=\"/s/points/locks?state=held\""));
    assert!(!shown.contains("data-newer"), "only the first page is watched");
}

#[test]
fn a_filter_leaves_its_rows_and_says_when_there_are_none() {
    let filtered = |filter| fixture::locks_listed(Case::Degraded, filter);
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
