//! What is selected, and what a plan would do to it.

use super::measure;
use crate::model::{Lang, RowOperation};

words! {
    selection: "What is selected", "选择范围";
    picked: "Picked rows", "勾选的行";
    this_page(n): "This page, {n}", "本页，{n} 条";
    all_match: "All that match", "全部符合条件的";
    all_match_n(n): "All that match, {n}", "全部符合条件的，{n} 条";
    frozen_when_planned: "Frozen when planned; nothing changes before you confirm.", "制定计划时冻结；确认之前不会改动。";
    plan_retry: "Plan retry", "计划重试";
    pick_row(key): "Select {key}", "选择 {key}";
    pick_page: "Select this page", "选择本页";

    operations: "Operations", "操作";
    title(operation, n, total): "{operation}: {n} of {total} records", "{operation}：{total} 条记录中的 {n} 条";
    picked_records(n): "picked records: {n}", "勾选的记录：{n} 条";
    every_record: "all records", "全部记录";
    step_select: "Select", "选择";
    step_check: "Check the plan", "核对计划";
    step_run: "Run", "执行";
    steps: "Steps", "步骤";
    frozen: "What was frozen", "已冻结的内容";
    made(at, by, until): "Made {at} by {by}, good until {until}", "{by} 于 {at} 制定，{until} 前有效";
    eligible: "will be changed", "可执行";
    skipped: "left alone, with reason", "跳过，附原因";
    unmapped: "of them unmapped", "其中未映射";
    bar(n, total): "{n} of {total} will be changed", "{total} 条中的 {n} 条可执行";
    by_reason: "Records that are left alone, by reason", "跳过的记录，按原因";
    see_them: "See which", "查看是哪些";
    sample: "Sample", "样本";
    sample_of(n, total): "the first {n} of {total}", "{total} 条中的前 {n} 条";
    all_csv: "All of them, CSV", "全部，CSV";
    now: "Now", "现在";
    then: "Then", "之后";
    then_failed: "failed", "失败";
    then_dead: "dead", "终止";
    then_deleted: "deleted", "删除";
    left_alone: "Left alone", "跳过的记录";

    will_happen: "What will happen", "将会发生什么";
    each: "Each record", "每条记录";
    each_failed(at): "gets the failed code, if nobody changed it since {at}", "写入失败状态码，前提是 {at} 之后没有人改动";
    each_dead(at): "gets the dead code, if nobody changed it since {at}", "写入终止状态码，前提是 {at} 之后没有人改动";
    each_deleted(at): "is deleted, if nobody changed it since {at}; the audit keeps it whole", "删除，前提是 {at} 之后没有人改动；审计中完整保留";
    then_head: "Then", "然后";
    comes_by_itself: "its message comes by itself", "消息会自己到来";
    moved_back: "its message is moved from the dead letter to where it came from", "消息从死信移回原来的队列";
    published: "its payload is published", "发布记录保存的消息内容";
    webhook_asked: "a webhook is asked to send its message again", "请求 Webhook 重新发送消息";
    nothing_more: "nothing more; no message is sent", "没有后续，不会发送消息";
    pace: "Pace", "节奏";
    pace_is: "the first 5 alone, then up to 200 at a time", "先行小批 5 条，之后每批最多 200 条";
    takes: "Takes", "用时";
    about(span): "≈\u{a0}{span}", "≈\u{a0}{span}";
    stops: "Stops by itself", "自动停止";
    stops_first: "when most of the first 5 are refused", "先行小批中多数被拒绝时";
    stops_each: "when most of a batch are refused", "任意一批中多数被拒绝时";
    undo: "Undo", "撤销";
    undo_mark: "until somebody has touched the record", "在记录被再次改动之前可以撤销";
    undo_delete: "until its key is there again", "在业务键再次出现之前可以撤销";
    undo_none: "none: its next delivery may be on its way", "不能：下一次投递可能已经在路上";

    confirm: "Confirm", "确认";
    reason_label: "Reason, kept in the audit", "原因，记入审计";
    reason_missing: "Say why: every operation needs a reason, of at most 1,000 characters.", "请填写原因：每次操作都需要原因，最多 1,000 个字符。";
    type_before: "Type ", "输入 ";
    type_after: " to confirm", " 以确认";
    phrase_many: "Asked for, because it changes many records.", "因为会改动很多记录，需要输入。";
    phrase_deletes: "Asked for, because records are deleted.", "因为会删除记录，需要输入。";
    phrase_wrong: "That is not the phrase. Nothing was done.", "输入的内容不一致，没有执行。";
    to_list: "Back to the list", "返回列表";
    nothing: "Nothing would be done", "没有可执行的记录";
    nothing_why: "Every record is left alone for the reasons given here.", "所有记录都因上述原因被跳过。";
    none_matched: "No record matched when this was planned.", "制定计划时没有符合条件的记录。";
    expired: "This plan is too old", "这个计划已过期";
    expired_why(at): "It was good until {at}. Its records are forgotten; nothing was done.", "有效期到 {at}。冻结的记录已清除，没有执行任何操作。";
    plan_again: "Plan it again", "重新制定计划";
    planning: "The plan is being made", "正在制定计划";
    planning_why: "Records are read and judged one by one; of many this takes a minute or two. Nothing is changed.", "正在逐条读取并判断记录，数量多时需要一两分钟。没有改动任何内容。";
    broken: "No plan was made", "没有制定出计划";
    broken_why: "Nothing was changed.", "没有改动任何内容。";
}

counted! {
    do_retry(n): "Retry {n} record", "Retry {n} records", "重试 {n} 条记录";
    do_mark_failed(n): "Mark {n} record failed", "Mark {n} records failed", "将 {n} 条记录标记为失败";
    do_mark_dead(n): "Mark {n} record dead", "Mark {n} records dead", "将 {n} 条记录标记为终止";
}

/// Of the button that makes a plan.
pub(crate) fn plan_button(lang: Lang, operation: RowOperation) -> &'static str {
    match operation {
        RowOperation::Retry => plan_retry(lang),
        other => super::operate::operation(lang, other),
    }
}

/// Of the button that does it: verb, object and count.
pub(crate) fn do_button(lang: Lang, operation: RowOperation, count: u64) -> String {
    match operation {
        RowOperation::Retry => do_retry(lang, count),
        RowOperation::MarkFailed => do_mark_failed(lang, count),
        RowOperation::MarkDead => do_mark_dead(lang, count),
    }
}

pub(crate) fn takes_about(lang: Lang, estimate_ms: u64) -> String {
    about(lang, measure::limit(lang, estimate_ms))
}
