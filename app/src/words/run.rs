//! How far a run is, what became of its records, and how it is steered.

use crate::model::{Lang, Outcome};

words! {
    waiting: "waiting", "等待中";
    running: "running", "执行中";
    paused: "paused", "已暂停";
    stopped: "stopped", "已停止";
    done: "done", "已结束";
    failed: "failed", "失败";
    pausing: "pausing", "正在暂停";
    stopping: "stopping", "正在停止";

    far(total, percent): "of {total} records are settled, {percent}\u{a0}%", "条已有结果，共 {total} 条，{percent}\u{a0}%";
    left_at(left, rate): "≈\u{a0}{left} left at {rate} per second", "约剩 {left}，每秒 {rate} 条";
    took(span): "in {span}", "用时 {span}";
    bar(done, failed, uncertain, skipped, open):
        "{done} done, {failed} refused, {uncertain} uncertain, {skipped} left alone, {open} waiting",
        "完成 {done}，被拒绝 {failed}，不确定 {uncertain}，跳过 {skipped}，等待 {open}";
    outcome_done: "done", "完成";
    outcome_failed: "refused", "被拒绝";
    outcome_uncertain: "uncertain", "不确定";
    outcome_skipped: "left alone", "跳过";
    outcome_open: "waiting", "等待";
    outcome_begun: "begun", "执行中";
    outcome_undone: "undone", "已撤销";
    by(who, at, reason): "By {who}, {at}. Reason: {reason}", "{who}，{at}。原因：{reason}";
    audit: "Audit", "审计";
    as_of(at): "as of {at}", "截至 {at}";

    pause: "Pause after this batch", "本批之后暂停";
    resume: "Go on", "继续执行";
    paused_by_hand: "Somebody paused it", "已手动暂停";
    paused_by_hand_why: "Nothing happens until somebody goes on or stops it.", "在继续或停止之前，不会有任何动作。";
    paused_by_itself: "It paused by itself", "已自动暂停";
    broke_off: "It could not go on", "无法继续";
    look_then: "Look at the records below, then go on or stop.", "请查看下方的记录，再决定继续或停止。";
    uncertain_title: "Nobody can tell of these", "有记录无法确定结果";
    uncertain_why:
        "The run was cut off between an effect and its proof. Look at each: was the record taken up?",
        "在动作与确认之间运行中断。请逐条查看：记录是否已被处理？";
    note_first: "Most of the first records were refused.", "先行小批中多数被拒绝。";
    note_last: "Most of the last batch were refused.", "最近一批中多数被拒绝。";
    note_not_mapped: "The mapping does not allow it any more.", "映射已不允许这个操作。";
    note_mode: "retry.mode is not what it was when this was planned. Plan it again.", "retry.mode 与制定计划时不同，请重新制定计划。";

    each_record: "Each record", "每条记录";
    filter: "By outcome", "按结果";
    all(n): "All {n}", "全部 {n}";
    at: "At", "时间";
    outcome: "Outcome", "结果";
    detail: "Detail", "说明";
    none_so: "No record ended so", "没有这种结果的记录";
    not_begun: "nothing was done yet", "还没有开始";
    being_done: "its change has begun", "正在改动";
    was(status): "was {status}", "原为{status}";
    now_undone: "it is what it was before", "已恢复原状";
    more: "More", "下一页";
    first_page: "First", "第一页";
    stops_when: "Stops by itself when", "自动停止条件";
    refused_now(n, of): "now {n} of {of}", "目前 {of} 条中 {n} 条";
    stops_lost: "a system that it needs does not answer", "所需的系统没有应答";

    undo: "Undo", "撤销";
    undo_mark: "Gives each record its old values back, as long as nobody has touched it since.", "恢复每条记录的原值，前提是之后没有人改动。";
    undo_delete: "Inserts each deleted record again, as long as its key is not there again.", "重新插入每条被删除的记录，前提是业务键没有再次出现。";
    undo_not_yet: "Once it is over.", "运行结束后可以撤销。";
    undo_gone: "Everything that was done is undone.", "已全部撤销。";
    undo_nothing: "Nothing was done.", "没有执行任何改动。";
    undo_never: "A retry that set a status is not undone: the next delivery may be on its way.", "设置状态的重试不能撤销：下一次投递可能已经在路上。";

    list: "Runs, newest first", "执行记录，从新到旧";
    sub: "Retries and marks, each planned and confirmed", "重试与标记，均经过计划和确认";
    operation: "Operation", "操作";
    state: "State", "状态";
    records: "Records", "记录";
    who: "Who", "操作人";
    when: "When", "时间";
    reason: "Reason", "原因";
    none: "No operation was run yet", "还没有执行过操作";
    none_why: "Select records on the Records page, or look a key up, and plan a retry or a mark there.", "在记录页选择记录，或查找一个键，然后制定重试或标记的计划。";
    to_records: "To the records", "查看记录";
    older: "Older", "较旧";
    newest: "Newest", "最新";
    pressing(n): "{n} running or need a person", "{n} 个执行中或需要处理";
    uncertain_n(n): "{n} uncertain", "{n} 条不确定";
    refused_n(n): "{n} refused", "{n} 条被拒绝";
    done_of(n, total): "{n} of {total} done", "完成 {n} / {total}";
}

counted! {
    stop(n): "Stop, leave {n} untouched", "Stop, leave {n} untouched", "停止，{n} 条保持原样";
    undo_n(n): "Undo {n} record", "Undo {n} records", "撤销 {n} 条记录";
}

pub(crate) fn outcome_word(lang: Lang, of: Outcome) -> &'static str {
    match of {
        Outcome::Open => outcome_open(lang),
        Outcome::Begun => outcome_begun(lang),
        Outcome::Done => outcome_done(lang),
        Outcome::Skipped => outcome_skipped(lang),
        Outcome::Failed => outcome_failed(lang),
        Outcome::Uncertain => outcome_uncertain(lang),
        Outcome::Undone => outcome_undone(lang),
    }
}

/// A state as it is stored; one that is not known is shown as it is.
pub(crate) fn state_word(lang: Lang, state: &str) -> String {
    match state {
        "waiting" => waiting(lang),
        "running" => running(lang),
        "paused" => paused(lang),
        "stopped" => stopped(lang),
        "done" => done(lang),
        "failed" => failed(lang),
        other => other,
    }
    .to_owned()
}
