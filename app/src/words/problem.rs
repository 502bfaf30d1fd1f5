//! What is to be mended, and why.

use super::{fault, measure};
use crate::model::{AuditBreak, Lang, Problem};

words! {
    audit_changed(id, operation): "The audit was changed at row {id}, of operation {operation}", "审计在第 {id} 行被改动（操作 {operation}）";
    audit_removed(id): "Row {id} of the audit was removed", "审计的第 {id} 行被删除";
    audit_broken_why:
        "Each row carries the hash of the one before, and from here on they do not fit. What comes before it is as it was written; somebody with access to the state database must have changed the rest.",
        "每一行都带有前一行的哈希，从这里起对不上了。此前的内容与写入时一致，此后的内容被有权访问状态数据库的人改动过。";
    no_unique: "No unique index covers the key", "没有唯一索引覆盖业务键";
    no_unique_why:
        "The last line against duplicates is missing. The DDL below would add it.",
        "防重的最后一道防线缺失。下面的 DDL 可以补上。";
    no_key_index: "No index serves look-ups by key", "没有索引支持按键查找";
    no_key_index_why:
        "Each look-up would read the whole table. The DDL below would help.",
        "每次查找都要读全表。下面的 DDL 会有帮助。";
    json_key(column): "The key or its type lies inside the JSON of {column}", "业务键或类型在 {column} 列的 JSON 里";
    json_key_why:
        "No index knows it: a large table cannot be asked for a key, and nothing shows that a key has one record. A generated column with a unique index would help; map that column instead.",
        "没有索引能用到它：大表无法按键查找，也无从保证每个键只有一条记录。可以加一个带唯一索引的生成列，并改为映射该列。";
    no_time_why:
        "They are shown as no time at all. Does the column hold what its unit and format say?",
        "这些值按“没有时间”显示。请检查该列的内容与配置的单位、格式是否相符。";
    bad_json_why:
        "They are shown as nothing. Only the first 64 KB of a row are looked into.",
        "这些值按空显示。每行只查看前 64 KB。";
    no_processing: "No code means processing", "没有状态码表示处理中";
    no_processing_why: "“Stuck” can never be shown for this source.", "这个数据源永远看不到“卡住”。";
    shared(owner): "Every lock carries the owner {owner}", "所有锁的持有者都是 {owner}";
    shared_why: "These locks protect nothing; releasing one is refused.", "这些锁起不到保护作用，也不能释放。";
    no_ttl_why:
        "They never go away by themselves and turn redeliveries away.",
        "它们不会自己消失，会一直挡住重投。";
    no_queue(glob): "No queue or group matches {glob}", "没有队列或消费组匹配 {glob}";
    no_queue_why:
        "Is the name right, and does the user see this vhost? Of Redis: is it this database, and did the consumers make the group?",
        "名称是否正确？用户能否看到这个 vhost？对 Redis：库号是否正确，消费者是否已创建消费组？";
    fault_why: "It is tried again by itself.", "会自动重试。";
    ids_near_end(column, percent): "{percent} % of the values of {column} are used up", "{column} 的取值已用掉 {percent}%";
    missing_grant: "The account may not read all that the mapping names", "账号无权读取映射中的全部内容";
    missing_grant_why(statement): "Whoever may grant it runs: {statement}", "请由有权限的人执行：{statement}";
    clock_ahead(by): "The database’s clock is {by} ahead of this machine’s", "数据库的时钟比本机快 {by}";
    clock_behind(by): "The database’s clock is {by} behind this machine’s", "数据库的时钟比本机慢 {by}";
    clock_why:
        "Ages come from the database’s clock, locks and signals from others: synchronise them (NTP).",
        "时长取自数据库的时钟，锁和信号取自其他机器的时钟：请同步它们（NTP）。";
    in_future(by): "The newest record lies {by} in the future", "最新的记录比现在晚 {by}";
    in_future_why(zone):
        "Is the time zone right? Times without one are read as {zone}.",
        "时区是否正确？不带时区的时间按 {zone} 读取。";
    in_future_clock:
        "Its times are instants, so no zone explains it: is the clock of whoever writes it right?",
        "这些时间是绝对时刻，与时区无关：写入方的时钟是否正确？";
    zone_old(by, zone): "The newest record is exactly {by} old, the offset of {zone}", "最新的记录恰好是 {by}前，正是 {zone} 的时差";
    zone_old_why:
        "Its times are probably UTC: set the timezone of the column or of the source.",
        "这些时间很可能是 UTC：请为该列或数据源设置 timezone。";
    changed_before(by): "Last changes lie {by} before the creation", "最近更新的时间比创建早 {by}";
    changed_before_why(rows):
        "So it is in {rows} of the newest rows: the two columns seem to have different time zones. A time column takes its own timezone.",
        "最新的行中有 {rows} 行如此：这两列的时区似乎不同。时间列可以单独设置 timezone。";
    keys_missing(nulls, empty): "Keys are missing: {nulls} NULL, {empty} empty", "业务键缺失：{nulls} 个 NULL，{empty} 个为空";
    keys_missing_why(rows):
        "Of the newest {rows} rows. A unique index lets any number of NULLs in, and takes all empty keys for one message.",
        "取自最新的 {rows} 行。唯一索引允许任意多个 NULL，而所有空键会被当作同一条消息。";
    duplicate_keys(keys, example): "Keys stand several times: {keys}, for example {example}", "业务键重复：{keys} 个，例如 {example}";
    duplicate_keys_why(rows):
        "Among the newest {rows} rows. The unique index is missing or does not cover type and key.",
        "在最新的 {rows} 行中。唯一索引缺失，或没有覆盖类型和键。";
    eviction(policy): "Redis may drop locks: maxmemory-policy is {policy}", "Redis 可能淘汰锁：maxmemory-policy 为 {policy}";
    eviction_why(bytes):
        "At its limit of {bytes} bytes it makes room by deleting keys, and locks have a TTL, so volatile policies take them too. noeviction is right for locks.",
        "达到 {bytes} 字节的上限时会删除键，而锁都有 TTL，volatile 策略同样会删。存放锁应使用 noeviction。";
    ttl_longer(seen, configured): "Locks live for {seen}, the configuration says {configured}", "锁的存活时间为 {seen}，而配置为 {configured}";
    ttl_longer_why:
        "Set locks.ttl to what the consumers set; values that mean “already consumed” belong in locks.done.",
        "请把 locks.ttl 设为消费者实际设置的值；表示“已消费”的值应写入 locks.done。";
    archive_refused(why): "Nothing is archived: {why}", "无法归档：{why}";
    archive_refused_why: "Runs end at once until this is mended.", "在解决之前，归档运行会立即结束。";
    other_type_why:
        "That is not what a lock of the configured locks.kind holds. Is the pattern too wide, or is this another kind of lock?",
        "这不是配置的 locks.kind 会存放的内容。是模式太宽，还是另一种锁？";
}

counted! {
    ids_near_end_why(n):
        "{n} id is left; then every insert fails. A wider type takes a rebuild of the table, so begin in time.",
        "{n} ids are left; then every insert fails. A wider type takes a rebuild of the table, so begin in time.",
        "还剩 {n} 个 id，用完后所有插入都会失败。改成更宽的类型需要重建表，请尽早安排。";
    no_time(n, of, column, example):
        "{n} of the last {of} rows read: {column} holds text that is no time, for example “{example}”",
        "{n} of the last {of} rows read: {column} holds text that is no time, for example “{example}”",
        "最近读取的 {of} 行中有 {n} 行：{column} 列的内容不是时间，例如“{example}”";
    bad_json(n, of, column):
        "{n} of the last {of} rows read: the JSON of {column} could not be read",
        "{n} of the last {of} rows read: the JSON of {column} could not be read",
        "最近读取的 {of} 行中有 {n} 行：无法读取 {column} 列的 JSON";
    no_ttl(n): "{n} lock was set without TTL", "{n} locks were set without TTL", "{n} 把锁没有设置 TTL";
    other_type(n, of):
        "{n} key of the lock pattern holds a {of}",
        "{n} keys of the lock pattern hold a {of}",
        "符合锁模式的键中有 {n} 个是 {of}";
}

/// What is wrong, and what it means.
#[must_use]
pub fn problem(lang: Lang, problem: &Problem) -> (String, String) {
    let both = |what: &str, why: &str| (what.to_owned(), why.to_owned());
    let span = |ms: i64| measure::duration(lang, ms.saturating_abs());
    let grouped = |number: &u64| measure::grouped(*number);
    match problem {
        Problem::Fault { fault: broken } => (fault(lang, broken), fault_why(lang).into()),
        Problem::AuditBroken { at: AuditBreak::Changed { operation_id, id } } => {
            (audit_changed(lang, id, operation_id), audit_broken_why(lang).into())
        }
        Problem::AuditBroken { at: AuditBreak::Removed { id, .. } } => {
            (audit_removed(lang, id), audit_broken_why(lang).into())
        }
        Problem::NoUniqueIndex { .. } => both(no_unique(lang), no_unique_why(lang)),
        Problem::NoKeyIndex { .. } => both(no_key_index(lang), no_key_index_why(lang)),
        Problem::NoProcessingCode => both(no_processing(lang), no_processing_why(lang)),
        Problem::KeyInsideJson { column } => (json_key(lang, column), json_key_why(lang).into()),
        Problem::TextIsNoTime { column, count, of, example } => {
            (no_time(lang, *count, of, column, example), no_time_why(lang).into())
        }
        Problem::JsonUnreadable { column, count, of } => {
            (bad_json(lang, *count, of, column), bad_json_why(lang).into())
        }
        Problem::SharedLockOwner { owner } => (shared(lang, owner), shared_why(lang).into()),
        Problem::LockWithoutTtl { count } => (no_ttl(lang, *count), no_ttl_why(lang).into()),
        Problem::QueueNotFound { glob } => (no_queue(lang, glob), no_queue_why(lang).into()),
        Problem::IdsNearEnd { column, used_percent, left } => {
            (ids_near_end(lang, column, used_percent), ids_near_end_why(lang, *left))
        }
        Problem::MissingGrant { statement } => (missing_grant(lang).into(), missing_grant_why(lang, statement)),
        Problem::ClockApart { ahead_ms } if *ahead_ms < 0 => {
            (clock_behind(lang, span(*ahead_ms)), clock_why(lang).into())
        }
        Problem::ClockApart { ahead_ms } => (clock_ahead(lang, span(*ahead_ms)), clock_why(lang).into()),
        Problem::InFuture { ahead_ms, timezone } => {
            let why = timezone.as_ref().map(|zone| in_future_why(lang, zone));
            (in_future(lang, span(*ahead_ms)), why.unwrap_or_else(|| in_future_clock(lang).into()))
        }
        Problem::ZoneOld { minutes, timezone } => {
            (zone_old(lang, span(minutes.saturating_mul(60_000)), timezone), zone_old_why(lang).into())
        }
        Problem::ChangedBeforeCreated { rows, by_ms } => {
            (changed_before(lang, span(*by_ms)), changed_before_why(lang, grouped(rows)))
        }
        Problem::KeysMissing { nulls, empty, rows } => {
            (keys_missing(lang, grouped(nulls), grouped(empty)), keys_missing_why(lang, grouped(rows)))
        }
        Problem::DuplicateKeys { keys, example, rows } => {
            (duplicate_keys(lang, grouped(keys), example), duplicate_keys_why(lang, grouped(rows)))
        }
        Problem::LockEviction { policy, max_memory } => {
            (eviction(lang, policy), eviction_why(lang, grouped(max_memory)))
        }
        Problem::LockTtlLonger { configured_ms, seen_ms } => {
            let (seen, configured) = (measure::limit(lang, *seen_ms), measure::limit(lang, *configured_ms));
            (ttl_longer(lang, seen, configured), ttl_longer_why(lang).into())
        }
        Problem::ArchiveRefused { refusal } => {
            (archive_refused(lang, super::archive::refusal(lang, refusal)), archive_refused_why(lang).into())
        }
        Problem::LockOfOtherType { redis_type, count } => {
            (other_type(lang, *count, redis_type), other_type_why(lang).into())
        }
    }
}
