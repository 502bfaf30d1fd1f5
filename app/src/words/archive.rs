//! Archiving: what stands in its way, what a run waits for, what it left.

use super::{fault, measure};
use crate::model::{ArchiveNote, ArchiveRefusal, ArchiveWarning, Lang};

words! {
    no_keep: "source.archive.keep is not set: it says how old a completed record must be", "未设置 source.archive.keep：它规定已完成的记录多久之后可以归档";
    no_time(table):
        "{table} has no mapped time: nobody knows how old its rows are. Map updated or created",
        "{table} 没有映射时间列，无法判断行的新旧。请映射 updated 或 created";
    no_primary_key(table):
        "{table} has no primary key and no unique index without NULL: no row could be found again",
        "{table} 没有主键，也没有不含 NULL 的唯一索引，无法重新找到某一行";
    not_transactional(table, engine):
        "{table} is kept by {engine}, which has no transactions: a row could end up in both tables, or in none",
        "{table} 使用 {engine} 引擎，不支持事务：一行可能同时出现在两张表中，或者两边都没有";
    cascading(table, name):
        "foreign key {name} refers to {table}: deleting a row would delete or change rows there",
        "外键 {name} 引用了 {table}：删除一行会连带删除或修改那边的行";
    trigger(table, name): "{table} has a trigger or rule for this, {name}: it would act on every row", "{table} 上有触发器或规则 {name}：会对每一行起作用";
    missing_grant(statement): "the account of records.write may not do this; run: {statement}", "records.write 的账号没有权限，请执行：{statement}";
    archive_missing(table): "there is no table {table}; --create-table makes it by these statements", "没有表 {table}；--create-table 会用以下语句创建它";
    lacks_column(table, column): "{table} has no column {column}, so its values would be lost", "{table} 没有列 {column}，其中的值会丢失";
    column_differs(table, column, found, wanted):
        "column {column} of {table} is {found}, and takes every value only as {wanted}",
        "{table} 的列 {column} 是 {found}，只有 {wanted} 才能容纳所有值";
    key_unique(table, index):
        "index {index} keeps the key unique in {table}, but keys recur: drop it, or make it an ordinary index",
        "索引 {index} 要求键在 {table} 中唯一，但键会再次出现：请删除它，或改为普通索引";
    deletes: "source.archive.mode is \"delete\": nothing was kept that could be put back", "source.archive.mode 是 \"delete\"：没有保留可以恢复的内容";

    lag(behind): "waiting: the replica is {behind} behind", "等待中：从库落后 {behind}";
    lag_unknown: "waiting: the replica does not say how far behind it is, which counts as far", "等待中：从库没有给出延迟，按落后处理";
    latency(time, usual):
        "resting: what usually takes {usual} takes {time}",
        "放缓：平时用时 {usual} 的工作现在要 {time}";
    window_ended: "the window is over; the next run goes on from here", "窗口时间已结束，下一次运行从这里继续";

    keep_too_short(keep, oldest):
        "Records are kept for {keep}, and the broker still holds a message that is {oldest} old: delivered after its record was archived, it would run again.",
        "记录只保留 {keep}，但消息队列中还有 {oldest} 前的消息：若在记录归档之后投递，它会再次执行。";
    broker_age_unknown(keep):
        "How old a message the broker can still deliver is not known. One older than {keep}, or in a dead letter as long, would run again once its record is archived.",
        "未知消息队列还能投递多旧的消息。超过 {keep} 的消息（包括滞留在死信中的）在记录归档之后会再次执行。";
    deletes_rows: "mode = \"delete\": nothing is kept of what is archived.", "mode = \"delete\"：归档的内容不会保留。";
}

counted! {
    lock_waits(rows): "resting: other transactions hold one row", "resting: other transactions hold {rows} rows", "放缓：其他事务占用着 {rows} 行";
}

#[must_use]
pub fn refusal(lang: Lang, refusal: &ArchiveRefusal) -> String {
    match refusal {
        ArchiveRefusal::NoKeep => no_keep(lang).into(),
        ArchiveRefusal::NoTime { table } => no_time(lang, table),
        ArchiveRefusal::NoPrimaryKey { table } => no_primary_key(lang, table),
        ArchiveRefusal::NotTransactional { table, engine } => not_transactional(lang, table, engine),
        ArchiveRefusal::CascadingForeignKey { table, name } => cascading(lang, table, name),
        ArchiveRefusal::Trigger { table, name } => trigger(lang, table, name),
        ArchiveRefusal::MissingGrant { statement } => missing_grant(lang, statement),
        ArchiveRefusal::ArchiveMissing { table, .. } => archive_missing(lang, table),
        ArchiveRefusal::ArchiveLacksColumn { table, column } => lacks_column(lang, table, column),
        ArchiveRefusal::ArchiveColumnDiffers { table, column, found, wanted } => {
            column_differs(lang, table, column, found, wanted)
        }
        ArchiveRefusal::ArchiveKeyUnique { table, index } => key_unique(lang, table, index),
        ArchiveRefusal::Deletes => deletes(lang).into(),
    }
}

#[must_use]
pub fn note(lang: Lang, note: &ArchiveNote) -> String {
    match note {
        ArchiveNote::Lag { behind_ms: Some(ms) } => lag(lang, measure::limit(lang, *ms)),
        ArchiveNote::Lag { behind_ms: None } => lag_unknown(lang).into(),
        ArchiveNote::LockWaits { rows } => lock_waits(lang, *rows),
        ArchiveNote::Latency { ms, usual_ms } => {
            latency(lang, measure::limit(lang, *ms), measure::limit(lang, *usual_ms))
        }
        ArchiveNote::WindowEnded => window_ended(lang).into(),
        ArchiveNote::Refused { refusal: why } => refusal(lang, why),
        ArchiveNote::Failed { fault: why } => fault(lang, why),
    }
}

#[must_use]
pub fn warning(lang: Lang, warning: &ArchiveWarning) -> String {
    match warning {
        ArchiveWarning::KeepTooShort { keep_ms, oldest_ms } => {
            keep_too_short(lang, measure::limit(lang, *keep_ms), measure::limit(lang, *oldest_ms))
        }
        ArchiveWarning::BrokerAgeUnknown { keep_ms } => broker_age_unknown(lang, measure::limit(lang, *keep_ms)),
        ArchiveWarning::Deletes => deletes_rows(lang).into(),
    }
}
