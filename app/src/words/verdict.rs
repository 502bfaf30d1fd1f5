//! Verdicts: a title that says it, one sentence on what it means and what to do, and the facts it rests on.

use super::{layer, measure, status};
use crate::model::{Evidence, Lang, MessageState, Verdict, VerdictCode};

words! {
    not_unique:
        "Several records for one key: the unique index does not cover it",
        "同一个键有多条记录：唯一索引没有覆盖它";
    not_unique_text:
        "Each of them may have had its effect. The last line against duplicates is missing; Settings shows the index that closes it.",
        "每一条都可能已经生效。防重的最后一道防线缺失；设置页给出了补上它的索引。";
    unmapped: "Unmapped: this status means nothing to Oncewatch", "未映射：Oncewatch 不认识这个状态码";
    unmapped_text:
        "Name the code under records.status in the configuration. Until then the record is counted and never touched.",
        "请在配置的 records.status 下写明这个状态码。在此之前只计数，不做任何操作。";
    marker_contradicts: "Redis says finished, the table does not", "Redis 显示已完成，表里却没有";
    marker_contradicts_text:
        "The transaction was rolled back after the marker was set, or the table was restored. Redeliveries are swallowed until the marker ends.",
        "可能是写入标记后事务回滚，或表被恢复过。标记到期之前，重投都会被吞掉。";
    duplicate_in_dead_letter: "Finished: the dead letter holds a duplicate", "已完成：死信里是一条重复消息";
    duplicate_in_dead_letter_text:
        "The record is completed, so this message has had its effect. Discard it; retrying it would only be turned away.",
        "记录已完成，这条消息已经生效。应丢弃它；重试只会再被挡住一次。";
    finished_lock_held: "Finished, but its lock is still held", "已完成，锁却还没释放";
    finished_lock_held_text:
        "Its holder died after the commit, or a duplicate is being turned away right now. Nothing is lost.",
        "可能是持有者提交后异常退出，也可能正在挡住一次重复。没有消息丢失。";
    healthy: "Healthy: handled once", "正常：只处理了一次";
    healthy_text:
        "The record is completed. Another delivery of this key is a duplicate and is turned away.",
        "记录已完成。这个键再次投递就是重复消息，会被挡住。";
    dead: "Given up: this record is dead", "已放弃：这条记录已终止";
    dead_text: "It will not be tried again. Redeliveries are refused.", "不会再重试，重投会被拒绝。";
    unclear: "Cannot be judged without the lock", "看不到锁，无法判断";
    unclear_text:
        "The lock was not seen. Somebody may be working on it now, so nothing that depends on the lock is offered.",
        "看不到锁。可能正有人在处理它，因此不提供任何依赖锁的操作。";
    in_progress_acked: "In progress, and already acked", "处理中，但消息已经确认";
    in_progress_acked_text:
        "The broker has nothing left of it. If its worker dies now, the message is lost.",
        "消息队列里已经没有它。如果消费者现在退出，消息就会丢失。";
    in_progress: "In progress", "处理中";
    in_progress_text:
        "It is being worked on, or is too young to say otherwise. Nothing is wrong: wait.",
        "正在处理，或者时间还太短、不能下别的结论。没有异常，等待即可。";
    in_progress_slow: "In progress, slower than usual", "处理中，比平时慢";
    in_progress_slow_text:
        "It takes longer than nearly all others of its type, but its lock or lease is alive.",
        "它比同类型的绝大多数都慢，但锁或租约仍然有效。";
    in_progress_at_risk: "In progress, at risk: its lock ends soon", "处理中，有风险：锁即将到期";
    in_progress_at_risk_text:
        "The lock ends before the handler usually does, and nothing renews it. A second worker may then start on the same message.",
        "锁会在处理结束之前到期，而且没有续期。到时第二个消费者可能开始处理同一条消息。";
    leaked: "A duplicate got through: the effect happened twice", "重复未被拦截：效果发生了两次";
    leaked_text:
        "Consumers wrote down two effects for this one message. The trace below shows which layer let the second one pass; most often the lock ended under the handler, or the insert was not in the handler’s transaction.",
        "消费者为这一条消息记录了两次效果。下方轨迹显示是哪一层放过了第二次，多半是锁在处理中到期，或插入与业务不在同一事务。";
    leaked_short: "got through twice", "重复生效";
    swallowed: "Swallowed: its message is being lost", "被吞：消息正在丢失";
    swallowed_text:
        "Redeliveries are acknowledged as duplicates while the record never finishes. Open the record, and see that the message comes again.",
        "重投被当作重复确认，而记录一直没有完成。需要打开记录，并让消息重新到来。";
    swallowed_short: "swallowed", "被吞";
    effects(n): "{n} effects in the trace", "轨迹中有 {n} 次效果";
    settled_as_duplicates(n):
        "{n} deliveries settled as duplicates since it began",
        "开始以来有 {n} 次投递被当作重复确认";
    processing_in_dead_letter:
        "In the dead letter, and the record was never told",
        "消息已进死信，记录却不知道";
    processing_in_dead_letter_text:
        "Its message is out of attempts, but the record still says processing. Retry it from the dead letter.",
        "消息已用完重试次数，记录却仍是处理中。请从死信重试。";
    unprotected: "Unprotected: running without its lock", "失去锁保护：仍在处理，锁已不在";
    unprotected_text:
        "The lock expired under the handler, or the worker dies again and again. Only the unique index protects it now. Not retryable yet.",
        "锁在处理期间到期，或消费者反复退出。现在只剩唯一索引。暂时不能重试。";
    waiting_behind_record: "Waiting behind its own record", "消息在等待，却被自己的记录挡住";
    waiting_behind_record_text:
        "It will be tried by itself. A consumer that treats any row as a duplicate will swallow it.",
        "消息会自动再次投递。如果消费者把任何已有行都当作重复，它会被吞掉。";
    stuck: "Stuck: the worker is gone and so is the message", "卡住：消费者已退出，消息也不在了";
    stuck_text:
        "Nobody works on it, nothing is waiting and nothing is in the dead letter. It stays so until a person acts; opening the record alone does nothing.",
        "没有人在处理，队列里没有等待，死信里也没有。不处理就会一直这样；只放开记录没有作用，还要重新发布消息。";
    stuck_or_unprotected: "Stuck or unprotected: the two cannot be told apart here", "卡住或失去锁保护：在这里无法区分";
    stuck_or_unprotected_text:
        "Either the worker died, or it still works without its lock. Whether this message is still out cannot be seen.",
        "要么消费者已退出，要么它仍在没有锁的情况下处理。看不到这条消息是否还在投递。";
    retrying: "Failed, and being retried now", "失败过，正在重试";
    retrying_text:
        "Somebody holds its lock again, or its message is out. Wait for the outcome.",
        "锁已被重新持有，或消息正在投递。等待结果即可。";
    failed_in_dead_letter: "Failed, and the dead letter is not empty", "失败，死信中有消息";
    failed_in_dead_letter_text:
        "It is probably out of attempts and lies in the dead letter; the queue view cannot tell which messages those are.",
        "它很可能已用完重试次数，进入了死信；队列视图看不出里面是哪些消息。";
    failed_seen_in_dead_letter: "Failed, and its message is in the dead letter", "失败，消息在死信中";
    failed_seen_in_dead_letter_text:
        "It is out of attempts and will not come again by itself. Retry it from the dead letter.",
        "已用完重试次数，不会自己再来。请从死信重试。";
    failed_waiting: "Failed, will be retried by itself", "失败，会自动重试";
    failed_waiting_text:
        "Messages are waiting in its queues, so another delivery is plausible.",
        "队列里还有消息等待，预计会再次投递。";
    failed_message_gone: "Failed, and the message is gone", "失败，消息已不在";
    failed_message_gone_text:
        "Nothing is waiting and nothing is in the dead letter: it will not come again by itself.",
        "没有等待，死信里也没有：它不会自己再来。";
    failed: "Failed", "失败";
    failed_text: "What the broker still holds of it is not seen.", "看不到消息队列里是否还有它。";
    claiming: "Claimed: a lock and no record yet", "已加锁，还没有记录";
    claiming_text:
        "A worker is between lock and insert, or died there.",
        "消费者处于加锁与插入之间，或在那里异常退出。";
    claiming_orphan: "Orphan lock: its worker died before the insert", "孤儿锁：消费者在插入之前退出";
    claiming_orphan_text:
        "The lock is older than any handling takes, and there is no record. It turns redeliveries away until it ends or is released.",
        "锁的存在时间超过任何一次处理，却没有记录。在到期或释放之前，它会挡住重投。";
    unrecorded_in_dead_letter: "In the dead letter, and never recorded", "消息已进死信，从未留下记录";
    unrecorded_in_dead_letter_text:
        "It failed before it could be recorded, each time. Mend the cause, then retry it from the dead letter.",
        "每次都在写入记录之前失败。先排除原因，再从死信重试。";
    not_consumed: "Not consumed yet", "尚未消费";
    not_consumed_text:
        "There is no record and no lock. Its message is still waiting, or it was never sent.",
        "没有记录，也没有锁。消息还在等待，或者从未发出。";
    archived: "Archived: finished, and out of the table", "已归档：处理完成，已移出主表";
    archived_text:
        "The record was completed and moved. The unique index no longer knows its key, so a duplicate would run again unless the done marker holds.",
        "记录已完成并移走。唯一索引不再认识这个键，除非完成标记还在，重复消息会再执行一次。";
    unknown_key: "Unknown key: never seen, or removed", "未知的键：从未出现，或已被删除";
    unknown_key_text:
        "No record, no lock, and nothing that tells of it. Is the key complete, and is this the right source?",
        "没有记录，没有锁，也没有其他线索。键完整吗？数据源选对了吗？";

    // Behind a number of records: "29 records stuck".
    not_unique_short: "with a key that is not unique", "的键不唯一";
    unmapped_short: "with an unmapped status", "的状态未映射";
    marker_contradicts_short: "finished in Redis only", "只在 Redis 里完成";
    duplicate_in_dead_letter_short: "finished, with a duplicate in the dead letter", "已完成，死信中有重复";
    finished_lock_held_short: "finished and still locked", "已完成但锁未释放";
    healthy_short: "healthy", "正常";
    dead_short: "dead", "已终止";
    unclear_short: "not to be judged without Redis", "看不到锁，无法判断";
    in_progress_acked_short: "in progress after an ack", "处理中但消息已确认";
    in_progress_short: "in progress", "处理中";
    processing_in_dead_letter_short: "processing, message in the dead letter", "处理中，消息已进死信";
    unprotected_short: "running without a lock", "失去锁保护";
    waiting_behind_record_short: "in the way of their own message", "挡住了自己的消息";
    stuck_short: "stuck", "卡住";
    stuck_or_unprotected_short: "stuck or unprotected", "卡住或失去锁保护";
    retrying_short: "being retried", "正在重试";
    failed_in_dead_letter_short: "failed, dead letter not empty", "失败，死信中有消息";
    failed_waiting_short: "failed, to be retried", "失败，会自动重试";
    failed_message_gone_short: "failed, message gone", "失败，消息已不在";
    failed_short: "failed", "失败";
    claiming_short: "claimed, not inserted yet", "已加锁，尚未插入";
    unrecorded_in_dead_letter_short: "in the dead letter, not recorded", "已进死信，没有记录";
    not_consumed_short: "not consumed yet", "尚未消费";
    archived_short: "archived", "已归档";
    unknown_key_short: "with an unknown key", "的键未知";

    no_verdict: "No verdict: the database could not be asked", "没有结论：未能查询数据库";
    no_verdict_text:
        "Nothing can be said about this key until it answers. The lock and the broker are shown as they were read.",
        "数据库恢复之前，无法对这个键下结论。锁和消息队列按读到的样子显示。";
    reasons: "Why we think so", "判断依据";
    what_may_be_done: "What may be done", "可执行的操作";
    nothing_to_do: "Nothing needs to be done.", "无需处理。";
    no_operation: "No operation is offered for this verdict.", "这个结论下没有可用的操作。";

    fact_records(count): "There are {count} records with this key.", "这个键有 {count} 条记录。";
    fact_no_record: "There is no record.", "没有记录。";
    fact_in_archive(table, status, age): "The archive {table} has it: {status} since {age} ago.", "归档表 {table} 里有它：{status}，{age}前。";
    fact_in_archive_only(table, status): "The archive {table} has it: {status}.", "归档表 {table} 里有它：{status}。";
    fact_record_age(status, age): "The record has been {status} for {age}.", "记录处于{status}状态已 {age}。";
    fact_record(status): "The record is {status}; since when is not known.", "记录为{status}，开始时间未知。";
    fact_lease_live(left): "Its lease is live for {left} more.", "租约还有 {left}到期。";
    fact_record_future(status, age):
        "The record says that it is {status} {age}, in the future: does the time zone of this source fit?",
        "记录显示 {age}才处于{status}状态，时间在未来：这个数据源的时区设置是否正确？";
    fact_lease_over(age): "Its lease ended {age} ago.", "租约已在 {age}前到期。";
    fact_lock_held(owner, left): "The lock is held by {owner} for {left} more.", "锁由 {owner} 持有，还剩 {left}。";
    fact_lock_forever(owner): "The lock is held by {owner} and has no TTL.", "锁由 {owner} 持有，没有 TTL。";
    somebody: "somebody", "某个消费者";
    fact_done: "The key is a done marker: duplicates end at Redis.", "这个键是完成标记：重复消息在 Redis 就被挡住。";
    fact_no_lock: "There is no lock: nobody is working on it under one.", "没有锁：没有人在锁的保护下处理它。";
    fact_lock_not_named:
        "Which lock stands for it cannot be told: the type or the key is missing.",
        "不知道对应哪一把锁：缺少类型或键。";
    fact_lock_unknown: "The lock is not known: Redis was not seen.", "锁的状态未知：看不到 Redis。";
    fact_queues(ready, unacked, dead):
        "Its queues hold {ready} waiting and {unacked} unacked messages, the dead letter {dead}.",
        "队列里有 {ready} 条等待、{unacked} 条未确认，死信 {dead} 条。";
    fact_queues_empty: "Its queues and the dead letter are empty.", "队列和死信都是空的。";
    fact_waiting(queue): "Its message waits in {queue}.", "消息在 {queue} 中等待。";
    fact_unacked(queue, deliveries, idle):
        "Its message is handed out from {queue}, delivery {deliveries}, {idle} ago, and not acked.",
        "消息已从 {queue} 投递（第 {deliveries} 次，{idle}前），尚未确认。";
    fact_unacked_unknown(queue):
        "Its message is handed out from {queue} and not acked.",
        "消息已从 {queue} 投递，尚未确认。";
    fact_dead(queue): "Its message lies in the dead letter {queue}.", "消息在死信 {queue} 中。";
    fact_not_there:
        "All that waits, is handed out or lies in the dead letter was looked through: its message was not there.",
        "等待、已投递和死信中的消息都查找过：没有这条消息。";
    fact_not_seen(layer): "Not seen: {layer}.", "看不到：{layer}。";
    fact_old_after(after): "A record younger than {after} is never called stuck.", "不到 {after}的记录不会被判为卡住。";
}

/// The answer in one line.
#[must_use]
pub fn verdict_title(lang: Lang, verdict: &Verdict) -> &'static str {
    sentences(verdict).0(lang)
}

/// What it means, and what to do about it.
#[must_use]
pub fn verdict_text(lang: Lang, verdict: &Verdict) -> &'static str {
    sentences(verdict).1(lang)
}

/// A code behind a number of records.
pub(crate) fn code_phrase(lang: Lang, code: VerdictCode) -> &'static str {
    sentences(&bare(code)).2(lang)
}

pub(crate) fn code_text(lang: Lang, code: VerdictCode) -> &'static str {
    verdict_text(lang, &bare(code))
}

fn bare(code: VerdictCode) -> Verdict {
    Verdict { code, params: serde_json::Map::new(), evidence: Vec::new() }
}

pub(crate) fn says(verdict: &Verdict, param: &str) -> bool {
    verdict.params.get(param).and_then(serde_json::Value::as_bool).unwrap_or(false)
}

type Word = fn(Lang) -> &'static str;

/// Title, text and phrase.
fn sentences(verdict: &Verdict) -> (Word, Word, Word) {
    match verdict.code {
        VerdictCode::NotUnique => (not_unique, not_unique_text, not_unique_short),
        VerdictCode::Unmapped => (unmapped, unmapped_text, unmapped_short),
        VerdictCode::MarkerContradicts => (marker_contradicts, marker_contradicts_text, marker_contradicts_short),
        VerdictCode::DuplicateInDeadLetter => {
            (duplicate_in_dead_letter, duplicate_in_dead_letter_text, duplicate_in_dead_letter_short)
        }
        VerdictCode::FinishedLockHeld => (finished_lock_held, finished_lock_held_text, finished_lock_held_short),
        VerdictCode::Healthy => (healthy, healthy_text, healthy_short),
        VerdictCode::Dead => (dead, dead_text, dead_short),
        VerdictCode::Unclear => (unclear, unclear_text, unclear_short),
        VerdictCode::InProgressAcked => (in_progress_acked, in_progress_acked_text, in_progress_acked_short),
        VerdictCode::InProgress if says(verdict, "at_risk") => {
            (in_progress_at_risk, in_progress_at_risk_text, in_progress_short)
        }
        VerdictCode::InProgress if says(verdict, "slow") => {
            (in_progress_slow, in_progress_slow_text, in_progress_short)
        }
        VerdictCode::InProgress => (in_progress, in_progress_text, in_progress_short),
        VerdictCode::Leaked => (leaked, leaked_text, leaked_short),
        VerdictCode::Swallowed => (swallowed, swallowed_text, swallowed_short),
        VerdictCode::ProcessingInDeadLetter => {
            (processing_in_dead_letter, processing_in_dead_letter_text, processing_in_dead_letter_short)
        }
        VerdictCode::Unprotected => (unprotected, unprotected_text, unprotected_short),
        VerdictCode::WaitingBehindRecord => {
            (waiting_behind_record, waiting_behind_record_text, waiting_behind_record_short)
        }
        VerdictCode::Stuck => (stuck, stuck_text, stuck_short),
        VerdictCode::StuckOrUnprotected => {
            (stuck_or_unprotected, stuck_or_unprotected_text, stuck_or_unprotected_short)
        }
        VerdictCode::Retrying => (retrying, retrying_text, retrying_short),
        VerdictCode::FailedInDeadLetter if says(verdict, "seen") => {
            (failed_seen_in_dead_letter, failed_seen_in_dead_letter_text, failed_in_dead_letter_short)
        }
        VerdictCode::FailedInDeadLetter => {
            (failed_in_dead_letter, failed_in_dead_letter_text, failed_in_dead_letter_short)
        }
        VerdictCode::FailedWaiting => (failed_waiting, failed_waiting_text, failed_waiting_short),
        VerdictCode::FailedMessageGone => (failed_message_gone, failed_message_gone_text, failed_message_gone_short),
        VerdictCode::Failed => (failed, failed_text, failed_short),
        VerdictCode::Claiming if says(verdict, "orphan") => (claiming_orphan, claiming_orphan_text, claiming_short),
        VerdictCode::Claiming => (claiming, claiming_text, claiming_short),
        VerdictCode::UnrecordedInDeadLetter => {
            (unrecorded_in_dead_letter, unrecorded_in_dead_letter_text, unrecorded_in_dead_letter_short)
        }
        VerdictCode::NotConsumed => (not_consumed, not_consumed_text, not_consumed_short),
        VerdictCode::Archived => (archived, archived_text, archived_short),
        VerdictCode::UnknownKey => (unknown_key, unknown_key_text, unknown_key_short),
    }
}

/// A fact as a sentence. Ages count from `now`.
#[must_use]
pub fn evidence(lang: Lang, fact: &Evidence, now: chrono::DateTime<chrono::Utc>) -> String {
    match fact {
        Evidence::Records { count } => fact_records(lang, measure::grouped(*count)),
        Evidence::NoRecord => fact_no_record(lang).into(),
        Evidence::InArchive { table, status: word, since } => {
            let age = since.map(|at| (now - at).num_milliseconds()).filter(|ms| !measure::is_future(*ms));
            match age {
                Some(ms) => fact_in_archive(lang, table, status(lang, *word), measure::age(lang, ms)),
                None => fact_in_archive_only(lang, table, status(lang, *word)),
            }
        }
        Evidence::RecordSince { status: word, since, age_ms } => {
            match age_ms.or_else(|| since.map(|at| (now - at).num_milliseconds())) {
                Some(ms) if measure::is_future(ms) => {
                    fact_record_future(lang, status(lang, *word), measure::age(lang, ms))
                }
                Some(ms) => fact_record_age(lang, status(lang, *word), measure::age(lang, ms)),
                None => fact_record(lang, status(lang, *word)),
            }
        }
        Evidence::LeaseUntil { until, live } => {
            let left = (*until - now).num_milliseconds();
            if *live {
                fact_lease_live(lang, measure::duration(lang, left))
            } else {
                fact_lease_over(lang, measure::age(lang, -left))
            }
        }
        Evidence::LockHeld { owner, ttl_ms } => {
            let owner = owner.as_deref().unwrap_or_else(|| somebody(lang));
            match ttl_ms {
                Some(ms) => fact_lock_held(lang, owner, measure::duration(lang, *ms)),
                None => fact_lock_forever(lang, owner),
            }
        }
        Evidence::LockDone { .. } => fact_done(lang).into(),
        Evidence::NoLock => fact_no_lock(lang).into(),
        Evidence::LockUnknown => fact_lock_unknown(lang).into(),
        Evidence::LockNotNamed => fact_lock_not_named(lang).into(),
        Evidence::Queues { ready, unacked, dead } => {
            let dead = dead.map_or_else(|| measure::not_known(lang).to_owned(), measure::grouped);
            fact_queues(lang, measure::grouped(*ready), measure::grouped(*unacked), dead)
        }
        Evidence::QueuesEmpty => fact_queues_empty(lang).into(),
        Evidence::Message { state: MessageState::Waiting, queue, .. } => fact_waiting(lang, queue),
        Evidence::Message { state: MessageState::Dead, queue, .. } => fact_dead(lang, queue),
        Evidence::Message { state: MessageState::Unacked, queue, deliveries, idle_ms } => {
            match deliveries.zip(*idle_ms) {
                Some((deliveries, idle_ms)) => {
                    fact_unacked(lang, queue, measure::grouped(deliveries), measure::limit(lang, idle_ms))
                }
                None => fact_unacked_unknown(lang, queue),
            }
        }
        Evidence::MessageNotFound => fact_not_there(lang).into(),
        Evidence::Effects { count } => effects(lang, measure::grouped(*count)),
        Evidence::SettledAsDuplicates { count } => settled_as_duplicates(lang, measure::grouped(*count)),
        Evidence::NotSeen { layer: unseen } => fact_not_seen(lang, layer(lang, *unseen)),
        Evidence::OldAfter { after_ms } => fact_old_after(lang, measure::limit(lang, *after_ms)),
    }
}
