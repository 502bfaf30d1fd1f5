words! {
    look_up: "Look up", "查找";
    ask_why:
        "Paste the business key of one message. Its record, its lock and its queues are read for this page, and a verdict says what is going on.",
        "粘贴一条消息的业务键。本页会读取它的记录、锁和队列，并给出诊断结论。";
    type_help: "Without a type, every type that has the key is found.", "不填类型时，查找所有包含这个键的类型。";
    to_records: "To the records", "查看记录";
    same_key: "All records with this key", "这个键的全部记录";
    for_age: "for", "已";
    many(n): "{n} for one key", "一个键有 {n} 条";
    absent: "no record", "没有记录";
    absent_why: "Never inserted, or removed since", "从未插入，或已被删除";
    database_unseen: "The database could not be asked.", "未能查询数据库。";
    not_the_only_one: "Not the only one", "不止这一条";
    oldest_since(at): "The oldest has been so since {at}.", "最早的始于 {at}。";
    see_the_others: "See the records", "查看这些记录";
}

counted! {
    others_alike(n): "{n} more open record of this source has the same verdict.",
        "{n} more open records of this source have the same verdict.", "此数据源还有 {n} 条未完成记录是同样的结论。";
}
