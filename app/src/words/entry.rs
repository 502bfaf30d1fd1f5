//! Coming in: sign-in, one-time links, and pages that are not there.

words! {
    tagline: "Operations console for idempotent message consumption", "幂等消息消费的运维控制台";
    sign_in: "Sign in", "登录";
    sign_in_title: "Sign in to Oncewatch", "登录 Oncewatch";
    sign_in_again: "Sign in to go on", "登录后继续";
    name: "Name", "用户名";
    password: "Password", "密码";
    keep: "Stay signed in for 7 days on this device", "在此设备上保持登录 7 天";
    password_lost: "Password lost: whoever runs the server sets a new one with", "忘记密码：请服务器管理员执行";
    wrong: "Name or password is wrong.", "用户名或密码错误。";
    too_many: "Too many tries from this address.", "这个地址尝试次数过多。";
    too_many_until(at, left):
        "Next try at {at}, in {left}. Accounts are not locked.",
        "{at} 可以再试，还要等 {left}。账号没有被锁定。";
    too_many_why(at): "Waits until {at}. The name stays.", "等到 {at}。用户名会保留。";
    session_over: "Your session is over.", "会话已结束。";
    session_over_why:
        "Sessions end after a time without use. Nothing that was not sent has been done.",
        "会话长时间不用就会结束。未提交的操作都没有执行。";
    forged: "This form came from somewhere else, or was too old.", "这个表单来自别处，或已过期。";
    forged_why: "Nothing was done. Send it again from here.", "没有执行任何操作，请从这里重新提交。";

    setup_title: "Create the first operator", "创建第一个操作员";
    setup_why: "No account exists yet. This one may do everything.", "还没有任何账号。这个账号拥有全部权限。";
    once_until(at): "This link works once, until {at}.", "这个链接只能用一次，{at} 前有效。";
    name_help:
        "Lower case, digits, dot and dash; it is what the audit shows.",
        "小写字母、数字、点和短横线；审计中显示的就是它。";
    password_help(n): "At least {n} characters. A long phrase is safer than signs.", "至少 {n} 个字符。长短语比特殊符号更安全。";
    create: "Create operator", "创建操作员";
    bad_name:
        "This name cannot be used: 2 to 32 of a–z, 0–9, dot and dash are accepted.",
        "这个用户名不能用：需要 2 到 32 个小写字母、数字、点或连字符。";
    short_password: "This password is too short.", "密码太短。";
    enter_as(name): "Sign in as {name}", "以 {name} 登录";
    enter_why: "This link signs you in without a password.", "这个链接无需密码即可登录。";
    used_at(at): "This link was used at {at}", "这个链接已在 {at} 用过";
    used_why(name):
        "It signed {name} in. If that was not you, set a new password on the server.",
        "{name} 用它登录过。如果不是你本人，请在服务器上设置新密码。";
    used_unknown_why:
        "If that was not you, set a new password on the server.",
        "如果不是你本人，请在服务器上设置新密码。";
    expired_at(at): "This link ended at {at}", "这个链接已在 {at} 失效";
    expired_why:
        "The server prints a new one when it starts without any account.",
        "服务器在没有任何账号时启动，会打印新的链接。";
    no_link: "There is no such link", "没有这个链接";
    no_link_why:
        "Was it copied as a whole? A link works once and for a short time.",
        "是否复制完整？链接只能用一次，且很快失效。";

    not_found: "There is nothing here", "这里没有内容";
    not_found_why:
        "The address is not one of Oncewatch’s pages, or what it showed is gone.",
        "这个地址不是 Oncewatch 的页面，或它显示的内容已不在。";
    forbidden: "You may not do this", "你不能这样做";
    forbidden_why(role):
        "It needs {role}. Whoever runs the server can change your role.",
        "需要{role}角色。服务器管理员可以更改你的角色。";
    bad_request: "This request cannot be read", "无法识别这个请求";
    too_large: "This request is too large", "请求过大";
    too_large_why: "Nothing was done.", "没有执行任何操作。";
    broken: "Something broke inside Oncewatch", "Oncewatch 内部出错";
    broken_why:
        "It was written to the log under the number below. Your systems were not changed.",
        "已按下面的编号写入日志。你的系统没有被改动。";
    request(id): "request {id}", "请求 {id}";
    unreachable_title: "This cannot be shown now", "现在无法显示";
    to_overview: "To the overview", "回到总览";
    record_gone: "This record is gone", "这条记录已不在";
    record_gone_why:
        "The row that this address names is no longer in the table: it was deleted, archived or moved.",
        "这个地址指向的行已不在表中：可能被删除、归档或移走。";
}

counted! {
    host_sources(n, host): "{host}, {n} source", "{host}, {n} sources", "{host}，{n} 个数据源";
    wrong_left(n):
        "{n} more try, then this address has to wait.",
        "{n} more tries, then this address has to wait.",
        "还可以试 {n} 次，之后这个地址需要等待。";
}
