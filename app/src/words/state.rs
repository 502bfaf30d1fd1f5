//! How fresh something is, and what is wrong when it is not.

words! {
    age_old(age): "{age} old", "{age}前的数据";
    last_seen(at): "last seen {at}", "上次看到：{at}";
    never_seen: "never seen", "从未看到";
    not_read_yet: "not read yet", "尚未读取";
    read_at(at): "read {at}", "读取于 {at}";
    just_read: "read for this page", "打开本页时读取";

    cannot_be_reached(layer): "{layer} cannot be reached", "{layer}连接不上";
    cannot_be_read(layer): "{layer} cannot be read", "{layer}无法读取";
    next_try(when): "Next try {when}.", "{when}重试。";
    next_try_now: "The next try is due now.", "即将重试。";
    others_unaffected: "The other layers are not affected.", "其他层不受影响。";
    records_not_known:
        "What is processing, failed or stuck is not known until then.",
        "在此之前，处理中、失败和卡住的记录数未知。";
    queues_not_known: "What waits in its queues is not known until then.", "在此之前，队列里等待的消息数未知。";
    last_known(at): "Last seen at {at}, not current", "上次看到：{at}，并非当前数据";
    waiting(layer): "Asking {layer} for the first time", "正在首次查询{layer}";
    waiting_why:
        "Nothing is known yet; figures appear after the first reading.",
        "尚无数据，首次读取后显示。";
    try_again: "Try again", "重试";
    read_again: "Read again", "重新读取";
    in_this_panel: "The other parts of this page are not affected.", "本页的其他部分不受影响。";
}

counted! {
    tried(n, since): "Tried once, at {since}.", "Tried {n} times since {since}.", "自 {since} 起已尝试 {n} 次。";
}
