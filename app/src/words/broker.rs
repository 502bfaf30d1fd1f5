use super::measure;
use crate::model::{Count, Group, Lang, MessageState, Quality, Queue};

words! {
    brokers: "Brokers", "消息队列";
    broker: "Broker", "消息队列";
    broker_number(n): "Broker {n}", "消息队列 {n}";
    all_that_answer: "All brokers that answer", "所有有应答的消息队列";
    ready: "Ready", "等待";
    unacked: "Unacked", "未确认";
    redelivered: "Redelivered", "重投";
    dead_letter: "Dead letter", "死信";
    not_seen: "Not seen", "看不到";
    consumers: "Consumers", "消费者";
    in_rate: "In /s", "流入 /秒";
    acked_rate: "Acked /s", "确认 /秒";
    redelivered_rate: "Redelivered /min", "重投 /分钟";
    queue: "Queue", "队列";
    sub_ready: "waiting in all queues", "所有队列中等待的消息";
    sub_unacked: "handed out, not settled", "已投递，未确认";
    sub_redelivered: "came again", "再次投递";
    sub_dead: "wait for a person", "等待人工处理";
    sub_dead_none: "no dead letter configured", "没有配置死信";
    all_seen: "every broker answers", "全部有应答";
    delivery_limit(n): "delivery limit {n}", "投递上限 {n}";
    consumer_timeout(limit): "consumer time-out {limit}", "消费超时 {limit}";
    at(address, vhost): "{address}, vhost {vhost}", "{address}，vhost {vhost}";
    dead_letter_mark: "dead letter", "死信";
    stuck_queue: "nobody consumes", "没有消费者";
    rates_note:
        "Rates as the broker averages them; — means that it gave none. The dead letter is never counted among the queues.",
        "速率由消息队列给出；— 表示没有给出。死信不计入队列。";
    unmatched(globs): "No queue matches {globs}.", "没有队列匹配 {globs}。";
    unmatched_why:
        "Is the name right, and does the user of the management API see this vhost?",
        "名称是否正确？管理 API 的用户能否看到这个 vhost？";
    unmatched_streams(globs): "No stream, or no group of it, matches {globs}.", "没有流或消费组匹配 {globs}。";
    unmatched_streams_why:
        "Are the names and the database’s number right? A group is there once its consumers made it.",
        "名称和库号是否正确？消费组由消费者创建后才存在。";
    searching: "Not all keys were searched for streams yet.", "尚未搜索完所有键。";
    searching_why:
        "There may be more streams. Naming them without * in the configuration needs no search.",
        "可能还有其他流。在配置中写明不带 * 的名称就不需要搜索。";
    no_stream: "No stream matches the configuration", "没有流符合配置";
    stream_group: "Stream, group", "流、消费组";
    length: "Length", "长度";
    lag: "Lag", "积压";
    pending: "Pending", "待确认";
    oldest_pending: "Oldest idle", "最早一条空闲";
    longest_idle(idle): "The longest of all: {idle}", "其中最长：{idle}";
    delivered_again: "Delivered 2+", "投递 2 次以上";
    most_deliveries: "Most", "最多次数";
    streams_note:
        "Lag is not known where Redis is older than 7.0, entries were deleted from the middle, or a group began there. Idle: since the last delivery.",
        "Redis 低于 7.0、流的中间有条目被删除、或消费组从中间开始时，积压未知。空闲：自上次投递以来。";
    group_line(name, lag, pending, consumers):
        "{name}: lag {lag}, pending {pending}, consumers {consumers}",
        "{name}：积压 {lag}，待确认 {pending}，消费者 {consumers}";
    group_pending(line, again, most, oldest):
        "{line}; delivered twice or more {again}, at most {most} times; oldest idle for {oldest}",
        "{line}；投递 2 次以上 {again}，最多 {most} 次；最早一条空闲 {oldest}";
    streams_sampled: "≥: only the oldest pending entries were looked at.", "≥：只查看了最早的待确认条目。";
    by_deliveries: "Pending by delivery count", "待确认条目按投递次数";
    by_deliveries_sub:
        "all groups of Redis Streams, entries handed out and not acked",
        "Redis Streams 的所有消费组，已投递未确认的条目";
    by_deliveries_finding(all, again, most):
        "Of {all} pending entries {again} were delivered more than once, at most {most} times.",
        "{all} 条待确认条目中有 {again} 条投递过多次，最多 {most} 次。";
    by_deliveries_sampled:
        "Of the oldest pending entries of each group.",
        "只含每个消费组最早的待确认条目。";
    most_note(n): "most: {n}", "最多：{n}";
    not_made_yet: "nothing was put there yet", "尚未写入过";
    no_queue: "No queue matches the configuration", "没有队列符合配置";
    headline_ok(ready, unacked):
        "{ready} messages wait, {unacked} are being handled.",
        "{ready} 条消息等待，{unacked} 条正在处理。";
    headline_idle(queue): "Messages wait in {queue}, and nobody consumes it.", "{queue} 有消息等待，但没有消费者。";
    headline_waiting: "No broker was read yet.", "尚未读取任何消息队列。";
    pill_ok: "Flowing", "正常";
    pill_dead: "Dead letters", "有死信";
    pill_idle: "Nobody consumes", "没有消费者";
    pill_blind: "Not all is seen", "部分看不到";
    pill_waiting: "Starting", "正在启动";
    not_configured: "No broker is configured for this source", "这个数据源没有配置消息队列";
    not_configured_why:
        "Deliveries, waiting messages and dead letters cannot be shown. Add a [[source.broker]] section.",
        "无法显示投递情况、等待中的消息和死信。请在配置中加入 [[source.broker]]。";

    view_queue: "Says what its queues hold, not where this message is.", "只知道队列里有多少消息，不知道这条消息在哪里。";
    view_message: "Says what became of this message.", "说明这条消息的去向。";
    view_not_there:
        "Looked for among all that waits, is handed out or is dead, and not found. It may have moved meanwhile.",
        "在等待、已投递和死信的消息中都没有找到。它可能在查找期间移动过。";
    view_not_seen: "Deliveries, waiting copies and dead letter are not known.", "投递次数、等待中的消息和死信都未知。";
    none_configured_here: "no broker configured", "没有配置消息队列";
    queues_empty: "queues empty", "队列为空";
    messages_there: "messages in its queues", "队列中有消息";
    in_dead_letter: "dead letter not empty", "死信不为空";
    not_known_here: "not known", "未知";
    not_there: "not found", "没有找到";
    state_waiting: "waiting", "等待";
    state_unacked: "unacked", "未确认";
    state_dead: "in the dead letter", "在死信中";
    deliveries: "Deliveries", "投递次数";
    message_state: "Message", "消息";
}

/// Where a message is.
#[must_use]
pub(crate) fn state(lang: Lang, state: MessageState) -> &'static str {
    match state {
        MessageState::Waiting => state_waiting(lang),
        MessageState::Unacked => state_unacked(lang),
        MessageState::Dead => state_dead(lang),
    }
}

/// A group in one line, without a full stop.
#[must_use]
pub fn group(lang: Lang, queue: &Queue, group: &Group) -> String {
    let number = |value: Option<u64>| value.map_or_else(|| measure::not_known(lang).to_owned(), measure::grouped);
    let line = group_line(lang, queue.full_name(), number(queue.ready), number(queue.unacked), number(queue.consumers));
    match group.most_deliveries.zip(group.oldest_idle_ms) {
        Some((most, oldest_ms)) => {
            let quality = if queue.is_sampled() { Quality::Partial } else { Quality::Exact };
            let again = measure::count(lang, Count { value: group.delivered_again(), quality });
            group_pending(lang, line, again, measure::grouped(most), measure::limit(lang, oldest_ms))
        }
        None => line,
    }
}

counted! {
    headline_dead(n):
        "{n} message lies in the dead letter and waits for a person.",
        "{n} messages lie in the dead letter and wait for a person.",
        "死信中有 {n} 条消息，等待人工处理。";
    of_brokers(n): "of {n} broker", "of {n} brokers", "共 {n} 个";
    headline_blind(n, blind):
        "The broker is not seen; what waits there is not known.",
        "{blind} of {n} brokers are not seen; what waits there is not known.",
        "看不到 {blind} 个消息队列（共 {n} 个），其中等待的消息未知。";
}
