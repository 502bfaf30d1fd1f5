use crate::model::{Lang, Status};

words! {
    processing: "processing", "处理中";
    completed: "completed", "已完成";
    failed: "failed", "失败";
    dead: "dead", "终止";
    unmapped: "unmapped", "未映射";

    records: "Records", "记录";
    record: "Record", "记录";
    all: "All", "全部";
    filter: "Filter records", "筛选记录";
    common_filters: "By status", "按状态";
    search_label: "Add a qualifier or a key", "添加条件或业务键";
    search_help: "How to search", "筛选写法";
    search_bad: "The search cannot be read", "筛选条件无法识别";
    search_bad_why: "Nothing was read from the table.", "没有读取数据表。";
    search_status: "only this status", "只看这个状态";
    search_type: "exactly this type; with spaces in quotes: type:\"A B\"", "只看这个类型；含空格时加双引号：type:\"A B\"";
    search_key: "this key; with a star at its end every key that begins so; a key alone needs no key:",
        "这个业务键；末尾加星号表示以它开头的所有键；单独一个键可以省略 key:";
    search_owner: "held by this owner; a star at its end as with keys", "由它持有；末尾星号同上";
    search_age: "longer in its state than this; also <1h, 10m..1h; in s, m, h, d, w",
        "处于当前状态超过这个时长；也可写 <1h、10m..1h；单位 s、m、h、d、w";
    search_created(zone): "created then or later; also updated:, >, <, <=, 2026-11-29T08:00, two days with ..; in {zone}",
        "在此时或之后创建；也可用 updated:、>、<、<=、2026-11-29T08:00，两个日期用 ..；时区 {zone}";
    search_attempts: "tried more often than this", "尝试次数多于这个数";
    in_future: "in the future: does the time zone of this source fit?", "在未来：这个数据源的时区设置是否正确？";
    stored_as(code): "stored as {code}", "存储值 {code}";
    search: "Search", "筛选";
    remove(what): "Remove {what}", "去掉 {what}";
    read_by(strategy): "read by {strategy}", "读取方式：{strategy}";
    list: "Records that match, newest first", "符合条件的记录，从新到旧";

    key: "Key", "业务键";
    status_head: "Status", "状态";
    r#type: "Type", "类型";
    in_state: "In this state", "已持续";
    updated: "Updated", "更新";
    created: "Created", "创建";
    attempts: "Attempts", "尝试次数";
    owner: "Owner", "持有者";
    error: "Error", "错误";
    id: "id", "id";
    table: "Table", "表";
    lease_until: "Lease until", "租约到期";
    no_key: "no key", "没有业务键";
    no_type: "no type", "没有类型";
    not_counted: "not counted here", "这张表不计数";
    none_recorded: "none recorded", "未记录";
    never_since: "never since", "此后未变";
    twice: "the clock was set back: the earlier of two instants", "时钟回拨：取两个时刻中较早的一个";
    time_not_known: "the table has no such time", "表中没有这个时间";

    window_all: "Everything that matches can be reached by paging.", "翻页可以看到全部符合条件的记录。";
    window_examined(rows):
        "No index serves this filter: {rows} rows were read for this page.",
        "没有索引支持这个筛选：本页读了 {rows} 行。";
    window_examined_to(rows, back_to):
        "No index serves this filter: {rows} rows were read for this page, back to {back_to}.",
        "没有索引支持这个筛选：本页读了 {rows} 行，最早到 {back_to}。";
    window_one_page(rows):
        "Nothing tells the rows of this table apart, so there is only this page, from {rows} rows as the table gave them. A primary key or a unique index makes paging possible.",
        "这张表没有能区分各行的列，只有这一页，取自表给出的 {rows} 行。添加主键或唯一索引后才能翻页。";
    window_open_set: "From the records that the collector follows.", "来自采集器跟踪的未完成记录。";
    complete_as_of(at): "Complete as of {at}.", "数据完整截至 {at}。";
    newer: "Newer", "较新";
    older: "Older", "较旧";
    newest: "These are the newest", "已是最新一页";
    oldest: "There is nothing older", "已是最后一页";
    read_on: "Read on", "继续读取";
    pages: "Pages", "翻页";

    empty_none: "No record yet", "还没有记录";
    empty_none_why:
        "The table is empty, or nothing in it is visible to this user.",
        "表是空的，或当前用户看不到其中的内容。";
    empty_status(status): "No record is {status}", "没有{status}的记录";
    empty_type(r#type): "No record of type {type} matches", "没有类型为 {type} 的记录符合条件";
    empty_match_why: "Read to the end: there really is none.", "已读到末尾：确实没有。";
    empty_open_why: "Among the records that the collector follows there is none.", "采集器跟踪的记录中没有。";
    empty_search(search): "No record matches {search}", "没有记录符合 {search}";
    drop_filter: "Show all records", "显示全部记录";
    outside(rows): "Nothing in the {rows} rows that were read", "已读的 {rows} 行中没有";
    outside_why:
        "No index serves this filter, so only part of the table was read. Older rows may match.",
        "没有索引支持这个筛选，只读了表的一部分，更早的行中可能有。";
    not_mapped(status): "No code of this table means {status}", "这张表没有表示“{status}”的状态码";
    not_mapped_why:
        "So it can never be seen here. Name its code under records.status in the configuration.",
        "所以这里永远看不到它。请在配置的 records.status 下写明对应的状态码。";
    first_pass: "The table is being walked once", "正在首次遍历这张表";
    first_pass_of(walked, estimated):
        "{walked} of ≈\u{a0}{estimated} rows.",
        "已遍历 {walked} 行，共约 {estimated} 行。";
    first_pass_walked(walked): "{walked} rows so far.", "已遍历 {walked} 行。";
    first_pass_why:
        "Until then counts cover only what was walked, and older open records may be missing.",
        "遍历完成之前，计数只含已遍历的部分，更早的未完成记录可能还没出现。";
}

counted! {
    rows(n): "{n} row, newest first", "{n} rows, newest first", "{n} 行，从新到旧";
}

/// The word for a status, as it stands in a pill.
#[must_use]
pub fn status(lang: Lang, status: Status) -> &'static str {
    match status {
        Status::Processing => processing(lang),
        Status::Completed => completed(lang),
        Status::Failed => failed(lang),
        Status::Dead => dead(lang),
        Status::Unmapped => unmapped(lang),
    }
}
