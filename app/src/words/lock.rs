use super::measure;
use crate::model::{Lang, LockState, Role, WhyNot};

words! {
    held: "held", "持有中";
    expiring: "expiring", "即将到期";
    done: "done marker", "完成标记";
    eternal: "never expires", "永不过期";
    orphan: "orphan", "孤儿锁";
    unprotected: "unprotected", "失去锁保护";
    no_lock: "no lock", "无锁";
    unknown: "not seen", "看不到";

    locks: "Locks", "锁";
    lock: "Lock", "锁";
    store(address, pattern): "Redis {address}, pattern {pattern}", "Redis {address}，模式 {pattern}";
    by_state: "Locks by state", "按状态统计的锁";
    tile_eternal: "Eternal", "永不过期";
    tile_unprotected: "Unprotected", "失去锁保护";
    tile_expiring: "Expiring", "即将到期";
    tile_orphan: "Orphan", "孤儿锁";
    tile_held: "Held", "持有中";
    sub_eternal: "no TTL, never goes away", "没有 TTL，不会自己消失";
    sub_unprotected: "processing, lock gone", "处理中，锁已不在";
    sub_expiring: "less left than P99", "剩余时间少于 P99";
    sub_orphan: "no record, or finished", "没有记录，或已结束";
    sub_held: "as it should be", "正常";
    first_look: "Locks that need a look first", "先看这些锁";
    by_danger: "sorted by danger", "按危险程度排序";
    key: "Redis key", "Redis 键";
    type_and_key: "Type and key", "类型与业务键";
    state: "State", "状态";
    left: "Left", "剩余";
    owner: "Owner", "持有者";
    record: "Record", "记录";
    action: "Action", "操作";
    no_record: "no record", "没有记录";
    no_ttl: "no TTL", "没有 TTL";
    gone: "gone", "已不在";
    none_of_them: "No lock was seen", "没有看到锁";
    none_of_them_why:
        "None of the open records has one, and no recently finished record left one behind.",
        "未完成的记录都没有锁，最近结束的记录也没有留下锁。";
    filter: "Filter locks", "筛选锁";
    all: "All", "全部";
    any_type: "any type", "所有类型";
    r#type: "Type", "类型";
    text_label: "Part of a key or an owner", "键或持有者的一部分";
    apply: "Filter", "筛选";
    clear: "Clear filters", "清除筛选";
    none_match: "No lock matches", "没有符合条件的锁";
    none_match_why: "Locks are here that the filter leaves out.", "还有被筛选条件排除的锁。";
    more_pages: "More locks", "更多的锁";
    see_all(n, state): "All {n} {state}", "全部 {n} 把{state}";
    next: "Next", "下一页";
    first_page: "First", "第一页";
    of_ttl: "of TTL", "占 TTL";
    why: "Why", "原因";
    why_no_record: "no record: its holder died before the insert, or is about to", "没有记录：持有者在写入前退出，或正要写入";
    why_no_ttl: "set without TTL", "设置时没有 TTL";
    why_gone: "ended under the handler, or was deleted", "在处理期间到期，或被删除";
    why_goes(left): "goes by itself in {left}", "{left} 后自己消失";
    why_short(p99): "less left than P99, {p99}", "剩余时间少于 P99（{p99}）";
    why_fifth: "less left than a fifth of its TTL", "剩余时间不到 TTL 的五分之一";
    why_other: "holds something else than a lock of this kind", "存放的不是这种类型的锁";
    counted(n): "{n} deliveries came for it", "已有 {n} 次投递争取它";
    no_owner_here: "nobody’s name is on it", "没有写明持有者";

    ownerless_title: "Locks of this kind have no owner.", "这种锁没有持有者。";
    ownerless_why:
        "That a key exists says consumed, or being consumed. They are shown and never released: nothing could be compared.",
        "键存在就表示已消费或正在消费。只显示，不能释放：没有可以比对的内容。";
    problem_title: "Not everything could be read.", "有内容未能读取。";
    slow_title(took): "The search stands still: Redis took {took}.", "扫描已暂停：Redis 用了 {took}。";
    slow_why: "It goes on when Redis answers as quickly as before.", "Redis 恢复到之前的速度后继续。";

    fit: "TTL fit", "TTL 是否合适";
    fit_sub: "lock TTL against handling time", "锁的 TTL 与处理耗时";
    fit_reported(n): "reported, {n} in the last hour", "已上报，最近一小时 {n} 次";
    fit_estimated(n): "estimated from {n} records", "由 {n} 条记录估算";
    ttl: "TTL", "TTL";
    p50: "P50", "P50";
    p99: "P99", "P99";
    longest: "Longest", "最长";
    fit_verdict: "Verdict", "结论";
    fit_short(ms): "too short: raise to {ms} or renew", "太短：提高到 {ms} 或续期";
    fit_tight(longest): "tight: the slowest took {longest}", "偏紧：最慢的用了 {longest}";
    fit_good: "fits", "合适";
    fit_long(ttl): "too long: a dead worker blocks for {ttl}", "太长：消费者退出后会阻塞 {ttl}";
    fit_unknown: "no TTL is configured", "没有配置 TTL";
    no_type: "no type", "没有类型";
    coverage:
        "Locks of open and recently finished records, and what the search has found. A release deletes a lock only if its owner is still the one shown here.",
        "这里是未完成和最近结束的记录的锁，以及扫描找到的锁。释放时会比对持有者，与这里显示的一致才会删除。";
    done_markers(n): "{n} done markers.", "{n} 个完成标记。";
    shared_title(owner): "Every lock carries the owner {owner}.", "所有锁的持有者都是 {owner}。";
    shared_why:
        "A worker cannot tell its own lock from another’s, so these locks protect nothing, and releasing one is refused. Let each attempt write a value of its own.",
        "消费者分不清锁是不是自己的，这些锁起不到保护作用，也不能释放。请让每次尝试写入各自不同的值。";
    scan_title(percent): "Key space searched to {percent} %.", "键空间已扫描 {percent} %。";
    scan_unknown: "The key space is being searched.", "正在扫描键空间。";
    scan_why(walked):
        "{walked} keys so far, slowly. Orphan and eternal may still grow.",
        "已扫描 {walked} 个键，速度放慢以免影响 Redis。孤儿锁和永不过期锁的数量可能还会增加。";
    not_configured: "No locks are configured for this source", "这个数据源没有配置锁";
    not_configured_why:
        "Add a [source.locks] section with the url and the key pattern that the consumers use.",
        "请在配置中加入 [source.locks]，写明消费者使用的 url 和键模式。";
    count_not_known:
        "How many locks are held is not known. Releasing is off until it is seen again.",
        "不知道现在持有多少把锁。恢复之前不能释放锁。";
    not_named_here:
        "Its name needs type and key. Give both, and it is asked.",
        "锁的名称由类型和键组成，两者都给出才能查询。";
    unseen_here: "Redis could not be asked: the lock may be held.", "未能查询 Redis：锁可能正被持有。";
    none_configured_here: "no locks configured", "没有配置锁";
    wanted: "a record in processing should hold one", "处理中的记录应当持有锁";
    not_wanted: "nothing holds this key", "没有人持有这个键";
    marker: "duplicates end at Redis", "重复消息在 Redis 就被挡住";
    left_text(left): "{left} left", "剩 {left}";
    forever: "no TTL: it never goes away by itself", "没有 TTL：不会自己消失";

    release: "Release lock", "释放锁";
    release_why(key, owner):
        "Deletes {key} if its owner is still {owner}. Cannot be undone.",
        "当持有者仍是 {owner} 时删除 {key}。不可撤销。";
    reason: "Reason, kept in the audit", "原因，记入审计";
    release_sure: "Release this lock", "释放这把锁";
    why_no_lock: "There is no lock to release.", "没有锁可以释放。";
    why_unknown: "The lock was not seen, so nobody knows whether it is held.", "看不到锁，不知道它是否被持有。";
    why_alive: "A handler is, or may be, working under it.", "有消费者正在或可能正在它的保护下工作。";
    why_young(after):
        "Not yet watched for {after}: its holder may still be at work.",
        "观察还不到 {after}：持有者可能仍在工作。";
    why_shared(owner):
        "Many locks carry the owner {owner}: comparing it proves nothing.",
        "很多锁的持有者都是 {owner}：比对持有者说明不了什么。";
    why_done: "It is a done marker, not a lock: it turns duplicates away.", "这是完成标记，不是锁：它在挡住重复消息。";
    why_role(role): "Your role does not allow it; {role} may.", "你的角色不能这样做，{role}可以。";
    why_no_owner:
        "No single owner is written in it, so there is nothing to compare before it is deleted.",
        "里面没有写明唯一的持有者，删除前无从比对。";
    why_none_configured: "No locks are configured for this source.", "这个数据源没有配置锁。";
    why_read_only:
        "This source is read-only: its configuration has no [source.records.write].",
        "这个数据源只读：配置中没有 [source.records.write]。";
    why_mapping(key):
        "[source.records.write] does not say {key}.",
        "[source.records.write] 没有写明 {key}。";
    why_grant(statement): "The account that writes may not. Missing: {statement}", "写入账号没有权限。缺少：{statement}";
    why_no_identity:
        "Nothing in this table leads back to one row: it needs a primary key or a unique index.",
        "这张表没有能定位单行的列：需要主键或唯一索引。";
    why_absent: "There is no record.", "没有记录。";
    why_record_unknown: "The record was not seen.", "看不到记录。";
    why_left_alone(why): "It would be left alone: {why}", "会被跳过：{why}";
    why_not_known(fault): "Whether it may be done is not known: {fault}", "不知道能否执行：{fault}";
    role_viewer: "a viewer", "查看者";
    role_operator: "an operator", "操作员";
    role_admin: "an admin", "管理员";
}

/// The word for a lock's state, as it stands in a pill.
#[must_use]
pub fn lock_state(lang: Lang, state: LockState) -> &'static str {
    match state {
        LockState::Held => held(lang),
        LockState::Expiring => expiring(lang),
        LockState::Done => done(lang),
        LockState::Eternal => eternal(lang),
        LockState::Orphan => orphan(lang),
        LockState::Unprotected => unprotected(lang),
        LockState::None => no_lock(lang),
        LockState::Unknown => unknown(lang),
    }
}

/// Why an operation is not offered, as a sentence.
#[must_use]
pub fn why_not(lang: Lang, why: &WhyNot) -> String {
    match why {
        WhyNot::NoLock => why_no_lock(lang).into(),
        WhyNot::LockUnknown => why_unknown(lang).into(),
        WhyNot::HandlerAlive => why_alive(lang).into(),
        WhyNot::TooYoung { after_ms } => why_young(lang, measure::limit(lang, *after_ms)),
        WhyNot::SharedOwner { owner } => why_shared(lang, owner),
        WhyNot::DoneMarker => why_done(lang).into(),
        WhyNot::NoOwner => why_no_owner(lang).into(),
        WhyNot::Role { needed } => why_role(lang, role(lang, *needed)),
        WhyNot::NotConfigured => why_none_configured(lang).into(),
        WhyNot::ReadOnly => why_read_only(lang).into(),
        WhyNot::MissingMapping { key } => why_mapping(lang, key),
        WhyNot::MissingGrant { statement } => why_grant(lang, statement),
        WhyNot::NoIdentity => why_no_identity(lang).into(),
        WhyNot::NoRecord => why_absent(lang).into(),
        WhyNot::RecordUnknown => why_record_unknown(lang).into(),
        WhyNot::LeftAlone { skip } => {
            why_left_alone(lang, super::overview::sentence(lang, super::operate::skip(lang, skip)))
        }
        WhyNot::NotKnown { fault } => why_not_known(lang, super::overview::sentence(lang, super::fault(lang, fault))),
    }
}

pub(crate) fn role(lang: Lang, role: Role) -> &'static str {
    match role {
        Role::Viewer => role_viewer(lang),
        Role::Operator => role_operator(lang),
        Role::Admin => role_admin(lang),
    }
}
