use super::{layer_subject, measure, verdict};
use crate::model::{Attention, Lang};

words! {
    overview: "Overview", "总览";
    aging: "Aging pending", "滞留处理中";
    processing: "Processing", "处理中";
    failed: "Failed", "失败";
    locks_held: "Locks held", "持有中的锁";
    locks_wrong: "Wrong locks", "异常锁";
    ready: "Ready", "等待中";
    dead_letter: "Dead letter", "死信";
    handling_time: "P99 handling time", "处理耗时 P99";
    conflicts: "Lock conflicts", "锁冲突";
    dedup_hits: "Dedup hits", "去重命中";
    duplicate_rate: "Duplicate rate", "重复率";
    interception: "Interception", "拦截率";
    retries: "Failures", "失败率";
    consumers: "Consumers alive", "在线消费者";
    per_minute(n): "{n}\u{a0}/min", "{n}\u{a0}/分";
    percent(n): "{n}\u{a0}%", "{n}\u{a0}%";
    of(part, whole): "{part} of {whole}", "{part} / {whole}";
    lock_ttl(ttl): "lock TTL {ttl}", "锁 TTL {ttl}";
    median(p50): "median {p50}", "中位数 {p50}";
    none_through: "none got through", "无漏过";
    through(n): "{n} got through", "漏过 {n} 条";
    nobody_reports: "nobody reports", "无人上报";
    nothing_handled: "nothing handled in 5 min", "5 分钟内没有处理完成";
    layers(status, lock, index): "status {status}, lock {lock}, index {index}", "状态 {status}，锁 {lock}，索引 {index}";
    no_duplicates: "no duplicates", "没有重复";
    in_two_minutes: "in the last 2 minutes", "最近 2 分钟";
    handling_line: "Handling time against lock TTL", "处理耗时与锁 TTL";
    handling_line_sub(each):
        "P99 and P50 of {each}; gaps: nothing was handled or nobody reported",
        "{each}的 P99 与 P50；空白处没有处理或无人上报";
    handling_finding(p99, most, span): "P99 {p99} at the end, {most} at most in {span}", "末尾 P99 {p99}，{span}内最高 {most}";
    p99: "P99", "P99";
    p50: "P50", "P50";
    layers_line: "Deliveries and duplicates by layer", "投递与各层拦截的重复";
    layers_line_sub(per): "{per}; where duplicates were stopped", "{per}；重复在哪一层被拦下";
    layers_sums(span, deliveries, duplicates, rate):
        "In {span}: {deliveries} deliveries, {duplicates} duplicates ({rate})",
        "{span}内 {deliveries} 次投递，{duplicates} 次重复（{rate}）";
    layers_caught(sums, share): "{sums}, {share} of them intercepted.", "{sums}，拦截 {share}。";
    layers_finding(deliveries, duplicates, span): "{deliveries} deliveries and {duplicates} duplicates in {span}", "{span}内 {deliveries} 次投递，{duplicates} 次重复";
    deliveries: "deliveries", "投递";
    by_status: "status check", "状态检查";
    by_lock: "lock", "锁";
    by_index: "unique index", "唯一索引";
    conflicts_line: "Lock conflicts against index hits", "锁冲突与索引命中";
    conflicts_line_sub(per): "{per}; when the index catches more than the lock refuses, the lock lets through", "{per}；索引拦下的多于锁拒绝的，说明锁在放行";
    conflicts_finding(conflicts, hits, span): "{conflicts} conflicts and {hits} index hits in {span}", "{span}内 {conflicts} 次锁冲突，{hits} 次索引命中";
    conflicts_short: "conflicts", "冲突";
    hits_short: "index hits", "索引命中";
    sources_bars: "Top duplicate sources", "主要重复来源";
    sources_bars_sub(n, span): "{n} duplicates in {span}, by type and origin", "{span}内 {n} 次重复，按类型与来源";
    sources_finding(n, first, span): "{n} duplicates in {span}, most of them {first}", "{span}内 {n} 次重复，最多的是 {first}";
    no_type: "all", "全部";
    not_reported: "Nobody reported in this time", "这段时间无人上报";
    not_reported_why: "Consumers report into Redis or by HTTP; the guide shows how.", "消费者可写入 Redis 或通过 HTTP 上报，接入方法见文档。";
    over(age): "over {age}", "超过 {age}";
    oldest(age): "oldest {age}", "最久 {age}";
    expiring(n): "{n} expiring", "{n} 把即将到期";
    wrong_parts(eternal, orphan, unprotected):
        "{eternal} eternal, {orphan} orphan, {unprotected} unprotected",
        "永不过期 {eternal}，孤儿 {orphan}，失去保护 {unprotected}";
    wrong_none: "none of them", "没有异常";
    unacked(n): "{n} unacked", "{n} 条未确认";
    no_code: "no code for it", "没有对应状态码";
    not_configured: "not configured", "未配置";
    no_dead_letter: "none configured", "没有配置死信";
    some_not_seen: "not every broker is seen", "部分消息队列看不到";
    both(a, b): "{a}, {b}", "{a}，{b}";
    dead_empty: "empty", "为空";
    dead_waiting: "wait for a person", "等待人工处理";
    no_data: "no data", "无数据";
    by_age_finding(aging, all, after):
        "{aging} of {all} processing records are older than {after}",
        "{all} 条处理中的记录里有 {aging} 条超过 {after}";
    some_queues_silent: "some queues gave no number", "部分队列没有给出数字";

    pill_healthy: "Healthy", "正常";
    pill_attention: "Needs attention", "需要处理";
    pill_look: "Look here", "需留意";
    pill_blind: "Not all is seen", "部分看不到";
    pill_stale: "Data is old", "数据过期";
    pill_first_pass: "First pass", "首次遍历";
    pill_bounded: "Newest rows only", "只看最新的行";
    say_bounded:
        "This table can be read only in part: among its newest rows all is well, older ones are not seen.",
        "这张表只能读取一部分：最新的行一切正常，更早的行看不到。";
    pill_starting: "Starting", "正在启动";
    say_healthy: "Everything that is watched here is as it should be.", "这里监视的一切正常。";
    say_stale: "Figures are older than they should be; the collector is behind.", "数据过旧，采集没有跟上。";
    say_first_pass:
        "The table is being walked once. Counts cover only what was walked so far.",
        "正在首次遍历这张表，计数只含已遍历的部分。";
    say_starting: "Nothing was read yet. Figures appear after the first reading.", "尚无数据，首次读取后显示。";
    sentence(what): "{what}.", "{what}。";

    attention: "Needs attention", "需要处理";
    nothing: "Nothing needs a person", "没有需要处理的事项";
    nothing_why:
        "No record is stuck, no lock is wrong and no dead letter waits, as far as is seen here.",
        "就目前所见，没有卡住的记录和异常的锁，死信中也没有消息。";
    nothing_known: "Nothing can be said yet", "目前无法判断";
    nothing_known_why:
        "Not every layer was read, so an empty list proves nothing.",
        "并非每一层都已读取，空列表不能说明没有问题。";
    severe: "severe", "严重";
    warning: "warning", "警告";
    hint: "note", "提示";
    why_eternal:
        "Set without TTL. They turn away every redelivery until somebody releases them.",
        "加锁时没有设置 TTL，释放之前会挡住所有重投。";
    why_orphan: "Held, while their record is missing or finished.", "锁仍被持有，但记录不存在或已结束。";
    why_unprotected:
        "Still processing, lock gone. Only the unique index protects them now.",
        "仍在处理，但锁已不在，现在只有唯一索引保护它们。";
    why_dead_letters: "Out of attempts. They stay there until a person decides.", "重试次数已用完，等待人工决定。";
    why_no_effect:
        "The record was opened, and nobody has taken it up since. Its message may be lost: republish it, or look for it by its key.",
        "记录已打开，但至今没有被处理。消息可能已丢失：请重新发布，或按业务键查找。";
    why_unmapped:
        "Counted and never touched. Name their codes in the configuration.",
        "只计数，不操作。请在配置中写明它们的状态码。";
    what_not_seen(layer, at): "{layer} has not been seen since {at}", "{layer}自 {at} 起无法读取";
    why_not_seen: "What it holds is not known; it is tried again by itself.", "其中的内容未知，会自动重试。";
    why_leaked:
        "Two effects for one message, by the consumers’ own reports. Look the key up to see which layer let it through.",
        "消费者上报同一条消息产生了两次效果。查询业务键可看到是哪一层放过的。";
    what_outlives: "Handlers outlive their lock", "处理时间超过锁的有效期";
    why_outlives(p99, ttl):
        "P99 is {p99}, the lock lives {ttl}. A second worker may start the same message.",
        "P99 为 {p99}，锁的 TTL 为 {ttl}，另一个消费者可能重复处理同一条消息。";
    why_degraded:
        "Redis was away, so they ran on the database alone.",
        "当时 Redis 不可用，只靠数据库去重。";
    see_signals: "See figures", "查看指标";
    what_shared: "Locks cannot tell their owners apart", "无法区分锁的持有者";
    why_shared(owner):
        "Every lock carries the owner {owner}, so any worker may delete another’s.",
        "所有锁的持有者都是 {owner}，任何消费者都可能删掉别人的锁。";
    since(text, age): "{text} Oldest {age}.", "{text}最久 {age}。";
    see_records: "See records", "查看记录";
    see_locks: "See locks", "查看锁";
    see_brokers: "See queues", "查看队列";
    see_settings: "See settings", "查看设置";

    by_age: "Processing records by age", "处理中记录的时长分布";
    by_age_sub(n, after): "{n} records; over {after} counts as aging", "共 {n} 条；超过 {after}算滞留";
    aging_line: "Aging pending over time", "滞留处理中的变化";
    aging_line_sub(each): "records, highest of {each}; gaps were not read", "记录数，取{each}最大值；空白处未读取";
    completed(n, how): "Completed {n} ({how})", "已完成 {n}（{how}）";
    oldest_open: "Longest in processing", "处理最久的记录";
    oldest_none: "No record is processing", "没有处理中的记录";
    oldest_none_why: "Everything that was started has ended.", "已开始的都已结束。";
    oldest_not_seen: "No record in processing was seen", "没有看到处理中的记录";
    oldest_not_seen_why: "Only part of the table was read.", "只读取了表的一部分。";
    see_all_processing: "See all that are processing", "查看全部处理中的记录";
    read_values(chart): "{chart}: values, with the arrow keys", "{chart}：用方向键读取数值";
    drag_to_zoom: "drag to zoom in", "拖动可放大";
    table_of_chart: "The same as a table", "以表格显示";
    numbers_of(chart): "{chart}, as a table", "{chart}，表格";
    chart_age: "Age", "时长";
    chart_records: "Records", "记录数";
    chart_type: "Type", "类型";
    chart_duplicates: "Duplicates", "重复";
    chart_time: "Time", "时间";
    aging_short: "aging", "滞留";
    aging_finding(last, most, span):
        "{last} aging at the end, {most} at most in {span}",
        "末尾滞留 {last} 条，{span}内最多 {most} 条";
    aging_finding_ended(most, span):
        "no reading at the end, {most} aging at most in {span}",
        "末尾没有读数，{span}内滞留最多 {most} 条";
    no_history: "Nothing was read in this time", "这段时间没有读到数据";
    no_history_why: "The line begins with the first full minute.", "从第一个完整的分钟开始画线。";
}

counted! {
    what_records(n, what): "{n} record {what}", "{n} records {what}", "{n} 条记录{what}";
    what_eternal(n): "{n} lock never expires", "{n} locks never expire", "{n} 把锁永不过期";
    what_orphan(n): "{n} orphan lock", "{n} orphan locks", "{n} 把孤儿锁";
    what_unprotected(n): "{n} record runs unprotected", "{n} records run unprotected", "{n} 条记录失去锁保护";
    what_dead_letters(n): "{n} message in the dead letter", "{n} messages in the dead letter", "死信中有 {n} 条消息";
    what_leaked(n):
        "{n} duplicate got through in the last hour",
        "{n} duplicates got through in the last hour",
        "最近一小时有 {n} 条重复未被拦截";
    what_degraded(n):
        "{n} delivery was handled without the lock",
        "{n} deliveries were handled without the lock",
        "{n} 次投递在无锁状态下处理";
    per_hour(n): "{n} in the last hour", "{n} in the last hour", "最近一小时 {n}";
    what_no_effect(n):
        "{n} retry had no effect",
        "{n} retries had no effect",
        "{n} 次重试没有效果";
    what_unmapped(n):
        "{n} record has an unmapped status",
        "{n} records have an unmapped status",
        "{n} 条记录的状态未映射";
    queues(n): "in {n} queue", "in {n} queues", "共 {n} 个队列";
    and_more(n, first): "{first} {n} more below.", "{first} {n} more below.", "{first}下面还有 {n} 项。";
}

/// The line of a finding and the sentence below it.
pub(crate) fn attention_words(
    lang: Lang,
    finding: &Attention,
    now: chrono::DateTime<chrono::Utc>,
    clock: impl Fn(chrono::DateTime<chrono::Utc>) -> String,
) -> (String, String) {
    match finding {
        Attention::Records { verdict: code, count, oldest_at } => {
            let what = what_records(lang, *count, verdict::code_phrase(lang, *code));
            let text = verdict::code_text(lang, *code);
            let why = oldest_at.map_or_else(
                || text.to_owned(),
                |at| since(lang, text, measure::age(lang, (now - at).num_milliseconds())),
            );
            (what, why)
        }
        Attention::EternalLocks { count } => (what_eternal(lang, *count), why_eternal(lang).into()),
        Attention::OrphanLocks { count } => (what_orphan(lang, *count), why_orphan(lang).into()),
        Attention::UnprotectedRecords { count } => (what_unprotected(lang, *count), why_unprotected(lang).into()),
        Attention::DeadLetters { count } => (what_dead_letters(lang, *count), why_dead_letters(lang).into()),
        Attention::RetryNoEffect { count } => (what_no_effect(lang, *count), why_no_effect(lang).into()),
        Attention::UnmappedRecords { count } => (what_unmapped(lang, *count), why_unmapped(lang).into()),
        Attention::NotSeen { layer, since } => {
            (what_not_seen(lang, layer_subject(lang, *layer), clock(*since)), why_not_seen(lang).into())
        }
        Attention::Leaked { count } => (what_leaked(lang, *count), why_leaked(lang).into()),
        Attention::OutlivesLock { p99_ms, ttl_ms } => {
            let [p99, ttl] = [*p99_ms, *ttl_ms].map(|ms| measure::limit(lang, ms));
            (what_outlives(lang).into(), why_outlives(lang, p99, ttl))
        }
        Attention::Degraded { count } => (what_degraded(lang, *count), why_degraded(lang).into()),
        Attention::SharedOwner { owner } => (what_shared(lang).into(), why_shared(lang, owner)),
    }
}
