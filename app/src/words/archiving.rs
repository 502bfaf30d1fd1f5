//! The Archive page: how far a run is and what it waits for, the policy, plans and restores.

use super::{archive, overview};
use crate::model::{ArchiveNote, ArchiveRefusal, ArchiveRestored, ArchiveRun, Flash, Lang};

words! {
    archive: "Archive", "归档";
    from_to(table, archive): "{table} to {archive}", "{table} 归档到 {archive}";
    not_configured: "No archive is configured for this source", "这个数据源没有配置归档";
    not_configured_why:
        "Completed records can be moved out of the table into an archive table, which keeps its indexes small. In the configuration, below this source:",
        "可以把已完成的记录移到归档表，让主表和索引保持小巧。在配置中该数据源下加入：";
    how_configured: "configuration", "配置";
    read_only: "This source is read-only.", "这个数据源是只读的。";
    read_only_why: "Archiving needs [source.records.write], with an account that may delete from the table.", "归档需要 [source.records.write]，并使用有权从表中删除的账号。";
    trouble: "Tables and brokers were not asked to their end.", "数据表和消息队列没有查完。";

    plan_run: "Plan a run…", "计划一次归档…";
    pause: "Pause after this chunk", "本批之后暂停";
    resume: "Go on", "继续";
    stop(moved): "Stop, keep {moved} moved", "停止，保留已移动的 {moved} 条";
    look_again: "Look again", "刷新";
    needs_operator: "It needs the role operator", "需要操作员角色";

    waiting: "waiting", "等待中";
    running: "running", "运行中";
    paused: "paused", "已暂停";
    stopped: "stopped", "已停止";
    done: "completed", "已完成";
    failed: "failed", "失败";
    window_ended: "window ended", "窗口结束";
    resting: "resting", "放缓中";
    will_pause: "It pauses after this chunk.", "本批之后暂停。";
    will_stop: "It stops after this chunk.", "本批之后停止。";
    waits_for_runner: "A server takes it up within seconds, or once the run before it has ended.", "服务器几秒内会开始，或等前一次运行结束。";
    paused_why: "It stands still until somebody lets it go on. What was moved stays moved.", "在有人继续之前保持不动。已移动的保持不变。";

    of_planned(n, percent): "of {n} records moved, {percent} %", "条已移动，共 {n} 条，{percent}%";
    moved: "records moved", "条已移动";
    per_second(n): "{n} per second", "每秒 {n} 条";
    left_about(time): "about {time} left", "大约还要 {time}";
    chunks_in(n, table): "{n} chunks, now in {table}", "{n} 个批次，正在 {table}";
    chunks(n): "{n} chunks", "{n} 个批次";
    bar(percent): "{percent} percent moved", "已移动 {percent}%";
    by(who, at): "By {who}, {at}.", "{who}，{at}。";
    polite: "Polite: small chunks and long rests.", "温和模式：小批次，长间歇。";
    because(reason): "Reason: {reason}", "原因：{reason}";
    in_audit: "In the audit", "查看审计";
    now(number): "Run {number}", "第 {number} 次运行";

    in_the_way: "What stands in its way", "阻碍归档的问题";
    in_the_way_sub(table): "of {table}; nothing of it is archived as things stand", "{table}；目前不会归档其中任何内容";
    missing(table): "there is no table {table}; a plan offers to make it by these statements", "没有表 {table}；制定计划时可以用以下语句创建它";
    ddl: "statements that make the archive", "创建归档表的语句";
    open_door: "Is a door reopened?", "会重新放行重复消息吗？";

    policy: "Policy", "策略";
    keep: "Keep", "保留期";
    keep_of(time): "{time} after the last change", "最后一次变化之后 {time}";
    keep_unset: "not set: nothing is archived", "未设置：不会归档任何内容";
    mode: "Mode", "方式";
    mode_move(table): "move to {table}", "移动到 {table}";
    mode_delete: "delete; nothing is kept", "删除，不保留";
    schedule: "Schedule", "计划";
    by_hand: "by hand only", "仅手动";
    window: "Window", "窗口";
    window_of(time): "{time} from its beginning, then the next one goes on", "开始后 {time}，之后由下一次继续";
    chunk: "Chunk", "批次";
    chunk_of(n): "at most {n} rows, by the time that the last one took: 200\u{a0}ms, polite 20\u{a0}ms", "最多 {n} 行，按上一批用时调整：200\u{a0}毫秒，温和模式 20\u{a0}毫秒";
    waits: "Waits", "等待";
    waits_for: "for a replica that is behind, for rows that others hold, and when rows take longer and longer", "从库落后、行被占用、用时变长时";
    never: "Never", "从不归档";
    never_what: "processing, failed, dead and unmapped records, however old", "处理中、失败、终止和未映射的记录，无论多旧";
    next: "Next", "下一次";

    runs: "Runs", "运行记录";
    newest_first: "newest first", "从新到旧";
    started: "Started", "开始";
    outcome: "Outcome", "结果";
    actor: "By", "操作人";
    moved_head: "Moved", "移动";
    rate: "Per second", "每秒";
    took: "Took", "用时";
    detail: "Detail", "说明";
    no_runs: "Nothing was archived yet", "还没有归档过";
    no_runs_why: "Runs stand here, newest first, with what each moved and why it ended.", "运行记录会列在这里，从新到旧，包括移动的数量和结束原因。";
    older: "Older", "更早";
    first_page: "Newest", "最新";
    schedule_actor: "schedule", "计划任务";

    restore: "Restore", "恢复";
    restore_sub: "Puts archived records back as they were. One whose key exists again stays in the archive.", "把归档的记录按原样放回。键已再次存在的记录留在归档中。";
    restore_key: "Key", "业务键";
    restore_type: "Type", "类型";
    restore_from: "or changed last from", "或最后变化从";
    restore_to: "to, that day included", "到（含当天）";
    plan_restore: "Plan restore", "计划恢复";
    restore_counts: "The plan counts them first, 10,000 at most; nothing is changed yet.", "计划先计数，最多 10,000 条；此时不改动任何东西。";

    plan: "Plan", "执行计划";
    nothing_ripe: "Nothing is old enough", "没有足够旧的记录";
    nothing_ripe_why(keep): "No completed record that was looked at is older than {keep}.", "检查过的记录中没有早于 {keep} 的已完成记录。";
    what_counted: "What was counted", "计数结果";
    counted_sub(n): "{n} rows were looked at, from where the last run left one behind", "从上一次留下的位置起检查了 {n} 行";
    more: "A plan looks at 200,000 rows of a table; the run goes on beyond them.", "计划只检查每张表 200,000 行，运行会继续往后。";
    would_move: "would be archived", "将被归档";
    would_stay: "stay, with reason", "保留，附原因";
    looked_at: "looked at", "已检查";
    bar_of(ripe, of): "{ripe} of {of} would be archived", "{of} 条中将归档 {ripe} 条";
    why_not_completed: "Not completed", "未完成";
    why_not_completed_why: "Processing, failed, dead and unmapped records need a person, however old.", "处理中、失败、终止和未映射的记录无论多旧都需要人处理。";
    why_young: "Too young", "还不够旧";
    why_young_why(keep): "They changed less than {keep} ago.", "最近一次变化距今不足 {keep}。";
    why_no_time: "Without a time", "没有时间";
    why_no_time_why: "Nobody knows how old they are.", "无法判断新旧。";
    why_locked: "Held by other transactions", "被其他事务占用";
    why_locked_why: "They are left for the next run.", "留给下一次运行。";
    what_happens: "What will happen", "将会发生什么";
    each_chunk: "Each chunk", "每个批次";
    each_chunk_what: "one transaction: locked, judged again, copied, deleted; three numbers that must be the same, else it is rolled back", "一个事务：加锁、重新判断、复制、删除；三个数字必须一致，否则回滚";
    undo: "Undo", "撤销";
    undo_restore: "restore, unless the key exists again", "恢复，除非键已再次存在";
    undo_none: "none: nothing is kept", "无法撤销：不保留内容";

    confirm: "Confirm", "确认";
    reason: "Reason, kept in the audit", "原因，记入审计";
    pace: "Pace", "节奏";
    pace_usual: "Usual: 200\u{a0}ms a chunk", "正常：每批 200\u{a0}毫秒";
    pace_polite: "Polite: 20\u{a0}ms a chunk, long rests", "温和：每批 20\u{a0}毫秒，长间歇";
    create_table(table): "Make the table {table} first, by the statements that are shown", "先用所示语句创建表 {table}";
    create_needed: "Nothing begins without it.", "不勾选则不会开始。";
    type_phrase: "Type", "输入";
    to_confirm: "to confirm", "以确认";
    phrase_why: "Asked for, because it moves many rows.", "因为会移动大量行，需要输入。";
    phrase_why_delete: "Asked for, because this cannot be undone.", "因为无法撤销，需要输入。";
    back: "Back to the archive", "返回归档";
    sample: "Sample", "样本";
    sample_of(n, of): "the first {n} of {of}", "共 {of} 条中的前 {n} 条";
    archived_as: "Changed last", "最后变化";
    too_many: "More than 10,000 match", "超过 10,000 条符合";
    too_many_why: "Narrow it, or restore them on the command line, which has no such limit.", "请缩小范围，或使用没有此限制的命令行恢复。";
    none_found: "Nothing in the archive matches", "归档中没有符合的记录";
    none_found_why: "Nothing was changed.", "没有改动任何东西。";
    put_back: "Each goes back in one transaction, as old as it was: the next run archives it again unless keep is raised first.", "每条在一个事务中放回，仍是原来的时间：除非先调大 keep，下一次运行会再次归档它。";

    begins: "Archiving begins", "归档开始";
    begun_why(number): "A server takes run {number} up within seconds. It goes on when this page is closed.", "服务器几秒内开始第 {number} 次运行。关闭本页后继续。";
    told: "The run was told", "已通知运行";
    told_pause: "It pauses after its chunk.", "它会在本批之后暂停。";
    told_stop: "It stops after its chunk. What was moved stays moved.", "它会在本批之后停止。已移动的保持不变。";
    told_resume: "It goes on.", "它会继续。";
    refused: "It is refused as things stand", "目前不允许";
    another: "Another run has not ended", "另一次运行尚未结束";
    another_why: "Nothing was begun. Stop it, or let it go on to its end.", "没有开始。请先停止它，或等它结束。";
    over: "It has ended already", "它已经结束";
    over_why: "Nothing was changed.", "没有改动任何东西。";
    restored_title: "Restored", "已恢复";
    restored_goes_on: "The restore goes on", "恢复仍在进行";
    restored_goes_on_why: "The audit says what came of it.", "结果见审计。";
}

counted! {
    archive_title(n): "Archive one record", "Archive {n} records", "归档 {n} 条记录";
    archive_at_least(n): "Archive at least one record", "Archive at least {n} records", "归档至少 {n} 条记录";
    restore_title(n): "Restore one record", "Restore {n} records", "恢复 {n} 条记录";
    back_n(n): "One record is back.", "{n} records are back.", "已放回 {n} 条记录。";
    exists_n(n): "One stays: its key is there again.", "{n} stay: their keys are there again.", "{n} 条的键已再次存在，保留在归档中。";
    not_back_n(n): "One is gone meanwhile or held by another transaction.", "{n} are gone meanwhile or held by other transactions.", "{n} 条已不在或被其他事务占用。";
    left_alone(n): "one left alone", "{n} left alone", "{n} 条未动";
}

pub(crate) fn actor_of(lang: Lang, run: &ArchiveRun) -> String {
    if run.actor == "schedule" { schedule_actor(lang).into() } else { run.actor.clone() }
}

/// On pages: without the command line's flags.
pub(crate) fn refusal(lang: Lang, why: &ArchiveRefusal) -> String {
    match why {
        ArchiveRefusal::ArchiveMissing { table, .. } => missing(lang, table),
        why => archive::refusal(lang, why),
    }
}

/// With a capital at its beginning and a full stop at its end, where it stands alone.
pub(crate) fn whole_sentence(lang: Lang, text: &str) -> String {
    let mut characters = text.chars();
    // A name keeps its case.
    let first = characters.next().filter(|_| !text.split(' ').next().is_some_and(|word| word.contains(['_', '.'])));
    let begun = first.map(|first| first.to_uppercase().chain(characters).collect());
    if text.is_empty() { String::new() } else { overview::sentence(lang, begun.unwrap_or_else(|| text.to_owned())) }
}

/// Why a run stands where it stands, and what it left.
pub(crate) fn detail_of(lang: Lang, run: &ArchiveRun) -> String {
    let note = match &run.note {
        None | Some(ArchiveNote::WindowEnded) => String::new(),
        Some(ArchiveNote::Refused { refusal: why }) => refusal(lang, why),
        Some(note) => archive::note(lang, note),
    };
    let left = run.left.all();
    let left = if left > 0 { left_alone(lang, left) } else { String::new() };
    let between = if lang == Lang::En { "; " } else { "；" };
    [note, left].into_iter().filter(|said| !said.is_empty()).collect::<Vec<String>>().join(between)
}

pub(crate) fn flash(lang: Lang, flash: &Flash) -> (&'static str, String) {
    let says = match flash {
        Flash::ArchiveBegun { number } => return (begins(lang), begun_why(lang, number)),
        Flash::ArchiveSteered { wish, .. } => match wish.as_str() {
            "pause" => (told(lang), told_pause(lang)),
            "stop" => (told(lang), told_stop(lang)),
            _ => (told(lang), told_resume(lang)),
        },
        Flash::ArchiveRefused { refusal: why } => return (refused(lang), refusal(lang, why)),
        Flash::ArchiveAnother => (another(lang), another_why(lang)),
        Flash::Restored { restored: None } => (restored_goes_on(lang), restored_goes_on_why(lang)),
        Flash::Restored { restored: Some(restored) } => return (restored_title(lang), restored_text(lang, restored)),
        _ => (over(lang), over_why(lang)),
    };
    (says.0, says.1.into())
}

fn restored_text(lang: Lang, restored: &ArchiveRestored) -> String {
    let ArchiveRestored { done, exists, gone, locked } = *restored;
    let said = [(done, back_n as fn(Lang, u64) -> String), (exists, exists_n), (gone + locked, not_back_n)];
    let said: Vec<String> = said.into_iter().filter(|(n, _)| *n > 0).map(|(n, word)| word(lang, n)).collect();
    super::join(lang, &said.iter().map(String::as_str).collect::<Vec<&str>>())
}
