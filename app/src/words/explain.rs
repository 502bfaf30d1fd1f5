//! What each figure is, how it is worked out, and what it cannot see. Formulas name the signals as the convention does.

use crate::model::{BrokerKind, Lang, Strategy};

words! {
    about(figure): "About “{figure}”", "关于“{figure}”";
    computed: "Worked out", "计算方式";
    not_seen: "Cannot see", "看不到";

    aging: "Records in processing for so long that their message is probably stuck.", "处理中时间过长的记录，消息很可能已卡住。";
    aging_how(after):
        "Records in processing whose last change, else creation, is more than {after} ago by the database’s clock. {after} is the greater of retry.after and the lock’s TTL.",
        "最近一次变更（没有则取创建时间）距今超过 {after}的处理中记录，以数据库时钟为准。{after}取 retry.after 与锁 TTL 中较大者。";
    aging_how_unknown:
        "Records in processing whose last change, else creation, is older than the greater of retry.after and the lock’s TTL, by the database’s clock.",
        "最近一次变更（没有则取创建时间）早于 retry.after 与锁 TTL 中较大者的处理中记录，以数据库时钟为准。";
    processing: "Records that a consumer has begun and not ended.", "消费者已开始、尚未结束的记录。";
    processing_how: "Rows whose status code is mapped to processing.", "状态码映射为“处理中”的行。";
    failed: "Records whose last attempt failed and that may be tried again.", "最近一次尝试失败、可能还会重试的记录。";
    failed_how: "Rows whose status code is mapped to failed.", "状态码映射为“失败”的行。";
    ages: "For how long records have been in processing.", "记录处于处理中的时长。";
    ages_how:
        "Each record in processing by the time since its last change, else its creation, by the database’s clock.",
        "按每条处理中记录距最近一次变更（没有则取创建时间）的时长分组，以数据库时钟为准。";
    aging_line_how: "The same count, the highest of each step. Where nothing was read there is a gap.", "同一计数，每段取最大值；未读取处留空。";
    nothing_read: "Nothing was read yet, so nothing is known.", "尚未读取，一切未知。";
    records_first_pass: "Rows that the first pass has not walked yet.", "首次遍历尚未经过的行。";
    records_status_index: "Records that began and ended between two readings.", "在两次读取之间开始并结束的记录。";
    records_followed:
        "Records that began and ended between two readings. A finished one that was opened again shows when the slow walk comes by.",
        "在两次读取之间开始并结束的记录。已结束又被重新打开的记录，要等缓慢遍历经过时才出现。";
    records_walked: "What changed since the walk last came by.", "上次遍历经过之后的变化。";
    records_bounded:
        "All but the newest rows that the table can cheaply give.",
        "除代价可接受的最新若干行之外的所有行。";

    locks_wrong: "Locks that need a look: eternal, orphan and unprotected together.", "需要查看的锁：永不过期、孤儿与失去保护之和。";
    locks_wrong_how:
        "Eternal: no TTL. Orphan: its record is finished or missing for longer than the worst handling time. Unprotected: a record in processing whose lock is gone, seen twice.",
        "永不过期：没有 TTL。孤儿：记录已结束或不存在，且超过最长处理时间。失去保护：记录处理中而锁已不在，连续两次确认。";
    locks_held: "Locks that somebody holds now.", "当前被持有的锁。";
    locks_held_how:
        "Keys of open records, asked one by one, and those that the search of the key space has found; done markers are not among them.",
        "逐个查询未完成记录的键，加上键空间扫描找到的键；不含完成标记。";
    eternal: "Locks that never go away by themselves; they turn every redelivery away.", "不会自己消失的锁，会挡住所有重投。";
    eternal_how: "The key is there and has no TTL.", "键存在且没有 TTL。";
    unprotected: "Records that are being handled without their lock: a second worker may start the same message.", "处理时锁已不在的记录：另一个消费者可能开始处理同一条消息。";
    unprotected_how:
        "A record in processing, with no lease that still runs, whose lock is missing; read twice, and unchanged in between.",
        "处理中、租约已过期且锁不存在的记录；读取两次且期间没有变化。";
    orphan: "Locks that nobody works under any more.", "已没有人在其保护下工作的锁。";
    orphan_how:
        "Held, while the record is completed, dead or missing for longer than the greatest of TTL, 15 s and the longest handling seen.",
        "锁仍被持有，而记录已完成、终止或不存在，且超过 TTL、15 秒与所见最长处理时间中的最大者。";
    expiring: "Locks that will probably end before their handler does.", "很可能在处理结束之前到期的锁。";
    expiring_how:
        "Less time left than the P99 of the type; while that is not known, than a fifth of the TTL.",
        "剩余时间少于该类型的 P99；P99 未知时，少于 TTL 的五分之一。";
    locks_blind:
        "Locks without an open record until the search comes by; locks of other patterns; attempts that were refused.",
        "没有未完成记录的锁，要等扫描经过才能看到；其他模式的锁；被拒绝的加锁尝试。";
    no_locks_here: "No locks are configured for this source.", "这个数据源没有配置锁。";
    fit: "Whether the TTL of the locks goes with the time that handling takes.", "锁的 TTL 与处理耗时是否匹配。";
    fit_how:
        "P99 as consumers reported it in the last hour; where they do not, from created to updated of the newest completed records, marked ≈. Too short: P99 ≥ TTL. Tight: the longest ≥ TTL, or 2 × P99 > TTL. Too long: TTL ≥ 1 min and more than 100 × P99.",
        "P99 取消费者最近一小时的上报；未上报的由最近完成的记录从创建到更新的时间估算，以 ≈ 标出。太短：P99 ≥ TTL。偏紧：最长 ≥ TTL，或 2 × P99 > TTL。太长：TTL ≥ 1 分钟且超过 100 × P99。";
    fit_blind:
        "The TTL that a consumer really sets: it is compared as configured. An estimate leaves out failed and repeated attempts.",
        "消费者实际设置的 TTL：这里比较的是配置值。估算不含失败和重复的尝试。";

    ready: "Messages that wait to be delivered.", "等待投递的消息。";
    ready_how:
        "Sum of the configured queues, of Redis Streams the lag of their groups; without the dead letter.",
        "所配置队列之和，Redis Streams 取消费组的积压；不含死信。";
    unacked: "Messages that were handed out and are not settled.", "已投递、尚未确认的消息。";
    unacked_how:
        "Sum of the configured queues, of Redis Streams the pending entries of their groups; without the dead letter.",
        "所配置队列之和，Redis Streams 取消费组的待确认条目；不含死信。";
    redelivered: "Messages that came again: each is a duplicate that some layer must stop.", "再次投递的消息：每一条都是需要某一层拦下的重复。";
    redelivered_how: "Redeliveries per minute of all queues, as RabbitMQ averages them.", "所有队列每分钟的重投次数，取 RabbitMQ 给出的平均值。";
    redelivered_blind:
        "Duplicates that a producer sends: to the broker they are new messages. Redis Streams gives no rates.",
        "生产者重复发送的消息：对消息队列来说是新消息。Redis Streams 不提供速率。";
    dead_letter: "Messages that nobody could handle; they wait for a person.", "无人能处理的消息，等待人工处理。";
    dead_letter_how: "All that lies in the configured dead letters, waiting or handed out.", "所配置死信中的全部消息，包括等待和已投递的。";
    brokers_away: "Brokers that could not be read at the last try.", "最近一次未能读取的消息队列。";
    brokers_away_how:
        "One for each configured broker whose last reading failed. What they hold is left out of the sums.",
        "最近一次读取失败的消息队列个数，其中的消息不计入合计。";
    brokers_away_blind: "Brokers that are not configured.", "没有配置的消息队列。";
    by_deliveries: "How often pending entries were handed out: what comes again and again.", "待确认条目的投递次数：哪些在反复投递。";
    by_deliveries_how: "XPENDING of all groups, the oldest 1,000 entries of each.", "所有消费组的 XPENDING，每组取最早的 1,000 条。";
    by_deliveries_blind: "Newer pending entries of a group with more than 1,000, and entries that were acked.", "超过 1,000 条时较新的待确认条目，以及已确认的条目。";
    no_brokers_here: "No broker is configured for this source.", "这个数据源没有配置消息队列。";
    rabbitmq_blind:
        "Which message is which: queues are counted, not read, and RabbitMQ’s own statistics are some seconds old.",
        "具体是哪条消息：只统计队列、不读取内容，且 RabbitMQ 的统计有数秒延迟。";
    streams_blind:
        "The lag, where Redis is older than 7.0 or entries were deleted from the middle of a stream.",
        "Redis 低于 7.0、或流的中间有条目被删除时的积压。";

    handling_time: "One in a hundred deliveries takes longer. It must stay well below the lock’s TTL, or two workers run one message.", "每一百次处理中有一次比它更久。应远低于锁的 TTL，否则会有两个消费者处理同一条消息。";
    handling_time_how:
        "P99 of the histograms of the last five whole minutes, all types together, interpolated within a bucket.",
        "最近五个完整分钟的直方图合并后取 P99，所有类型合计，桶内插值。";
    handling_line_how:
        "P99 and P50 of the histograms of each step, all types together. The line is the TTL as configured.",
        "每段的直方图合并后取 P99 与 P50，所有类型合计。横线是配置的 TTL。";
    handling_blind:
        "Handlers that never came back, and how much longer than a minute the longest took.",
        "没有结束的处理，以及超过一分钟的处理究竟用了多久。";
    conflicts: "Attempts to take a lock that were refused, because another worker had it. A jump means many duplicates, or a TTL that is too short.", "因锁被他人持有而失败的加锁尝试。突然升高说明重复很多，或 TTL 太短。";
    conflicts_how: "conflict of the last whole minute; the small line is the last hour.", "最近一个完整分钟的 conflict；小字为最近一小时。";
    conflicts_line: "Whether lock and unique index agree. When the index stops more than the lock refuses, the lock lets duplicates through.", "锁与唯一索引是否一致。索引拦下的多于锁拒绝的，说明锁在放行。";
    conflicts_line_how: "Sums of conflict and dup_index in each step.", "每段 conflict 与 dup_index 之和。";
    conflicts_blind:
        "Attempts of consumers that do not report: a refused SET leaves no trace in Redis, so they cannot be estimated.",
        "未上报的消费者的尝试：被拒绝的 SET 在 Redis 中不留痕迹，无法估算。";
    dedup_hits: "Duplicates that were stopped, and by which layer.", "被拦下的重复，以及是哪一层拦下的。";
    dedup_hits_how:
        "dup_status + dup_lock + dup_index + dup_guard of the last whole minute; the small line is the last hour by layer.",
        "最近一个完整分钟的 dup_status + dup_lock + dup_index + dup_guard；小字为最近一小时各层。";
    layers_line: "Deliveries, and which layer stopped the duplicates among them.", "投递次数，以及其中的重复由哪一层拦下。";
    layers_line_how:
        "Sums of each step. Deliveries are all outcomes, one for each settled delivery: first, takeover, the four dup_*, late, refused. dup_guard has no line of its own.",
        "每段之和。投递为所有结果之和，每次确认的投递计一个：first、takeover、四种 dup_*、late、refused。dup_guard 没有单独的线。";
    duplicate_rate: "How many of all deliveries were duplicates.", "所有投递中重复所占的比例。";
    duplicate_rate_how: "Dedup hits / deliveries of the last hour; deliveries are all outcomes.", "最近一小时的去重命中 / 投递；投递为所有结果之和。";
    interception: "How many duplicates were stopped before they took effect twice. Anything below 100 % is a leak.", "在产生第二次效果之前被拦下的重复所占比例。低于 100 % 就是有泄漏。";
    interception_how: "Dedup hits / (dedup hits + leaked) of the last hour. Without duplicates there is no rate.", "最近一小时的去重命中 /（去重命中 + leaked）。没有重复时没有比例。";
    interception_blind: "Leaks that nobody noticed: leaked counts effects that are known to have happened twice.", "没有人发现的泄漏：leaked 只计已知发生两次的效果。";
    failures: "Deliveries whose handler failed: a bug in business code, or a system that is down.", "处理失败的投递：业务代码有错误，或依赖的系统不可用。";
    failures_how: "(failed + dead) / deliveries of the last hour.", "最近一小时的（failed + dead）/ 投递。";
    consumers: "Instances that say they are there: no traffic and no consumer can be told apart.", "声明自己在线的实例：由此区分没有流量和没有消费者。";
    consumers_how: "Different names in alive of the last two whole minutes.", "最近两个完整分钟的 alive 中不同的名称数。";
    sources_bars: "Which types, queues and producers cause most duplicates: where to go and fix it.", "哪些类型、队列和生产者造成的重复最多：该去哪里修。";
    sources_bars_how:
        "Dedup hits by type over the time that is shown; behind the bar its share of all, and the origin that was reported most.",
        "所示时间内按类型统计的去重命中；条形之后为占比和上报最多的来源。";
    sources_bars_blind: "Types beyond 200 and origins beyond 50: they are told as other.", "超过 200 个的类型和超过 50 个的来源，合并为 other。";
    who_reports: "Consumers that do not report, or do so in part.", "没有上报或只部分上报的消费者。";
    nobody_reports: "Everything: nobody has reported in the last hour. That is not zero, it is not known.", "一切：最近一小时无人上报。这不是零，而是未知。";
}

/// What counts of records leave out, by the way in which the table is read.
pub(crate) fn records_blind(lang: Lang, strategy: Strategy, first_pass: bool) -> &'static str {
    match strategy {
        Strategy::Bounded => records_bounded(lang),
        _ if first_pass => records_first_pass(lang),
        Strategy::StatusIndex => records_status_index(lang),
        Strategy::Tail | Strategy::TimeIndex => records_followed(lang),
        Strategy::Walk => records_walked(lang),
    }
}

pub(crate) fn broker_blind(lang: Lang, kind: BrokerKind) -> &'static str {
    match kind {
        BrokerKind::RabbitMq => rabbitmq_blind(lang),
        BrokerKind::RedisStreams => streams_blind(lang),
    }
}
