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
}
