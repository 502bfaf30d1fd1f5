//! What the Audit and Archive pages say, and to whom they give a form.

use crate::LANGS;
use crate::fixture::{self, HOSTILE_KEYS, context};
use crate::render::{attributes, page, part};
use app::context::PageContext;
use app::model::{AuditBreak, ChainState, Fault, Lang, Layer, Role, Theme};
use app::pages::{archive, audit};

fn audit_html(ctx: &PageContext, name: &str, data: &audit::Data) -> String {
    page(&format!("audit-{name}"), ctx, &audit::title(ctx, data), || audit::view(ctx, data))
}

fn archive_html(ctx: &PageContext, name: &str, data: &archive::Data) -> String {
    page(&format!("archive-{name}"), ctx, &archive::title(ctx, data), || archive::view(ctx, data))
}

#[test]
fn an_entry_says_what_was_done_and_how_it_ended() {
    for (lang, said) in [
        (
            Lang::En,
            [
                "Retry 31 records",
                "28 done, 2 failed, 1 skipped",
                "the phrase did not match “retry 1284”",
                "One operation has no end.",
                "Chain intact",
                "Archive 2,381,204 records",
                "zhou.min paused it",
                "status 1 → 3",
                "deleted, kept whole here",
            ],
        ),
        (
            Lang::Zh,
            [
                "重试 31 条记录",
                "完成 28，失败 2，跳过 1",
                "输入的短语不是“retry 1284”",
                "1 个操作没有结束。",
                "审计链完整",
                "归档 2,381,204 条记录",
                "zhou.min 暂停",
                "status 1 → 3",
                "已删除，完整留存",
            ],
        ),
    ] {
        let shown = audit_html(&context(lang, Theme::System, "audit"), "some", &fixture::audited("42"));
        for said in said {
            assert!(shown.contains(said), "{said}: {shown}");
        }
        assert_eq!(shown.matches("class=\"entry__what\"").count(), 6);
        assert_eq!(shown.matches("class=\"entry entry--flag\"").count(), 1);
        let days = shown.matches("<section class=\"panel panel--flush\"").count();
        assert_eq!(days, 2, "a panel for each day");
    }
}

#[test]
fn the_chain_says_how_it_stands() {
    let ctx = context(Lang::En, Theme::System, "audit");
    let with = |state: ChainState, seconds: i64| {
        let mut data = fixture::audited("42");
        let chain = data.page.as_mut().unwrap().chain.as_mut().unwrap();
        (chain.state, chain.at) = (state, ctx.now - chrono::TimeDelta::seconds(seconds));
        audit_html(&ctx, "chain", &data)
    };
    let broken = ChainState::Broken { at: AuditBreak::Removed { operation_id: None, id: 7 } };
    assert!(with(broken, 3).contains("Chain broken"));
    let goes_on = with(ChainState::Checking, 3);
    assert!(goes_on.contains("Chain is being checked") && !goes_on.contains("action=\"/audit/check\""));
    assert!(with(ChainState::Checking, 300).contains("The check broke off"));
    let mut data = fixture::audited("42");
    data.page.as_mut().unwrap().chain = None;
    assert!(audit_html(&ctx, "unchecked", &data).contains("Chain not checked yet"));
    data.page = Err(Fault::Unreachable { layer: Layer::State, detail: "see the log".into() });
    assert!(!audit_html(&ctx, "away", &data).contains("Chain"), "nothing is known");
}

#[test]
fn an_archive_says_what_it_waits_for_and_what_stands_in_its_way() {
    for (lang, said) in [
        (
            Lang::En,
            [
                "41 %",
                "Waiting: the replica is",
                "There is no table",
                "CREATE TABLE",
                "Is a door reopened?",
                "window ended",
                "0 3 * * *",
            ],
        ),
        (
            Lang::Zh,
            ["41%", "等待中：从库落后", "没有表", "CREATE TABLE", "会重新放行重复消息吗？", "窗口结束", "0 3 * * *"],
        ),
    ] {
        let shown = archive_html(&context(lang, Theme::System, "archive"), "busy", &fixture::archive());
        for said in said {
            assert!(shown.contains(said), "{said}: {shown}");
        }
        let ctx = context(lang, Theme::System, "archive/plan");
        let plan = fixture::archive_plan();
        let shown = page("archive-plan", &ctx, &archive::plan_title(&ctx, &plan), || archive::plan_view(&ctx, &plan));
        assert!(shown.contains("archive points") && shown.contains("31,204"), "{shown}");
    }
}

#[test]
fn viewers_get_no_form_that_changes_something() {
    let mut ctx = context(Lang::En, Theme::System, "archive");
    ctx.viewer.role = Role::Viewer;
    let mut data = fixture::archive();
    assert!(!archive_html(&ctx, "viewer", &data).contains("method=\"post\" action=\"/s/"));
    data.archive.current = None;
    let idle = archive_html(&ctx, "idle-viewer", &data);
    assert!(!idle.contains("href=\"/s/points/archive/plan\"") && idle.contains("It needs the role operator"));
    let audit = audit_html(&ctx, "viewer", &fixture::audited("42"));
    assert!(!audit.contains("action=\"/audit/check\"") && audit.contains("Your role does not allow it"));
}

#[test]
fn a_hostile_key_is_only_text_here_too() {
    for lang in LANGS {
        for (name, key) in HOSTILE_KEYS {
            let ctx = context(lang, Theme::System, "audit");
            let restore = fixture::restore_plan(key);
            for html in [
                audit_html(&ctx, &format!("hostile-{name}"), &fixture::audited(key)),
                page(&format!("restore-{name}"), &ctx, &archive::restore_title(&ctx, &restore), || {
                    archive::restore_view(&ctx, &restore)
                }),
            ] {
                assert!(!html.contains("<script>alert") && !attributes(&html).contains("onmouseover"), "{name}");
            }
        }
    }
    let ctx = context(Lang::En, Theme::System, "audit");
    let shown = audit_html(&ctx, "search", &fixture::audited("42"));
    assert!(part(&shown, "class=\"token\"", "</a>").contains("href=\"/audit\""), "the way out of the term");
}
