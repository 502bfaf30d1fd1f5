//! What `check` found that need not be mended.

use super::{fault, measure, status};
use crate::model::{Audited, CodeCount, Fold, IndexPurpose, Lang, Note, StatusCount};

words! {
    status_index: "An index over the status would serve open records directly", "状态列上的索引可以直接查出未完成的记录";
    status_index_why:
        "Without it they are followed by id, or only the newest rows are read.",
        "没有它就只能按 id 跟踪，或只读取最新的行。";
    time_index: "An index over the time would give the newest records", "时间列上的索引可以给出最新的记录";
    time_index_why:
        "No id grows here, so without it lists are not in the order of time.",
        "这里没有递增的 id，没有它列表就无法按时间排序。";
    may_write(privileges): "The account may change the table: {privileges}", "账号可以修改这张表：{privileges}";
    may_write_why: "A read-only account is enough: SELECT on this table.", "只读账号就够了：这张表的 SELECT 权限。";
    replica: "This database is a replica", "这个数据库是从库";
    replica_behind(by): "This database is a replica, {by} behind", "这个数据库是从库，落后 {by}";
    replica_why: "Fine for reading; what is shown lags as much.", "用于读取没有问题，看到的内容会有同样的延迟。";
    folding(columns, collation): "Compared by {collation}: {columns}", "按 {collation} 比较：{columns}";
    folding_why(folds):
        "Keys that differ only in {folds} are one key for the unique index: the second message counts as a duplicate.",
        "仅{folds}不同的键对唯一索引来说是同一个键：第二条消息会被当作重复。";
    fold_case: "case", "大小写";
    fold_accents: "accents", "重音";
    fold_padding: "spaces at the end", "末尾空格";
    fold_unknown: "what the collation does not tell apart", "该排序规则不加区分之处";
    narrow(column, charset): "{column} has the character set {charset}", "{column} 的字符集是 {charset}";
    narrow_why:
        "It has no characters of four bytes, such as emoji and rare Han: such a key is refused, or cut outside strict mode.",
        "它不支持四字节字符，例如表情和生僻字：这样的键会被拒绝，非严格模式下会被截断。";
    fill_why:
        "Others are shorter: longer ones may have been cut, and two cut keys may be one.",
        "其他键更短：更长的键可能被截断，截断后两个键可能变成一个。";
    newest_none: "The table has no row yet", "表中还没有行";
    newest_age(age): "The newest is {age} old.", "最新的一行在 {age}前。";
    newest_no_age: "None of them has a time.", "这些行都没有时间。";
    unmapped_why: "Shown as unmapped and never touched. Name them in status.", "显示为未映射，也不会被改动。请在 status 中写明。";
    whole_hours(by): "The newest record is exactly {by} old", "最新的记录恰好是 {by}前";
    whole_hours_why(zone):
        "If messages come in all the time, the time zone may be wrong: times without one are read as {zone}.",
        "如果一直有消息进来，时区可能不对：不带时区的时间按 {zone} 读取。";
    lock_store(version, role, policy): "Redis {version}, {role}, maxmemory-policy {policy}", "Redis {version}，{role}，maxmemory-policy {policy}";
    no_limit: "No limit of memory is set, so it drops nothing.", "没有设置内存上限，因此不会淘汰任何键。";
    limit(bytes): "Its limit of memory is {bytes} bytes.", "内存上限为 {bytes} 字节。";
    lock_replica: "The locks are read from a replica", "锁是从从库读取的";
    lock_replica_why:
        "A lock that was taken just now may not be there yet: read from the master.",
        "刚刚取得的锁可能还没有同步过来：请从主库读取。";
    policy(policy): "Redis would drop locks once it has a limit of memory: {policy}", "一旦设置内存上限，Redis 会淘汰锁：{policy}";
    policy_why: "noeviction is right for locks.", "存放锁应使用 noeviction。";
    locks_seen(matching, examined): "Of {examined} keys looked at, {matching} match the lock pattern", "查看的 {examined} 个键中有 {matching} 个符合锁的模式";
    locks_none_why(total):
        "Of {total} keys in this database. Nobody is working just now, or the consumers use another pattern or database number.",
        "该库共有 {total} 个键。可能此刻没有消费，也可能消费者使用的模式或库号不同。";
    locks_seen_why(done): "{done} of them mean “already consumed”.", "其中 {done} 个表示“已消费”。";
    locks_longest(ttl): "The longest TTL left is {ttl}.", "剩余 TTL 最长为 {ttl}。";
    reports(deliveries, instances, minutes):
        "Consumers report: {deliveries} deliveries by {instances} instances in {minutes} minutes",
        "消费者有上报：{minutes} 分钟内 {deliveries} 次投递，{instances} 个实例";
    reports_none(minutes): "Nobody has reported for {minutes} minutes", "{minutes} 分钟内没有任何上报";
    reports_none_why(address):
        "Looked for at {address}. No consumer is running, or they use another prefix, source name or database number.",
        "查找位置：{address}。可能没有消费者在运行，也可能它们使用的前缀、来源名或库号不同。";
    reports_unreadable(count):
        "{count} fields are none of the convention’s and are not counted.",
        "{count} 个字段不属于约定，未计入。";
    no_consumer(queue): "Nobody consumes from {queue}", "{queue} 没有消费者";
    no_consumer_why: "Its messages wait until a consumer connects.", "消息会一直等到有消费者连接。";
    archive_not_yet(table): "The archive {table} is not there yet", "归档表 {table} 还不存在";
    archive_not_yet_why:
        "Until it is, a key that was moved counts as unknown. Is the name right?",
        "在它建好之前，已移走的键会显示为未知。名称是否正确？";
    archive_unindexed(table): "No index of the archive {table} finds a key", "归档表 {table} 没有可按键查找的索引";
    archive_unindexed_why:
        "A key that is not in the table cannot be looked up in a large archive: give it an index like the table's, which need not be unique.",
        "归档表较大时，无法在其中查找主表里没有的键：请建一个与主表相同的索引，不必唯一。";
    dead_letter(queue): "The dead letter queue {queue} was found", "找到了死信队列 {queue}";
    dead_letter_not_yet(queue): "The dead letter stream {queue} is not there yet", "死信流 {queue} 还不存在";
    dead_letter_not_yet_why:
        "Its first entry makes it. It counts as empty; is the name right?",
        "写入第一条时才会创建，此前视为空。名称是否正确？";
    lag_unknown(group): "The lag of {group} is not known", "{group} 的积压未知";
    lag_unknown_why:
        "Redis is older than 7.0, entries were deleted from the middle of the stream, or the group began there. What waits is then not known, and never shown as nothing.",
        "Redis 低于 7.0、流的中间有条目被删除，或消费组从中间开始。此时等待数未知，不会显示为零。";
    streams_not_searched: "Not all keys of Redis were searched for streams", "没有搜索完 Redis 的所有键";
    streams_not_searched_why:
        "There may be more streams. Naming them without * in the configuration needs no search.",
        "可能还有其他流。在配置中写明不带 * 的名称就不需要搜索。";
    consumer_timeout(queue, limit):
        "The broker takes unacked messages of {queue} back after {limit}",
        "{queue} 的未确认消息会在 {limit} 后被收回";
    consumer_timeout_why(configured):
        "retry.consumer_timeout says {configured}: set it to the same, retries are judged by it.",
        "而 retry.consumer_timeout 为 {configured}：请设为相同的值，重试据此判断。";
    unaudited(what): "{what}: could not be looked at", "{what}：无法查看";
    what_grants: "Grants", "权限";
    what_replica: "Replication", "复制状态";
    what_collations: "Collations", "排序规则";
    what_ids: "Ids left", "id 余量";
    what_newest: "Newest rows", "最新的行";
    what_clock: "Clock", "时钟";
    what_lock_store: "Settings of Redis", "Redis 设置";
    what_archiving: "What stands in the way of archiving", "阻碍归档的问题";
    what_lock_sample: "Sample of the locks", "锁的抽样";
}

counted! {
    fill(n, column, length):
        "{n} key fills {column} to its length of {length}",
        "{n} keys fill {column} to its length of {length}",
        "有 {n} 个键恰好占满 {column} 的长度 {length}";
    newest(n, statuses): "The newest row: {statuses}", "The newest {n} rows: {statuses}", "最新的 {n} 行：{statuses}";
    any_rows(n, statuses): "One row: {statuses}", "{n} rows in no order of time: {statuses}", "不按时间顺序的 {n} 行：{statuses}";
    left_out(n): "{n} more is left out by where.", "{n} more are left out by where.", "另有 {n} 行被 where 排除。";
    unmapped_codes(n, codes):
        "{n} of the newest rows has a code that nothing maps: {codes}",
        "{n} of the newest rows have codes that nothing maps: {codes}",
        "最新的行中有 {n} 行的状态码没有映射：{codes}";
    unmapped_rows(n):
        "{n} of the newest rows fits no rule",
        "{n} of the newest rows fit no rule",
        "最新的行中有 {n} 行不符合任何规则";
    dead_letter_why(n): "It holds {n} message.", "It holds {n} messages.", "其中有 {n} 条消息。";
}

/// What was found, and what it means; the latter may be empty.
#[must_use]
pub fn note(lang: Lang, note: &Note) -> (String, String) {
    let both = |what: &str, why: &str| (what.to_owned(), why.to_owned());
    match note {
        Note::IndexWouldHelp { serves: IndexPurpose::Status, .. } => both(status_index(lang), status_index_why(lang)),
        Note::IndexWouldHelp { serves: IndexPurpose::Time, .. } => both(time_index(lang), time_index_why(lang)),
        Note::MayWrite { privileges } => (may_write(lang, privileges.join(", ")), may_write_why(lang).into()),
        Note::Replica { behind_ms: None } => both(replica(lang), replica_why(lang)),
        Note::Replica { behind_ms: Some(ms) } => {
            (replica_behind(lang, measure::limit(lang, *ms)), replica_why(lang).into())
        }
        Note::Folding { columns, collation, folds: of } => {
            (folding(lang, columns.join(", "), collation), folding_why(lang, folds(lang, of)))
        }
        Note::NarrowCharset { column, charset } => (narrow(lang, column, charset), narrow_why(lang).into()),
        Note::KeysFillColumn { column, length, keys } => (fill(lang, *keys, column, length), fill_why(lang).into()),
        Note::NewestRows { rows, statuses, in_order, age_ms, left_out } => {
            let say: fn(Lang, u64, String) -> String = if *in_order { newest } else { any_rows };
            newest_rows(lang, say, *rows, statuses, *age_ms, *left_out)
        }
        Note::UnmappedCodes { rows, codes: of } if of.is_empty() => {
            (unmapped_rows(lang, *rows), unmapped_why(lang).into())
        }
        Note::UnmappedCodes { rows, codes: of } => (unmapped_codes(lang, *rows, codes(of)), unmapped_why(lang).into()),
        Note::WholeHoursOld { minutes, timezone } => {
            let by = measure::duration(lang, minutes.saturating_mul(60_000));
            (whole_hours(lang, by), whole_hours_why(lang, timezone))
        }
        Note::LockReplica => both(lock_replica(lang), lock_replica_why(lang)),
        Note::EvictionPolicy { policy: of } => (policy(lang, of), policy_why(lang).into()),
        Note::LockStore { version, role, policy, max_memory } => store(lang, version, role, policy, *max_memory),
        Note::LockSample { matching, done, examined, total, longest_ttl_ms } => {
            sample(lang, *matching, *done, *examined, *total, *longest_ttl_ms)
        }
        Note::NoConsumer { queue } => (no_consumer(lang, queue), no_consumer_why(lang).into()),
        Note::DeadLetterFound { queue, messages } => {
            let holds = messages.map(|messages| dead_letter_why(lang, messages));
            (dead_letter(lang, queue), holds.unwrap_or_default())
        }
        Note::ArchiveRetention { warning } => {
            // A headline, and not a sentence.
            let says = super::archive::warning(lang, warning);
            (says.trim_end_matches(['.', '。']).to_owned(), String::new())
        }
        Note::ArchiveNotYet { table } => (archive_not_yet(lang, table), archive_not_yet_why(lang).into()),
        Note::ArchiveUnindexed { table } => (archive_unindexed(lang, table), archive_unindexed_why(lang).into()),
        Note::DeadLetterNotYet { queue } => (dead_letter_not_yet(lang, queue), dead_letter_not_yet_why(lang).into()),
        Note::Reports { address, minutes, deliveries, instances, unreadable } => {
            let strange = match unreadable {
                0 => String::new(),
                count => reports_unreadable(lang, measure::grouped(*count)),
            };
            match (deliveries, instances) {
                (0, 0) => {
                    (reports_none(lang, minutes), super::join(lang, &[&reports_none_why(lang, address), &strange]))
                }
                _ => (reports(lang, measure::grouped(*deliveries), measure::grouped(*instances), minutes), strange),
            }
        }
        Note::LagUnknown { group } => (lag_unknown(lang, group), lag_unknown_why(lang).into()),
        Note::StreamsNotSearched => both(streams_not_searched(lang), streams_not_searched_why(lang)),
        Note::ConsumerTimeout { queue, broker_ms, configured_ms } => (
            consumer_timeout(lang, queue, measure::limit(lang, *broker_ms)),
            consumer_timeout_why(lang, measure::limit(lang, *configured_ms)),
        ),
        Note::Unaudited { what, fault: why } => (unaudited(lang, audited(lang, *what)), fault(lang, why)),
    }
}

fn store(lang: Lang, version: &str, role: &str, policy: &str, max_memory: u64) -> (String, String) {
    let memory = match max_memory {
        0 => no_limit(lang).into(),
        bytes => limit(lang, measure::grouped(bytes)),
    };
    (lock_store(lang, version, role, policy), memory)
}

fn sample(
    lang: Lang,
    matching: u64,
    done: u64,
    examined: u64,
    total: u64,
    longest_ttl_ms: Option<u64>,
) -> (String, String) {
    let seen = locks_seen(lang, measure::grouped(matching), measure::grouped(examined));
    if matching == 0 {
        return (seen, locks_none_why(lang, measure::grouped(total)));
    }
    let longest = longest_ttl_ms.map(|ms| locks_longest(lang, measure::limit(lang, ms))).unwrap_or_default();
    (seen, super::join(lang, &[&locks_seen_why(lang, measure::grouped(done)), &longest]))
}

fn newest_rows(
    lang: Lang,
    say: fn(Lang, u64, String) -> String,
    rows: u64,
    statuses: &[StatusCount],
    age_ms: Option<i64>,
    others: u64,
) -> (String, String) {
    let more = if others > 0 { left_out(lang, others) } else { String::new() };
    if rows == 0 {
        return (newest_none(lang).into(), more);
    }
    let each = statuses.iter().map(|of| format!("{} {}", measure::grouped(of.count), status(lang, of.status)));
    let age = match age_ms {
        None => newest_no_age(lang).to_owned(),
        // What lies in the future is a problem of its own.
        Some(ms) if ms < 0 => String::new(),
        Some(ms) => newest_age(lang, measure::age(lang, ms)),
    };
    let what = say(lang, rows, each.collect::<Vec<_>>().join(", "));
    (what, super::join(lang, &[&age, &more]))
}

/// `7 (3×), NULL (1×)`; text in quotes, so that an empty one is seen.
fn codes(codes: &[CodeCount]) -> String {
    let one = |of: &CodeCount| match &of.code {
        None => format!("NULL ({}×)", of.count),
        Some(code) if code.parse::<i128>().is_ok() => format!("{code} ({}×)", of.count),
        Some(code) => format!("{code:?} ({}×)", of.count),
    };
    codes.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn folds(lang: Lang, folds: &[Fold]) -> String {
    if folds.is_empty() {
        return fold_unknown(lang).into();
    }
    let word = |fold: &Fold| match fold {
        Fold::Case => fold_case(lang),
        Fold::Accents => fold_accents(lang),
        Fold::Padding => fold_padding(lang),
    };
    let between = match lang {
        Lang::En => ", ",
        Lang::Zh => "、",
    };
    folds.iter().map(word).collect::<Vec<_>>().join(between)
}

fn audited(lang: Lang, what: Audited) -> &'static str {
    match what {
        Audited::Grants => what_grants(lang),
        Audited::Replica => what_replica(lang),
        Audited::Collations => what_collations(lang),
        Audited::Ids => what_ids(lang),
        Audited::NewestRows => what_newest(lang),
        Audited::Clock => what_clock(lang),
        Audited::LockStore => what_lock_store(lang),
        Audited::Archiving => what_archiving(lang),
        Audited::LockSample => what_lock_sample(lang),
    }
}

#[cfg(test)]
mod tests {
    use super::note;
    use crate::model::{CodeCount, Fold, Lang, Note, Status, StatusCount};

    #[test]
    fn notes_in_both_languages() {
        let both = |one: &Note| [Lang::En, Lang::Zh].map(|lang| note(lang, one).0);
        let statuses = vec![StatusCount { status: Status::Completed, count: 1 }];
        let rows =
            |in_order| Note::NewestRows { rows: 1, statuses: statuses.clone(), in_order, age_ms: None, left_out: 0 };
        assert_eq!(both(&rows(true)), ["The newest row: 1 completed", "最新的 1 行：1 已完成"]);
        assert_eq!(both(&rows(false)), ["One row: 1 completed", "不按时间顺序的 1 行：1 已完成"]);
        let code = |code: Option<&str>, count| CodeCount { code: code.map(Into::into), count };
        let codes = vec![code(Some("7"), 2), code(Some(""), 1), code(None, 1)];
        let [en, zh] = both(&Note::UnmappedCodes { rows: 4, codes });
        assert_eq!(en, "4 of the newest rows have codes that nothing maps: 7 (2×), \"\" (1×), NULL (1×)");
        assert_eq!(zh, "最新的行中有 4 行的状态码没有映射：7 (2×), \"\" (1×), NULL (1×)");
        let folding = Note::Folding {
            columns: vec!["biz_id".into()],
            collation: "utf8mb4_general_ci".into(),
            folds: vec![Fold::Case, Fold::Accents],
        };
        let (_, why) = note(Lang::Zh, &folding);
        assert!(why.starts_with("仅大小写、重音不同的键"), "{why}");
    }
}
