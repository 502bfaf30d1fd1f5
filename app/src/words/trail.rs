//! The Audit page: who did what, how it ended, and whether the chain is whole.

use super::measure::grouped;
use super::{join, lock, operate};
use crate::model::{AuditEntry, AuditRefusal, AuditStanding, AuditWhy, Lang, RowOperation};

words! {
    audit: "Audit", "审计";
    entry(number): "Entry {number}", "第 {number} 条";
    search_label: "Add a qualifier or a key", "添加条件或业务键";
    filter: "Search the audit", "筛选审计";
    common_filters: "Common filters", "常用筛选";
    retries: "Retries", "重试";
    locks: "Locks", "锁";
    archive: "Archive", "归档";
    restores: "Restores", "恢复";
    refused_chip: "Refused", "被拒绝";
    without_end: "Without end", "未结束";
    help_since(zone): "begun since then: an age or a time, in {zone}", "从那时起：时长或时间，时区 {zone}";
    help_by: "by this person, token or schedule; with a star at its end all that begin so", "由此人、令牌或计划任务执行；末尾加星号表示以它开头";
    help_op: "retry, mark_failed, mark_dead, undo, release_lock, archive, archive_chunk, restore, archive_purge", "retry、mark_failed、mark_dead、undo、release_lock、archive、archive_chunk、restore、archive_purge";
    help_key: "that touched this key; a star at its end as with by: a key alone needs no key:", "处理过这个业务键；末尾星号同上；单独一个键可以省略 key:";
    help_item: "with an item that is done, skipped, failed or uncertain", "含有结果为 done、skipped、failed 或 uncertain 的项目";
    help_plan: "this operation, with its parts, what was refused of it and what undid it", "这个操作，连同它的各部分、被拒绝的尝试和撤销";
    help_source: "of this source only", "只看这个数据源";
    help_end: "ended so: done, stopped, failed, refused; none: it has no end though it should have", "这样结束：done、stopped、failed、refused；none 表示本应结束却没有";

    chain_never: "Chain not checked yet", "审计链尚未校验";
    chain_never_why: "Each row carries the hash of the one before. Check it to see whether any was changed or taken away.", "每一行都带有前一行的哈希。校验后可知是否有行被改动或取走。";
    chain_checking: "Chain is being checked", "正在校验审计链";
    chain_far(rows, of): "{rows} of {of} rows so far.", "已校验 {rows} / {of} 行。";
    chain_broke_off: "The check broke off", "校验中断";
    chain_broke_off_why(at): "It stopped at {at}, when its server did. Begin it again.", "{at} 随服务器停止而中断，请重新校验。";
    chain_whole: "Chain intact", "审计链完整";
    chain_whole_why(rows, at, by):
        "{rows} rows, each carries the hash of the one before; checked to the first at {at} by {by}.",
        "共 {rows} 行，每行都带有前一行的哈希；{by} 于 {at} 校验到第一行。";
    chain_broken: "Chain broken", "审计链断裂";
    chain_failed: "The chain could not be read", "无法读取审计链";
    chain_failed_why(at): "The state database gave up at {at}; the log says why.", "{at} 状态数据库没有答复，原因见日志。";
    check_chain: "Check chain", "校验审计链";
    look_again: "Look again", "刷新";

    no_end_why:
        "The process that began it stopped in the middle. Look at its items, then at what they are now.",
        "执行它的进程中途停止。请查看各项，再核对它们现在的状态。";
    see_entry(number): "See entry {number}", "查看第 {number} 条";
    see_them: "See them", "查看全部";

    newest_first(offset): "newest first, {offset}", "从新到旧，{offset}";
    columns: "who, begun and ended, number and hash", "操作人、开始与结束、编号与哈希";
    today: "Today", "今天";
    yesterday: "Yesterday", "昨天";
    nothing: "No operation matches", "没有符合条件的操作";
    nothing_yet: "Nothing was done yet", "还没有任何操作";
    nothing_yet_why: "Every operation is written down here before it begins, and refused attempts as well.", "每个操作在开始之前都会记在这里，被拒绝的尝试也会。";
    looked_far: "The newest 20,000 that come into question were looked at.", "已检查最近的 20,000 条候选记录。";
    never_changed: "Entries are never changed or deleted here; what is wrong is corrected by a later entry.", "这里的条目不会被修改或删除；有误之处由之后的条目更正。";
    drop_search: "Show all", "显示全部";

    retry_some: "Retry records", "重试记录";
    mark_failed_some: "Mark records failed", "将记录标为失败";
    mark_dead_some: "Mark records dead", "将记录标为终止";
    undo_some: "Undo an operation", "撤销操作";
    release_lock: "Release a lock", "释放锁";
    archive_some: "Archive records", "归档记录";
    restore_some: "Restore records", "恢复记录";
    archive_create: "Create the archive table", "创建归档表";
    something: "An operation", "操作";

    began(at): "begun {at}", "{at} 开始";
    goes_on: "goes on", "进行中";
    ended(at): "ended {at}", "{at} 结束";
    stopped(at): "stopped {at}", "{at} 停止";
    failed(at): "failed {at}", "{at} 失败";
    uncertain_at(at): "{at}: not known whether it was done", "{at}：不确定是否完成";
    colon: ": ", "：";
    no_end: "no end, though it should have one", "本应结束却没有结束";
    refused(why): "refused: {why}; nothing was changed", "被拒绝：{why}；没有改动任何东西";
    phrase_wrong(phrase): "the phrase did not match “{phrase}”", "输入的短语不是“{phrase}”";
    released: "released", "已释放";
    owner_changed: "another owner held it, nothing was deleted", "已被他人持有，没有删除任何东西";
    was_gone: "it was gone already", "锁已经不在";

    by_token(address): "token, {address}", "令牌，{address}";
    by_command(who): "command line, {who}", "命令行，{who}";
    by_schedule: "this server", "本服务器";

    reason: "Reason", "原因";
    no_reason: "none was asked for", "没有要求填写";
    operation_id: "Operation", "操作编号";
    source: "Source", "数据源";
    from: "From", "来自";
    lock_key: "Lock", "锁";
    lock_owner: "Owner then", "当时的持有者";
    hash: "Hash", "哈希";
    target: "What it was about", "操作对象";
    detail: "What came of it", "操作结果";
    as_kept: "as it is kept", "原始内容";
    to_operation: "Open the operation", "打开操作";
    to_archive: "Archive page", "归档页面";

    record: "Record", "记录";
    outcome: "Outcome", "结果";
    before: "Before", "之前";
    after: "After", "之后";
    why: "Detail", "说明";
    items: "What became of each item", "各项的结果";
    done: "done", "完成";
    skipped: "skipped", "跳过";
    item_failed: "failed", "失败";
    uncertain: "uncertain", "不确定";
    undone: "undone", "已撤销";
    untouched: "untouched", "未改动";
    deleted: "deleted, kept whole here", "已删除，完整留存";
    not_known: "not known", "未知";
    whole_row: "The whole row", "完整的行";
    too_large(characters): "{characters} characters are kept of it: too many for a list", "留存了 {characters} 个字符，列表中不显示";
    paused(by): "{by} paused it", "{by} 暂停";
    resumed(by): "{by} let it go on", "{by} 继续";
    stopped_by(by): "{by} stopped it", "{by} 停止";
    swept: "it should have ended by then", "到此时本应结束";
    more_items: "All of them", "查看全部";
    next_items: "The next ones", "后面的";
    first_items: "From the first", "从头看";
}

counted! {
    retry_n(n): "Retry one record", "Retry {n} records", "重试 {n} 条记录";
    mark_failed_n(n): "Mark one record failed", "Mark {n} records failed", "将 {n} 条记录标为失败";
    mark_dead_n(n): "Mark one record dead", "Mark {n} records dead", "将 {n} 条记录标为终止";
    undo_n(n): "Undo one record", "Undo {n} records", "撤销 {n} 条记录";
    archive_n(n): "Archive one record", "Archive {n} records", "归档 {n} 条记录";
    restore_n(n): "Restore one record", "Restore {n} records", "恢复 {n} 条记录";
    purge_n(n): "Delete one archived record", "Delete {n} archived records", "删除 {n} 条已归档记录";
    no_end_title(n): "One operation has no end.", "{n} operations have no end.", "{n} 个操作没有结束。";
    shown(n): "One shown.", "{n} shown.", "显示 {n} 条。";
    done_n(n): "{n} done", "{n} done", "完成 {n}";
    skipped_n(n): "{n} skipped", "{n} skipped", "跳过 {n}";
    failed_n(n): "{n} failed", "{n} failed", "失败 {n}";
    uncertain_n(n): "{n} uncertain", "{n} uncertain", "不确定 {n}";
    left_n(n): "{n} left alone", "{n} left alone", "未动 {n}";
    first_of(n): "The first one", "The first {n}", "前 {n} 项";
}

/// Verb and object, as a headline.
pub(crate) fn what(lang: Lang, entry: &AuditEntry) -> String {
    type Plain = fn(Lang) -> &'static str;
    type Counted = fn(Lang, u64) -> String;
    let or = |count: Option<u64>, counted: Counted, some: Plain| match count {
        Some(n) => counted(lang, n),
        None => some(lang).to_owned(),
    };
    let restored = || ["done", "exists", "gone", "locked"].iter().filter_map(|name| entry.count(name)).sum();
    match entry.operation.as_str() {
        "retry" => or(rows(entry), retry_n, retry_some),
        "mark_failed" => or(rows(entry), mark_failed_n, mark_failed_some),
        "mark_dead" => or(rows(entry), mark_dead_n, mark_dead_some),
        "undo" => or(entry.count("undone"), undo_n, undo_some),
        "release_lock" => release_lock(lang).into(),
        "archive" => or(entry.count("moved"), archive_n, archive_some),
        "archive_chunk" => {
            let moved = entry.count("moved").or_else(|| entry.target.get("rows")?.as_u64());
            or(moved, archive_n, archive_some)
        }
        "archive_create" => archive_create(lang).into(),
        "archive_purge" => purge_n(lang, entry.detail.as_ref().and_then(serde_json::Value::as_u64).unwrap_or(0)),
        "restore" => or(entry.detail.as_ref().map(|_| restored()), restore_n, restore_some),
        "" => something(lang).into(),
        other => other.into(),
    }
}

/// Rows of a run.
fn rows(entry: &AuditEntry) -> Option<u64> {
    entry.count("done")?;
    Some(["open", "done", "skipped", "failed", "uncertain", "undone"].iter().filter_map(|name| entry.count(name)).sum())
}

/// How many of what; empty where there is nothing to count.
pub(crate) fn tally(lang: Lang, entry: &AuditEntry) -> String {
    type Counted = fn(Lang, u64) -> String;
    let left = || match entry.detail.as_ref().and_then(|detail| detail.get("left")) {
        Some(left) => left.as_object().map_or(0, |left| left.values().filter_map(serde_json::Value::as_u64).sum()),
        None => {
            ["differs", "gone", "locked", "not_undoable", "exists"].iter().filter_map(|name| entry.count(name)).sum()
        }
    };
    let counts: Vec<(u64, Counted)> = match entry.operation.as_str() {
        "retry" | "mark_failed" | "mark_dead" => {
            let of = |name: &str| entry.count(name).unwrap_or(0);
            vec![
                (of("done") + of("undone"), done_n),
                (of("failed"), failed_n),
                (of("uncertain"), uncertain_n),
                (of("skipped"), skipped_n),
                (of("open"), left_n),
            ]
        }
        "undo" => vec![(entry.count("undone").unwrap_or(0), done_n), (left(), left_n)],
        "archive" | "archive_chunk" => vec![(entry.count("moved").unwrap_or(0), done_n), (left(), left_n)],
        "restore" => vec![(entry.count("done").unwrap_or(0), done_n), (left(), left_n)],
        _ => Vec::new(),
    };
    let first = counts.first().map(|(n, word)| word(lang, *n));
    let others = counts.iter().skip(1).filter(|(n, _)| *n > 0).map(|(n, word)| word(lang, *n));
    let between = if lang == Lang::En { ", " } else { "，" };
    let said: Vec<String> =
        if entry.standing == AuditStanding::Ended { first.into_iter().chain(others).collect() } else { Vec::new() };
    said.join(between)
}

pub(crate) fn refusal(lang: Lang, refusal: &AuditRefusal) -> String {
    match refusal {
        AuditRefusal::Role { needed } => lock::why_not(lang, &crate::model::WhyNot::Role { needed: *needed }),
        AuditRefusal::NotAllowed { why } => lock::why_not(lang, why),
        AuditRefusal::Phrase { phrase } => phrase_wrong(lang, phrase),
    }
}

pub(crate) fn item_outcome(lang: Lang, outcome: &str) -> String {
    match outcome {
        "done" => done(lang).into(),
        "skipped" => skipped(lang).into(),
        "failed" => item_failed(lang).into(),
        "uncertain" => uncertain(lang).into(),
        "undone" => undone(lang).into(),
        other => other.into(),
    }
}

pub(crate) fn item_why(lang: Lang, why: &AuditWhy) -> String {
    match why {
        AuditWhy::Skip(skip) => operate::skip(lang, skip),
        AuditWhy::Setback(setback) => operate::setback(lang, setback),
        AuditWhy::Text(text) => text.clone(),
    }
}

/// Where somebody came from, behind their name.
pub(crate) fn origin(lang: Lang, origin: &str) -> String {
    match origin.split_once(' ') {
        Some(("browser", address)) => address.to_owned(),
        Some(("token", address)) => by_token(lang, address),
        Some(("cli", who)) => by_command(lang, who),
        _ if origin == "schedule" => by_schedule(lang).into(),
        _ => origin.to_owned(),
    }
}

/// The operation of a run on rows, whose page says more.
pub(crate) fn is_of_rows(operation: &str) -> bool {
    RowOperation::parse(operation).is_some()
}

/// The last line below a list.
pub(crate) fn foot(lang: Lang, shown_entries: usize, looked_on: bool) -> String {
    let shown = shown(lang, u64::try_from(shown_entries).unwrap_or(u64::MAX));
    let far = if looked_on { looked_far(lang) } else { "" };
    join(lang, &[&shown, far, never_changed(lang)])
}

pub(crate) fn rows_of(lang: Lang, rows: u64, of: u64) -> String {
    chain_far(lang, grouped(rows), grouped(of))
}
