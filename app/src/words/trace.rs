//! What consumers write down, in words.

use crate::model::Lang;

words! {
    timeline: "What consumers wrote down", "消费者轨迹";
    newest_last: "newest last", "最新的在最后";
    lock_said(said): "lock {said}", "锁：{said}";
    record_said(said): "record {said}", "记录：{said}";
    by_worker(worker): "by {worker}", "消费者 {worker}";
    of_delivery(delivery): "delivery {delivery}", "投递 {delivery}";

    first: "Taken up for the first time", "首次处理";
    takeover: "Taken over from a worker that had failed or gone", "接管失败或退出的消费者";
    dup_status: "Settled as a duplicate by the done marker", "已完成标记判定为重复并确认";
    dup_lock: "Settled as a duplicate by the lock", "锁判定为重复并确认";
    dup_index: "Settled as a duplicate by the record", "记录判定为重复并确认";
    dup_guard: "Settled as a duplicate by the business state", "业务状态判定为重复并确认";
    late: "Out of order, ignored", "乱序，已忽略";
    refused: "Refused: the record is dead", "拒绝：记录已终止";
    deferred: "Given back to come again", "退回，稍后重投";
    completed: "Completed", "处理完成";
    failed: "Failed", "处理失败";
    dead: "Given up", "放弃";
    fenced: "Fenced: its lease was lost, the effect was rolled back", "被栅栏拦下：租约已失，效果已回滚";
    leaked: "The effect happened although it had before", "效果重复发生";
    no_outcome: "No outcome was written", "未写明结果";

    taken: "taken", "已获取";
    held: "held by another", "被占用";
    done: "says finished", "标记为已完成";
    degraded: "not asked, Redis was away", "未查询，Redis 不可用";
    inserted: "inserted", "已插入";
    exists: "was there already", "已存在";
    taken_over: "taken over", "已接管";
}

/// A word that is none of the convention's is shown as it is.
pub(crate) fn outcome(lang: Lang, outcome: Option<&str>) -> String {
    let word = match outcome {
        None => no_outcome(lang),
        Some("first") => first(lang),
        Some("takeover") => takeover(lang),
        Some("dup_status") => dup_status(lang),
        Some("dup_lock") => dup_lock(lang),
        Some("dup_index") => dup_index(lang),
        Some("dup_guard") => dup_guard(lang),
        Some("late") => late(lang),
        Some("refused") => refused(lang),
        Some("deferred") => deferred(lang),
        Some("completed") => completed(lang),
        Some("failed") => failed(lang),
        Some("dead") => dead(lang),
        Some("fenced") => fenced(lang),
        Some("leaked") => leaked(lang),
        Some(other) => other,
    };
    word.to_owned()
}

pub(crate) fn lock(lang: Lang, said: &str) -> String {
    match said {
        "taken" => taken(lang),
        "held" => held(lang),
        "done" => done(lang),
        "degraded" => degraded(lang),
        other => other,
    }
    .to_owned()
}

pub(crate) fn record(lang: Lang, said: &str) -> String {
    match said {
        "inserted" => inserted(lang),
        "exists" => exists(lang),
        "taken_over" => taken_over(lang),
        other => other,
    }
    .to_owned()
}
