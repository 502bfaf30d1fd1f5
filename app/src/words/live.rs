//! What the bar says of its event stream.

words! {
    as_of(at): "As of {at}", "截至 {at}";
    connecting: "Connecting", "连接中";
    live: "Live", "实时";
    paused: "Paused", "已暂停";
    lost(age): "Not live for {age}", "实时更新已中断 {age}";
    status: "Live updates", "实时更新";
}
