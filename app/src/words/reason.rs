//! Why a record is left alone, with room to say what that means: a headline, and what lies behind it.

use super::measure;
use crate::model::{Lang, Setback, Skip};

words! {
    completed: "Completed", "已完成";
    completed_why: "It has had its effect. Doing it again would double it.", "已经生效，再做一次就会重复。";
    unmapped: "Status not mapped", "状态未映射";
    unmapped_why: "Nobody knows what its code means, so it is never touched.", "不知道这个状态码的含义，因此从不改动。";
    status: "Not from this status", "当前状态不适用";
    status_why: "The operation would change nothing that matters.", "执行这个操作不会改变什么。";
    alive: "Somebody works on it", "正在处理";
    alive_why:
        "Its lock is held or its lease runs. Touching it could run the handler twice.",
        "锁被持有或租约未到期。此时改动可能让它被处理两次。";
    lock_unknown: "Lock not known", "锁状态未知";
    lock_unknown_why: "Redis did not say whether it is held. Unknown counts as held.", "Redis 没有说明是否被持有。未知按被持有处理。";
    done_marker: "Redis says finished", "Redis 标记已完成";
    done_marker_why: "A redelivery would end at the marker, so opening the record does nothing.", "重投会被标记挡住，打开记录不起作用。";
    too_young(after): "Changed less than {after} ago", "最近一次变化距今不足 {after}";
    just_changed: "Changed a moment ago", "刚刚发生变化";
    too_young_why: "By the database’s clock its handler may still be at work.", "按数据库时钟，它可能仍在处理中。";
    no_age: "Age not known", "时长未知";
    no_age_why: "The table does not say since when it is as it is.", "表中没有记录它从何时开始处于当前状态。";
    cannot_tell: "Nothing would tell a change", "无法发现改动";
    cannot_tell_why:
        "The table has neither a version, an update time, an owner nor a lease.",
        "表中没有版本、更新时间、持有者或租约。";
    broker_not_seen: "Broker not seen", "看不到消息队列";
    broker_not_seen_why: "Its message may be on its way. Unknown counts as on its way.", "它的消息可能正在投递。未知按正在投递处理。";
    delivery_known: "Its message is there", "消息仍在";
    delivery_known_why: "It waits or is being handled, and comes by itself.", "消息在排队或正在处理，会自己到来。";
    no_redelivery: "Nothing would deliver it again", "不会再有投递";
    no_redelivery_why: "The queues are empty, and retry.mode = “release” sends nothing.", "队列为空，而 retry.mode = “release” 不会重新发送。";
    not_in_dead_letter: "Not in the dead letter", "不在死信中";
    not_in_dead_letter_why: "There is no message that could be brought back.", "没有可以取回的消息。";
    cannot_come_again: "Its message cannot come again", "无法重新投递";
    changed: "Changed since the plan", "计划后发生变化";
    changed_why: "It is no longer what was frozen, so it was left as it is.", "已不是冻结时的样子，因此保持原样。";
    gone: "Gone", "已不存在";
    gone_why: "Its row is not there any more.", "这一行已经不在表中。";
    locked: "Held by another transaction", "被其他事务占用";
    locked_why: "It was waited for a second, and not longer.", "等待了一秒，没有再等。";
    too_large: "Too large to keep", "内容过大";
    too_large_why: "It cannot be kept whole for undo, so it is not deleted.", "无法完整留存以供撤销，因此不删除。";
}

/// The headline, and the sentence below it.
pub(crate) fn skip(lang: Lang, why: &Skip) -> (String, String) {
    let (title, why) = match why {
        Skip::TooYoung { after_ms: 0 } => (just_changed(lang), too_young_why(lang)),
        Skip::TooYoung { after_ms } => {
            return (too_young(lang, measure::limit(lang, *after_ms)), too_young_why(lang).into());
        }
        Skip::CannotComeAgain { why } => return (cannot_come_again(lang).into(), setback(lang, why)),
        Skip::Completed => (completed(lang), completed_why(lang)),
        Skip::Unmapped => (unmapped(lang), unmapped_why(lang)),
        Skip::Status => (status(lang), status_why(lang)),
        Skip::Alive => (alive(lang), alive_why(lang)),
        Skip::LockUnknown => (lock_unknown(lang), lock_unknown_why(lang)),
        Skip::DoneMarker => (done_marker(lang), done_marker_why(lang)),
        Skip::NoAge => (no_age(lang), no_age_why(lang)),
        Skip::CannotTell => (cannot_tell(lang), cannot_tell_why(lang)),
        Skip::BrokerNotSeen => (broker_not_seen(lang), broker_not_seen_why(lang)),
        Skip::DeliveryKnown => (delivery_known(lang), delivery_known_why(lang)),
        Skip::NoRedelivery => (no_redelivery(lang), no_redelivery_why(lang)),
        Skip::NotInDeadLetter => (not_in_dead_letter(lang), not_in_dead_letter_why(lang)),
        Skip::Changed => (changed(lang), changed_why(lang)),
        Skip::Gone => (gone(lang), gone_why(lang)),
        Skip::Locked => (locked(lang), locked_why(lang)),
        Skip::TooLarge => (too_large(lang), too_large_why(lang)),
    };
    (title.into(), why.into())
}

/// As a sentence of its own.
pub(crate) fn setback(lang: Lang, why: &Setback) -> String {
    super::overview::sentence(lang, super::begun(lang, &super::operate::setback(lang, why)))
}
