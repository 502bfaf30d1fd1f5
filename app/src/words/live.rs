//! What the bar says of its event stream.

words! {
    as_of(at): "As of {at}", "截至 {at}";
    connecting: "Connecting", "连接中";
    live: "Live", "实时";
    paused: "Paused", "已暂停";
    paused_menu: "Paused while a menu or form is open", "菜单或表单打开期间暂停";
    paused_input: "Paused while a field has input", "输入框有内容期间暂停";
    paused_selection: "Paused while text or rows are selected", "选中文字或行期间暂停";
    lost(age): "Not live for {age}", "实时更新已中断 {age}";
    status: "Live updates", "实时更新";
}
