//! What happened to one message, on one clock and one below the other.

words! {
    one_clock: "The three layers on one clock", "三层同一时钟";
    one_clock_sub(at): "time since the record was inserted at {at}, logarithmic; hollow means not there",
        "从 {at} 记录插入算起，对数刻度；空心表示不在";
    lane_said(lane, state): "{lane}: {state}.", "{lane}：{state}。";
    deliveries_lane: "Deliveries", "投递";
    earlier: "earlier", "更早";
    held_at_most(ttl): "held ≤ {ttl}", "最多持有 {ttl}";
    now_mark(age): "now, {age}", "现在，{age}";
    ttl_mark(ttl): "TTL {ttl}", "TTL {ttl}";
    p99_mark(p99): "P99 {p99}", "P99 {p99}";
    stuck_mark(age): "may be stuck after {age}", "{age}后才可能卡住";

    timeline: "Timeline", "时间线";
    inserted: "Record inserted", "记录插入";
    with_id(id): "id {id}", "id {id}";
    last_changed(status): "Last changed: {status}", "最近一次变更：{status}";
    lock_ended: "Its lock was gone", "锁已不在";
    worked_out: "worked out from its TTL, not observed", "由 TTL 推算，未观察到";
}

counted! {
    deliveries(n): "{n} delivery written down", "{n} deliveries written down", "记下 {n} 次投递";
    attempts(n): "{n} attempt", "{n} attempts", "尝试 {n} 次";
}
