//! Operations on rows, and why some are left alone.

use super::measure;
use crate::model::{Lang, PlanWarning, RowOperation, RunNote, Setback, Skip};

words! {
    retry: "Retry", "重试";
    mark_failed: "Mark failed", "标记为失败";
    mark_dead: "Mark dead", "标记为终止";

    completed: "completed: it has had its effect", "已完成，已经生效";
    unmapped: "its status is not mapped", "状态未映射";
    status_before: "not from this status", "当前状态不适用";
    alive: "somebody works on it: its lock is held or its lease runs", "正在处理：锁被持有或租约未到期";
    lock_unknown: "its lock is not known, and may be held", "锁状态未知，可能被持有";
    done_marker: "Redis says that it is finished: redeliveries end at the marker", "Redis 标记已完成，重投会被标记挡住";
    too_young(after): "it changed less than {after} ago", "最近一次变化距今不足 {after}";
    just_changed: "it changed a moment ago", "刚刚发生变化";
    no_age: "the table does not say since when", "表中没有记录开始时间";
    cannot_tell:
        "the table has neither a version, an update time, an owner nor a lease, so nobody could tell that it was touched meanwhile",
        "表中没有版本、更新时间、持有者或租约，无法判断期间是否被改动";
    broker_not_seen: "its broker is not seen", "看不到它的消息队列";
    delivery_known: "its message waits or is being handled", "它的消息在排队或正在处理";
    no_redelivery:
        "nothing would deliver it again, so opening it does nothing alone",
        "没有消息会再次投递，仅打开记录不起作用";
    not_in_dead_letter: "its message is not in the dead letter", "死信队列中没有它的消息";
    cannot_come_again(why): "its message cannot come again: {why}", "无法重新投递它的消息：{why}";
    not_found_among(messages):
        "it is not among the {messages} messages of the dead letter that one search reads",
        "在一次检索读取的 {messages} 条死信中没有找到";
    no_origin: "the dead letter does not say where it came from", "死信没有说明消息来自哪里";
    no_key: "the record has no key by which a message is known", "记录没有可用来识别消息的业务键";
    no_payload: "the record keeps no payload, or one larger than 1 MB", "记录没有保存消息内容，或内容超过 1 MB";
    unroutable(routing_key): "no queue takes it at {routing_key}", "没有队列接收路由键 {routing_key}";
    not_taken(detail): "the broker would not take it: {detail}", "消息队列拒绝接收：{detail}";
    answered(status): "the webhook answered {status}", "Webhook 返回 {status}";
    no_answer(detail):
        "the webhook may have done it: {detail}. It knows the request by its Idempotency-Key",
        "Webhook 可能已经执行：{detail}。可凭 Idempotency-Key 核对";
    may_be_twice(queue):
        "it may have been published, and lies in {queue} as well: look whether the record is taken up, then discard one",
        "可能已经发布，同时仍在 {queue} 中：请确认记录是否被处理，再丢弃其中一份";
    interrupted:
        "the run ended while it was published: look whether the record is taken up, and retry it if not",
        "发布途中运行中断：请确认记录是否被处理，未处理再重试";

    changed: "it changed since the plan was made", "制定计划后发生了变化";
    gone: "it is not there any more", "已不存在";
    locked: "another transaction holds it", "被其他事务占用";
    too_large: "too large to be kept whole, so it is not deleted", "内容过大无法完整留存，因此不删除";

    no_broker:
        "No broker is configured: that nothing else delivers these records is taken from their age alone.",
        "未配置消息队列：仅凭时间判断不会再有投递。";
    deletes: "Rows are deleted; the audit keeps them whole for undo.", "行会被删除；审计中完整保留，可以撤销。";
    leaves_dead_letter:
        "Each message is moved from the dead letter to the queue it came from.",
        "每条消息会从死信队列移回原来的队列。";
    publishes: "The payload of each record is published.", "会发布每条记录保存的消息内容。";
    asks_webhook: "A webhook is asked to send each message again.", "会请求 Webhook 重新发送每条消息。";
    capped(count): "More match than one plan takes: these are {count}.", "匹配的记录超出一次计划的上限：这里是 {count} 条。";
    examined(rows): "No index serves this search: only {rows} rows were looked at.", "没有可用索引：只检查了 {rows} 行。";
}

/// Of buttons and headlines.
#[must_use]
pub fn operation(lang: Lang, operation: RowOperation) -> &'static str {
    match operation {
        RowOperation::Retry => retry(lang),
        RowOperation::MarkFailed => mark_failed(lang),
        RowOperation::MarkDead => mark_dead(lang),
    }
}

/// Behind a number of records.
#[must_use]
pub fn skip(lang: Lang, why: &Skip) -> String {
    match why {
        Skip::Completed => completed(lang).into(),
        Skip::Unmapped => unmapped(lang).into(),
        Skip::Status => status_before(lang).into(),
        Skip::Alive => alive(lang).into(),
        Skip::LockUnknown => lock_unknown(lang).into(),
        Skip::DoneMarker => done_marker(lang).into(),
        Skip::TooYoung { after_ms: 0 } => just_changed(lang).into(),
        Skip::TooYoung { after_ms } => too_young(lang, measure::limit(lang, *after_ms)),
        Skip::NoAge => no_age(lang).into(),
        Skip::CannotTell => cannot_tell(lang).into(),
        Skip::BrokerNotSeen => broker_not_seen(lang).into(),
        Skip::DeliveryKnown => delivery_known(lang).into(),
        Skip::NoRedelivery => no_redelivery(lang).into(),
        Skip::NotInDeadLetter => not_in_dead_letter(lang).into(),
        Skip::CannotComeAgain { why } => cannot_come_again(lang, setback(lang, why)),
        Skip::Changed => changed(lang).into(),
        Skip::Gone => gone(lang).into(),
        Skip::Locked => locked(lang).into(),
        Skip::TooLarge => too_large(lang).into(),
    }
}

/// Behind a record.
#[must_use]
pub fn setback(lang: Lang, setback: &Setback) -> String {
    match setback {
        Setback::NotInDeadLetter => not_in_dead_letter(lang).into(),
        Setback::NotFoundAmong { messages } => not_found_among(lang, measure::grouped(*messages)),
        Setback::NoOrigin => no_origin(lang).into(),
        Setback::NoKey => no_key(lang).into(),
        Setback::NoPayload => no_payload(lang).into(),
        Setback::Unroutable { routing_key } => unroutable(lang, routing_key),
        Setback::NotTaken { detail } => not_taken(lang, detail),
        Setback::Answered { status } => answered(lang, status),
        Setback::NoAnswer { detail } => no_answer(lang, detail),
        Setback::MayBeTwice { queue } => may_be_twice(lang, queue),
        Setback::Interrupted => interrupted(lang).into(),
    }
}

#[must_use]
pub fn warning(lang: Lang, warning: &PlanWarning) -> String {
    match warning {
        PlanWarning::NoBroker => no_broker(lang).into(),
        PlanWarning::Deletes => deletes(lang).into(),
        PlanWarning::LeavesDeadLetter => leaves_dead_letter(lang).into(),
        PlanWarning::Publishes => publishes(lang).into(),
        PlanWarning::AsksWebhook => asks_webhook(lang).into(),
        PlanWarning::Capped { at } => capped(lang, measure::grouped(*at)),
        PlanWarning::Examined { rows } => examined(lang, measure::grouped(*rows)),
    }
}

/// Why a run stands where it stands.
#[must_use]
pub fn note(lang: Lang, note: &RunNote) -> String {
    match note {
        RunNote::FirstRefused => super::run::note_first(lang).into(),
        RunNote::LastRefused => super::run::note_last(lang).into(),
        RunNote::NotMapped => super::run::note_not_mapped(lang).into(),
        RunNote::ModeChanged => super::run::note_mode(lang).into(),
        RunNote::Fault { fault } => super::overview::sentence(lang, super::fault(lang, fault)),
    }
}
