//! Plans and runs, and what is selected for them.

use crate::fixture::{self, context};
use crate::render::{page, part};
use app::model::*;
use app::pages::operation::{Data, Typed, Wrong};
use app::pages::{operation, operations, records};

const LANGS: [Lang; 2] = [Lang::En, Lang::Zh];

fn html(lang: Lang, name: &str, data: &Data) -> String {
    let ctx = context(lang, Theme::System, "operations/op-1");
    page(&format!("operation-{name}"), &ctx, &operation::title(&ctx, data), || operation::view(&ctx, data))
}

#[test]
fn every_reason_to_leave_a_record_alone_is_explained() {
    for lang in LANGS {
        let plan = fixture::plan_of(fixture::all_skips());
        let shown = html(lang, "reasons", &fixture::planned(plan));
        let reasons = part(&shown, "class=\"reasons\"", "</table>");
        assert_eq!(reasons.matches("class=\"why break\"").count(), fixture::all_skips().len());
        assert!(!reasons.contains("class=\"why break\"></span>"), "{reasons}");
    }
}

#[test]
fn a_plan_says_what_will_happen_and_whether_it_can_be_undone() {
    for (lang, said) in [
        (
            Lang::En,
            [
                "Retry: 31 of 37 records",
                "Retry 31 records",
                "by lin.wei",
                "the first 5 alone",
                "none: its next delivery",
            ],
        ),
        (Lang::Zh, ["重试：37 条记录中的 31 条", "重试 31 条记录", "lin.wei", "先行小批 5 条", "不能：下一次投递"]),
    ] {
        let shown = html(lang, "plan", &fixture::planned(fixture::plan()));
        for said in said {
            assert!(shown.contains(said), "{said}: {shown}");
        }
        assert!(shown.contains("/records?q=status%3Aprocessing"), "back to what was selected");
        assert!(!shown.contains("id=\"phrase\""), "a click is enough");
    }
}

#[test]
fn a_wrong_phrase_keeps_what_was_typed_and_says_so_at_the_field() {
    let mut data = fixture::planned(Plan { phrase: Some("retry 31".into()), ..fixture::plan() });
    let typed = Typed {
        reason: "member service </textarea><b>restored</b> &amp;".into(),
        phrase: "retry 13".into(),
        wrong: Wrong::Phrase,
    };
    data.typed = Some(typed);
    let shown = html(Lang::En, "wrong-phrase", &data);
    let field = part(&shown, "id=\"phrase\"", ">");
    assert!(field.contains("value=\"retry 13\"") && field.contains("aria-invalid=\"true\""), "{field}");
    let reason = part(&shown, "id=\"reason\"", "</textarea>");
    assert!(reason.contains(">member service &lt;/textarea&gt;&lt;b&gt;restored&lt;/b&gt; &amp;amp;"), "{reason}");
    assert!(shown.contains("id=\"phrase-wrong\"") && shown.contains("role=\"alert\""));
}

#[test]
fn nothing_eligible_and_nothing_fresh_are_not_confirmed() {
    for lang in LANGS {
        let nothing = fixture::planned(Plan { eligible: 0, sample: Vec::new(), ..fixture::plan() });
        let expired = fixture::planned(Plan { expired: true, ..fixture::plan() });
        let broken =
            Data::unplanned("points", "op-1", Some(Fault::TimedOut { layer: Layer::Records, after_ms: 3_000 }));
        for (name, data) in [("nothing", nothing), ("expired", expired), ("broken", broken)] {
            assert!(!html(lang, name, &data).contains("/confirm\""), "{name}");
        }
        let again = html(lang, "planning", &Data::unplanned("points", "op-1", None));
        assert!(again.contains("data-again=\"plan\"") && again.contains("http-equiv=\"refresh\""), "{again}");
    }
}

#[test]
fn a_viewer_confirms_and_steers_nothing() {
    let mut ctx = context(Lang::En, Theme::System, "operations/op-1");
    ctx.viewer.role = Role::Viewer;
    for data in [fixture::planned(fixture::plan()), fixture::ran("running"), fixture::ran("done")] {
        let shown = page("operation-viewer", &ctx, "", || operation::view(&ctx, &data));
        let main = part(&shown, "<main", "</main>");
        assert!(!main.contains("<form") && main.contains("aria-disabled=\"true\""), "{main}");
    }
}

#[test]
fn a_run_tells_how_far_it_is_and_what_may_be_done() {
    for lang in LANGS {
        for (state, ways, watched) in [
            ("waiting", ["/pause\"", "/stop\""].as_slice(), true),
            ("running", &["/pause\"", "/stop\""], true),
            ("paused", &["/resume\"", "/stop\""], true),
            ("done", &["/undo\""], false),
            ("stopped", &["/undo\""], false),
        ] {
            let shown = html(lang, state, &fixture::ran(state));
            let found: Vec<&str> =
                ["/pause\"", "/resume\"", "/stop\"", "/undo\""].into_iter().filter(|way| shown.contains(way)).collect();
            assert_eq!(found, ways, "{state}");
            assert_eq!(shown.contains("data-again"), watched, "{state}");
            assert!(shown.contains("/audit?q=plan:op-1") && shown.contains("points.dlq"), "{state}: {shown}");
        }
    }
}

#[test]
fn runs_are_listed_with_what_needs_a_person() {
    for (lang, uncertain) in [(Lang::En, "1 uncertain"), (Lang::Zh, "1 条不确定")] {
        let ctx = context(lang, Theme::System, "operations");
        let data = fixture::runs();
        let shown = page("operations", &ctx, &operations::title(&ctx, &data), || operations::view(&ctx, &data));
        assert!(shown.contains(uncertain) && shown.contains("?before=7"), "{shown}");
        let none = operations::Data { page: RunsPage { items: Vec::new(), next: None }, ..data };
        let shown = page("operations-none", &ctx, "", || operations::view(&ctx, &none));
        assert!(shown.contains("state__title"));
    }
}

#[test]
fn what_cannot_be_selected_says_which_part_is_missing() {
    for (lang, said) in [
        (Lang::En, ["does not say release", "GRANT UPDATE ON points.t TO &#x27;op&#x27;"]),
        (Lang::Zh, ["没有写明 release", "GRANT UPDATE ON points.t TO &#x27;op&#x27;"]),
    ] {
        let ctx = context(lang, Theme::System, "records");
        let mut data = fixture::records("k");
        let grant = WhyNot::MissingGrant { statement: "GRANT UPDATE ON points.t TO 'op'".into() };
        let whys = [WhyNot::MissingMapping { key: "release".into() }, grant.clone(), grant];
        data.operations = RowOperation::ALL
            .into_iter()
            .zip(whys)
            .map(|(operation, why)| Operation { name: operation.into(), allowed: false, why: Some(why) })
            .collect();
        let shown = page("records-not-operable", &ctx, "", || records::view(&ctx, &data));
        let shown = shown.replace("&#39;", "&#x27;").replace('\'', "&#x27;");
        for said in said {
            assert_eq!(shown.matches(said).count(), 1, "{said} once: {shown}");
        }
        assert!(!shown.contains("type=\"checkbox\""), "nothing could be done with them");
        let all = page("records-selectable", &ctx, "", || records::view(&ctx, &fixture::records("k")));
        assert_eq!(all.matches("name=\"ref\"").count(), 14);
        assert_eq!(all.matches("name=\"on_page\"").count(), 14);
    }
}
