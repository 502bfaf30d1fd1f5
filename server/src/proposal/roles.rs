//! Which column may play which role, by its name's words, its comment and its type. Points are only compared with each
//! other: 10 is what such a column is usually called, 5 is a guess.

use super::names::Said;
use crate::ports::survey::{ColumnKind, ColumnSketch};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Status,
    Created,
    Updated,
    LeaseUntil,
    /// A time from which on somebody works on it.
    LockedAt,
    /// A time, or an answer's code, whose presence means that it is done.
    Done,
    /// A time whose presence means that it was given up.
    Abandoned,
    /// A time whose presence means that it failed.
    FailedAt,
    Attempts,
    Error,
    Owner,
    Version,
    Payload,
    /// A flag that the row is gone.
    DeletedFlag,
    /// A time since which the row is gone.
    DeletedAt,
    Key,
    Type,
}

/// The first that has the most points for a role.
pub(super) fn best(columns: &[ColumnSketch], role: Role) -> Option<(&ColumnSketch, u32)> {
    let scored = columns.iter().map(|column| (column, points(column, role))).filter(|(_, points)| *points > 0);
    scored.fold(None, |best, one| match best {
        Some((_, points)) if points >= one.1 => best,
        _ => Some(one),
    })
}

/// 0: it cannot be.
pub(super) fn points(column: &ColumnSketch, role: Role) -> u32 {
    let said = Said::of(&column.name, column.comment.as_deref());
    let kind = column.kind;
    let time = || is_time(column, &said);
    match role {
        Role::Status => status(column, &said),
        Role::Created if time() => created(&said),
        Role::Updated if time() => updated(&said),
        Role::LeaseUntil if time() => lease_until(&said),
        Role::LockedAt if time() && said.any(&["locked", "lock", "claimed", "leased"]) && !ends(&said) => 8,
        Role::Done if column.nullable => done(column, &said),
        Role::Abandoned if time() && column.nullable && said.any(GIVEN_UP) => 8,
        Role::FailedAt if time() && column.nullable && said.any(&["failed", "failure", "error", "errored"]) => 8,
        Role::Attempts if kind == ColumnKind::Integer => attempts(&said),
        Role::Error if matches!(kind, ColumnKind::Text | ColumnKind::Other) => error(&said),
        Role::Owner if !time() => owner(column, &said),
        Role::Version if matches!(kind, ColumnKind::Integer | ColumnKind::Bytes) => version(&said),
        Role::Payload if matches!(kind, ColumnKind::Text | ColumnKind::Bytes | ColumnKind::Other) => payload(&said),
        Role::DeletedFlag if matches!(kind, ColumnKind::Integer | ColumnKind::Boolean) => deleted(&said),
        Role::DeletedAt if column.nullable && time() && said.any(DELETED) => 8,
        Role::Key if !matches!(kind, ColumnKind::Boolean | ColumnKind::Decimal) && !time() => key(column, &said),
        Role::Type if kind != ColumnKind::Boolean && !time() => r#type(&said),
        _ => 0,
    }
}

const GIVEN_UP: &[&str] = &["abandoned", "dead", "discarded", "deadlettered"];
const DELETED: &[&str] = &["deleted", "delete", "removed", "del"];

fn ends(said: &Said) -> bool {
    said.any(&["until", "expire", "expires", "expired", "expiry", "expiration", "end", "ends", "deadline", "timeout"])
}

/// By its type, or for numbers and texts by its name.
pub(super) fn is_time(column: &ColumnSketch, said: &Said) -> bool {
    match column.kind {
        ColumnKind::WallTime | ColumnKind::Instant => true,
        ColumnKind::Integer | ColumnKind::Text | ColumnKind::Other => {
            let named = said.last(&[
                "at",
                "time",
                "date",
                "datetime",
                "timestamp",
                "ts",
                "ms",
                "millis",
                "until",
                "ctime",
                "mtime",
                "utime",
                "shijian",
            ]);
            let gmt = said.any(&["gmt"]);
            let spoken = column.kind == ColumnKind::Integer && said.comment(&["时间戳", "timestamp", "epoch"]);
            named || gmt || spoken
        }
        _ => false,
    }
}

fn status(column: &ColumnSketch, said: &Said) -> u32 {
    let long = matches!(column.declared.as_str(), "mediumtext" | "longtext");
    let flag = column.kind == ColumnKind::Boolean || column.declared.starts_with("tinyint(1)");
    match column.kind {
        ColumnKind::Integer | ColumnKind::Boolean => {}
        ColumnKind::Text | ColumnKind::Other if !long && !is_time(column, said) => {}
        _ => return 0,
    }
    // Of the answer to a request, not of its handling.
    if said.any(&["http", "response", "deleted", "delete"]) {
        return 0;
    }
    match () {
        () if said.any(&["consume", "consumer", "process", "handle", "msg", "message"]) && said.last(STATUS) => 11,
        () if said.is("status") || said.is("state") => 10,
        () if said.any(&["order", "pay", "trade", "user"]) && said.last(STATUS) => 5,
        () if said.last(STATUS) => 9,
        () if said.any(&["success", "succeeded"]) && column.kind != ColumnKind::Text => 8,
        () if flag && said.any(DONE) => 8,
        () if said.comment(&["状态"]) => 9,
        () if said.last(&["result"]) && column.kind == ColumnKind::Integer => 7,
        () if said.any(STATUS) && column.kind == ColumnKind::Integer => 6,
        () => 0,
    }
}

const STATUS: &[&str] = &["status", "state", "zhuangtai"];
const DONE: &[&str] = &[
    "dispatched",
    "processed",
    "consumed",
    "done",
    "handled",
    "completed",
    "complete",
    "finished",
    "delivered",
    "acked",
];

fn created(said: &Said) -> u32 {
    match () {
        () if said.any(&["update", "updated", "modified", "modify"]) => 0,
        () if said.any(&["create", "created", "creation", "ctime", "chuangjian"]) || said.comment(&["创建"]) => 10,
        () if said.any(&["insert", "inserted", "add", "added"]) => 8,
        () if said.any(&["receive", "received", "arrived", "arrival"]) || said.comment(&["接收", "收到"]) => 7,
        () if said.any(&["publish", "published", "publication", "occurred", "enqueued", "queued"]) => 6,
        () if said.any(&["begin", "began", "start", "started", "first"]) => 5,
        () => 0,
    }
}

fn updated(said: &Said) -> u32 {
    let changed = ["update", "updated", "modify", "modified", "mtime", "utime", "changed", "gengxin"];
    match () {
        () if said.any(&changed) || said.comment(&["更新", "修改"]) => 10,
        () if ends(said) && !said.any(&["end", "ends"]) => 0,
        () if said.any(&["last"]) && !said.any(&["resubmission", "error"]) => 7,
        () if said.any(DONE) || said.any(&["completion", "finish", "consume", "process", "handle", "deal", "end"]) => 6,
        () if said.comment(&["消费时间", "处理时间", "完成时间"]) => 6,
        () => 0,
    }
}

fn lease_until(said: &Said) -> u32 {
    let held = said.any(&["lock", "locked", "lease", "leased", "claim", "claimed", "visible", "invisible"]);
    match () {
        () if held && ends(said) => 10,
        () if said.comment(&["租约", "锁过期", "锁超时", "锁定到"]) => 8,
        () => 0,
    }
}

fn done(column: &ColumnSketch, said: &Said) -> u32 {
    if is_time(column, said) {
        // In the order in which they happen, the last counts most.
        let order =
            ["dispatched", "published", "handled", "consumed", "processed", "finished", "completion", "completed"];
        let later = [order.as_slice(), &["delivered"]].concat();
        return later.iter().position(|word| said.any(&[word])).map_or(0, |at| u32::try_from(at).unwrap_or(0) + 2);
    }
    let answer = column.kind == ColumnKind::Integer && said.any(&["response"]) && said.any(&["code", "status"]);
    if answer { 8 } else { 0 }
}

fn attempts(said: &Said) -> u32 {
    let counted = said.any(&["count", "cnt", "num", "times", "number", "attempts", "retries", "tries", "cishu"]);
    match () {
        () if said.any(&["max", "limit", "maximum", "interval", "finished"]) => 0,
        () if said.any(&["retry", "retries", "try", "tries", "attempt", "attempts"]) => 10,
        () if said.comment(&["重试次数", "尝试次数"]) => 9,
        () if counted
            && said.any(&["fail", "failed", "failure", "receive", "received", "consume", "delivery", "redelivery"]) =>
        {
            7
        }
        () if said.comment(&["次数"]) && counted => 5,
        () => 0,
    }
}

fn error(said: &Said) -> u32 {
    let text = said.any(&["msg", "message", "reason", "info", "detail", "details", "desc", "stack", "cause", "text"]);
    let bad = said.any(&["error", "err", "exception", "fail", "failed", "failure"]);
    match () {
        () if said.any(&["code", "count", "time", "at"]) => 0,
        () if bad && said.any(&["last"]) => 10,
        () if bad && text => 9,
        () if said.is("error") || said.is("exception") || said.is("errors") => 9,
        () if said.comment(&["失败原因", "错误信息", "异常信息", "错误"]) => 8,
        () => 0,
    }
}

fn owner(column: &ColumnSketch, said: &Said) -> u32 {
    if matches!(column.kind, ColumnKind::Boolean | ColumnKind::Decimal)
        || said.any(&["version", "count", "ms", "millis"])
    {
        return 0;
    }
    let held = said.any(&["lock", "locked", "claim", "claimed", "lease", "leased"]);
    match () {
        () if held && said.any(&["id", "by", "owner", "token", "holder", "name"]) => 10,
        () if said.is("owner") || said.comment(&["持有者", "锁持有"]) => 8,
        () if said.any(&["worker", "holder"]) || (said.any(&["instance", "node"]) && said.any(&["id", "name"])) => 7,
        () => 0,
    }
}

fn version(said: &Said) -> u32 {
    match () {
        () if said.any(&["schema", "app", "persistence", "event"]) => 0,
        () if said.is("version") || said.comment(&["乐观锁", "版本号"]) => 10,
        () if said.any(&["version"]) && said.any(&["row", "lock", "record"]) => 9,
        () if said.last(&["generation", "revision", "rev"]) => 8,
        () => 0,
    }
}

fn payload(said: &Said) -> u32 {
    match () {
        () if said.any(&["response", "error", "id", "key", "type", "hash"]) => 0,
        () if said.any(&["payload", "body"]) || said.comment(&["消息体", "消息内容"]) => 10,
        () if said.any(&["serialized"]) || said.last(&["content"]) => 8,
        () if said.last(&["params", "operations", "data"]) => 6,
        () => 0,
    }
}

fn deleted(said: &Said) -> u32 {
    let flag = said.any(&["is", "flag"]) || said.is("deleted");
    if (said.any(DELETED) && flag) || said.comment(&["逻辑删除", "是否删除", "删除标"]) { 9 } else { 0 }
}

/// Points of what identifies a message or a business operation.
pub(super) fn key(column: &ColumnSketch, said: &Said) -> u32 {
    let ends_as_key = said.last(&["id", "key", "no", "sn", "uuid", "number", "code", "seq", "keys", "guid"]);
    let of = |words: &[&str]| ends_as_key && said.any(words);
    match () {
        () if r#type(said) > 0 && !said.any(&["idempotency", "idempotent", "dedup", "dedupe"]) => 0,
        () if of(&["idempotency", "idempotent", "idem", "dedup", "dedupe", "deduplication"]) => 12,
        () if of(&["biz", "business", "yewu"])
            || said.comment(&["业务主键", "业务id", "业务编号", "业务键", "幂等"]) =>
        {
            11
        }
        () if of(&["msg", "message"]) || said.comment(&["消息id", "消息编号", "唯一标识"]) => 11,
        () if of(&["event"]) || of(&["uniq", "unique"]) => 10,
        () if of(&["request", "req", "command", "notification", "notify", "callback"]) => 9,
        () if said.is("key") || said.last(&["key"]) => 9,
        () if of(&["order", "trade", "pay", "payment", "transaction", "txn", "serial", "flow", "delivery"]) => 8,
        () if said.is("uuid") || said.is("guid") => 7,
        () if said.is("id") && matches!(column.kind, ColumnKind::Uuid | ColumnKind::Text) => 6,
        () if said.comment(&["唯一"]) => 5,
        () => 0,
    }
}

/// Points of what says which consumer, and which kind of message.
pub(super) fn r#type(said: &Said) -> u32 {
    if said.any(&["status", "state", "count", "time", "at"]) {
        return 0;
    }
    match () {
        () if said.any(&["group", "consumer", "listener", "subscriber", "subscription", "handler", "endpoint"]) => 10,
        () if said.comment(&["消费组", "消费者组", "消费者", "业务类型", "消息类型"]) => 10,
        () if said.last(&["type", "leixing"]) && said.any(&["biz", "business", "msg", "message"]) => 10,
        () if said.last(&["type", "leixing"]) => 9,
        () if said.any(&["topic", "queue", "channel", "scene"]) || said.comment(&["主题", "场景"]) => 8,
        () if said.any(&["tag", "application", "app", "service", "module", "method", "path", "source"]) => 6,
        () => 0,
    }
}
