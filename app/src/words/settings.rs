use crate::model::{CapabilityName, Lang, Strategy, Unreported};

words! {
    settings: "Settings", "设置";
    pill_none: "No problem", "没有问题";
    say_none: "Every source is read as the configuration says.", "每个数据源都按配置读取。";
    pill_not_known: "Not known yet", "尚不清楚";
    say_not_known:
        "Not every layer of every source was read, so an empty list proves nothing.",
        "并非所有数据源的每一层都已读取，没有发现问题不代表没有问题。";
    say_problems: "What to mend first stands at each source below.", "每个数据源下方列出了应先处理的问题。";
    sources: "Sources", "数据源";
    as_check: "as oncewatch check prints them", "与 oncewatch check 的输出一致";
    source: "Source", "数据源";
    database: "Database", "数据库";
    read_by: "Read by", "读取方式";
    seen: "Database, locks, broker, reports", "数据库、锁、消息队列、上报";
    locks: "Locks", "锁";
    problems: "Problems", "问题";
    config_from(path):
        "Read from {path}. This page changes nothing; secrets are never shown.",
        "读自 {path}。本页不做任何改动，也从不显示敏感信息。";
    config_defaults:
        "Read from defaults and the environment. This page changes nothing; secrets are never shown.",
        "读自默认值和环境变量。本页不做任何改动，也从不显示敏感信息。";
    version(version): "Oncewatch {version}", "Oncewatch {version}";
    no_source: "No source is configured", "没有配置数据源";
    no_source_why:
        "Add a [[source]] section with the table that your consumers use, then start again.",
        "请在配置中加入 [[source]]，写明消费者使用的表，然后重新启动。";
    how_read(source): "{source}: how it is read", "{source}：如何读取";
    no_problem: "Nothing to mend", "没有要处理的问题";
    no_problem_why: "The table, its indexes and the configuration fit together.", "表、索引与配置相符。";

    strategy_head(name): "Strategy: {name}", "读取方式：{name}";
    strategy_not_known: "Strategy: not known yet", "读取方式：尚不清楚";
    strategy_not_known_why:
        "The catalogue of the database was not read yet, so nobody knows which indexes there are.",
        "尚未读取数据库的系统目录，不知道有哪些索引。";
    table_rows(table, rows): "{table}, ≈\u{a0}{rows} rows by table statistics", "{table}，表统计约 {rows} 行";
    table_only(table): "{table}; the number of rows is not known", "{table}，行数未知";
    status_index: "status index", "状态索引";
    tail: "tail", "增量跟踪";
    time_index: "time index", "时间索引";
    walk: "walk", "全表遍历";
    bounded: "bounded", "有限窗口";
    status_index_why:
        "An index leads with the status column, so open records are asked for directly and counts are complete.",
        "有以状态列开头的索引，可以直接查询未完成的记录，计数完整。";
    tail_why:
        "New rows are followed by their growing id, open ones are asked again by primary key, and the whole table is walked slowly for rows that came back.",
        "按递增的 id 跟踪新行，按主键复查未完成的行，并缓慢遍历全表，找出状态回退的行。";
    time_index_why:
        "New rows are followed by an indexed time, open ones are asked again by primary key, and the whole table is walked slowly for rows that came back. Finished rows are counted by the last walk.",
        "按有索引的时间跟踪新行，按主键复查未完成的行，并缓慢遍历全表，找出状态回退的行。已完成的数量以最近一次遍历为准。";
    walk_why:
        "Neither an index on status or time nor a growing id: the whole table is walked again and again, and what is new shows when the walk comes by. An index on status and time, or a growing id, would show it at once.",
        "没有状态或时间索引，也没有递增的 id：只能反复遍历全表，新的记录要等遍历经过时才会出现。加上状态与时间的索引，或递增的 id，就能立刻看到。";
    bounded_why:
        "No index on status or time, no growing id, and nothing that tells rows apart: only the newest rows that the table can cheaply give are read.",
        "没有状态或时间索引，没有递增的 id，也没有能区分各行的唯一索引：只能读取代价可接受的最新若干行。";
    served_by(index, columns): "{index} ({columns})", "{index}（{columns}）";
    by_index: "Index", "索引";
    time_zone: "Time zone", "时区";
    retry_after: "Old after", "卡住判定时长";
    retry_after_why(after): "{after}: a younger record is never called stuck", "不到 {after}的记录不会被判为卡住";
    lock_pattern: "Lock pattern", "锁的模式";
    lock_ttl: "Lock TTL", "锁的 TTL";
    first_pass: "First pass", "首次遍历";
    pass_done(at): "done; complete as of {at}", "已完成，数据完整截至 {at}";
    pass_running(walked):
        "running, {walked} rows walked; counts cover only those",
        "进行中，已遍历 {walked} 行，计数只含这些行";
    pass_not_needed: "not needed", "不需要";
    pass_not_possible: "not possible: only the newest rows are read", "无法进行：只读取最新的若干行";
    open_set: "Vanished", "消失的记录";

    makes_possible: "What this table makes possible", "这张表支持什么";
    there_missing(there, missing): "{there} there, {missing} missing", "有 {there} 项，缺 {missing} 项";
    capability_head: "Capability", "能力";
    here: "Here", "是否具备";
    from: "From", "依据";
    lack_hides: "What its lack hides", "缺少时的影响";
    there: "there", "具备";
    missing: "missing", "缺少";
    because: "because", "原因";
    cap_lookup: "Look-up by key", "按键查找";
    cap_unique: "One record per key", "每个键一条记录";
    cap_stuck: "Stuck and in progress", "卡住与处理中";
    cap_ages: "Ages", "时长";
    cap_attempts: "Attempts", "尝试次数";
    cap_error: "Last error", "最近错误";
    cap_failed: "Failed and dead", "失败与终止";
    cap_owner: "Owner and lease", "持有者与租约";
    cap_changes: "Changing records", "改动记录";
    lack_lookup: "Looking a key up would read the whole table, so it is limited", "按键查找需要读全表，因此受限";
    lack_unique:
        "The last line against duplicates is missing: one key may have several records",
        "防重的最后一道防线缺失：一个键可能有多条记录";
    lack_stuck:
        "“Stuck” can never be shown, because nothing says that work has begun",
        "永远看不到“卡住”，因为没有状态表示已开始处理";
    lack_ages: "How long a record has been in its state is not known", "不知道记录处于当前状态多久";
    lack_attempts:
        "Retries per record; “out of attempts” is never said",
        "不知道每条记录试过几次，也不会判为“次数用完”";
    lack_error: "Failures cannot be grouped by cause", "无法按原因归类失败";
    lack_failed: "What failed looks like what never came", "失败的消息和从未到来的看起来一样";
    lack_owner: "“In progress” is judged by the lock alone", "“处理中”只能靠锁来判断";
    lack_changes:
        "This source is read-only: there is no [source.records.write]",
        "这个数据源只读：配置中没有 [source.records.write]";
    no_column: "no such column or index", "没有这样的列或索引";

    unique_ddl(source): "unique index of {source}", "数据源 {source} 的唯一索引";
    key_ddl(source): "look-up index of {source}", "数据源 {source} 的查找索引";
    index_audit: "Suggested DDL", "建议的 DDL";
    index_audit_why:
        "Oncewatch never alters a team’s table. It prints what it would like; a person decides and runs it.",
        "Oncewatch 从不改动团队的表，只给出建议，由人决定并执行。";
    codes: "Status codes", "状态码";
    codes_why: "as mapped in the configuration", "按配置的映射";
    code: "Code", "状态码";
    read_as: "Read as", "含义";
    found: "Found", "数量";
    every_other: "any other", "其他";
    row_exists: "the row exists", "存在这一行";
    reports: "What consumers report", "消费者的上报";
    reports_none: "Consumers report nothing here", "消费者没有上报";
    reports_none_why:
        "Lock conflicts, stopped duplicates, leaks and measured handling times are not known, and cannot be estimated but for the last. Add [source.signals]; the instrumenting guide has client code.",
        "锁冲突、被拦下的重复、泄漏和实测的处理耗时都未知，除最后一项外也无法估算。请在配置中加入 [source.signals]；接入文档提供了客户端代码。";
    reports_how: "How", "方式";
    by_hashes(prefix, source, address):
        "Redis hashes {prefix}:{source}:<yyyyMMddHHmm>:<0..7> at {address}",
        "Redis 哈希 {prefix}:{source}:<yyyyMMddHHmm>:<0..7>，位于 {address}";
    by_http: "HTTP, POST /api/ingest", "HTTP，POST /api/ingest";
    heard: "Last heard", "最近上报";
    heard_never: "nobody in the last hour", "最近一小时无人上报";
    instances: "Instances", "实例";
    instances_alive(n): "{n} in the last two minutes", "最近两分钟有 {n} 个";
    reports_types: "Types", "类型";
    reports_untyped: "without types", "不分类型";
    origins: "Origins of duplicates", "重复的来源";
    unreadable: "Not understood", "无法识别";
    cut: "Cut off", "被截断";
    between: ", ", "、";
    and_others(names, n): "{names} and {n} more", "{names}等，另有 {n} 个";
    reports_whole: "Nothing is missing", "没有缺失";
    reports_whole_why: "All that the convention asks for was reported in the last hour.", "约定的各项在最近一小时内都有上报。";
    gap_everything: "Nobody has reported in the last hour", "最近一小时无人上报";
    gap_everything_why:
        "Figures of duplicates, conflicts and handling times are not known. Are the consumers running, and do they write to this place?",
        "重复、冲突和处理耗时都未知。消费者是否在运行，是否写到了这里？";
    gap_types(names): "No reports of {names}", "{names} 没有上报";
    gap_types_why: "Records of these types are there, so their consumers do not report.", "表中有这些类型的记录，说明它们的消费者没有上报。";
    gap_handling: "No handling times", "没有处理耗时";
    gap_handling_why:
        "P99 is not known, and the TTL fit is estimated from records. Field <type>|ms|<bound>.",
        "P99 未知，TTL 是否合适由记录估算。字段 <type>|ms|<上界>。";
    gap_alive: "No instance says that it is there", "没有实例声明在线";
    gap_alive_why: "No traffic and no consumer cannot be told apart. Field |alive|<instance>.", "无法区分没有流量和没有消费者。字段 |alive|<实例>。";
    gap_origins: "Nobody says where duplicates come from", "没有说明重复的来源";
    gap_origins_why:
        "Top duplicate sources end at the type. Fields <type>|from|<queue> and <type>|cause|<cause>.",
        "主要重复来源只能到类型。字段 <type>|from|<队列> 与 <type>|cause|<原因>。";
    gap_ends: "Deliveries come, and none ends", "有投递但没有结果";
    gap_ends_why: "The failure rate would be 0. Fields completed, failed and dead.", "失败率会显示为 0。字段 completed、failed 与 dead。";
    command_line: "The same from the command line", "用命令行查看同样的内容";
    command_line_why:
        "Prints this page, and audits grants, clocks, the newest rows and Redis as well. Exit 0: nothing to do, 1: problems, 2: bad configuration.",
        "输出本页内容，并审查权限、时钟、最新的行和 Redis。退出码 0：无事可做，1：有问题，2：配置有误。";
}

counted! {
    pill_problems(n): "{n} problem", "{n} problems", "{n} 个问题";
    unreadable_fields(n):
        "{n} field is none of the convention’s",
        "{n} fields are none of the convention’s",
        "{n} 个字段不符合约定";
    cut_minutes(n):
        "{n} minute has more fields than are read; its counts are too small",
        "{n} minutes have more fields than are read; their counts are too small",
        "{n} 个分钟的字段过多未读全，计数偏小";
    vanished(n):
        "{n} open record disappeared since this collector started",
        "{n} open records disappeared since this collector started",
        "采集启动以来有 {n} 条未完成的记录消失";
}

/// What is not reported, and what that hides.
pub(crate) fn unreported(lang: Lang, gap: &Unreported) -> (String, &'static str) {
    match gap {
        Unreported::Everything => (gap_everything(lang).into(), gap_everything_why(lang)),
        Unreported::Types { names } => (gap_types(lang, names.join(between(lang))), gap_types_why(lang)),
        Unreported::HandlingTimes => (gap_handling(lang).into(), gap_handling_why(lang)),
        Unreported::Alive => (gap_alive(lang).into(), gap_alive_why(lang)),
        Unreported::Origins => (gap_origins(lang).into(), gap_origins_why(lang)),
        Unreported::Ends => (gap_ends(lang).into(), gap_ends_why(lang)),
    }
}

/// A strategy's name.
#[must_use]
pub fn strategy(lang: Lang, strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::StatusIndex => status_index(lang),
        Strategy::Tail => tail(lang),
        Strategy::TimeIndex => time_index(lang),
        Strategy::Walk => walk(lang),
        Strategy::Bounded => bounded(lang),
    }
}

/// Why a table is read so, and what follows from it.
#[must_use]
pub fn strategy_why(lang: Lang, strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::StatusIndex => status_index_why(lang),
        Strategy::Tail => tail_why(lang),
        Strategy::TimeIndex => time_index_why(lang),
        Strategy::Walk => walk_why(lang),
        Strategy::Bounded => bounded_why(lang),
    }
}

/// A capability's name, and what its lack hides.
#[must_use]
pub fn capability(lang: Lang, name: CapabilityName) -> (&'static str, &'static str) {
    match name {
        CapabilityName::LookupByKey => (cap_lookup(lang), lack_lookup(lang)),
        CapabilityName::OneRecordPerKey => (cap_unique(lang), lack_unique(lang)),
        CapabilityName::StuckAndInProgress => (cap_stuck(lang), lack_stuck(lang)),
        CapabilityName::Ages => (cap_ages(lang), lack_ages(lang)),
        CapabilityName::Attempts => (cap_attempts(lang), lack_attempts(lang)),
        CapabilityName::LastError => (cap_error(lang), lack_error(lang)),
        CapabilityName::FailedAndDead => (cap_failed(lang), lack_failed(lang)),
        CapabilityName::OwnerAndLease => (cap_owner(lang), lack_owner(lang)),
        CapabilityName::Changes => (cap_changes(lang), lack_changes(lang)),
    }
}
