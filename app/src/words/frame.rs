//! The bar, the navigation, and what stands around every page.

use crate::model::{Health, Lang, Layer};

words! {
    skip: "Skip to content", "跳到正文";
    main_nav: "Main", "主导航";
    source: "Source", "数据源";
    source_menu: "Database, locks, broker, reports", "数据库、锁、消息队列、上报";
    look_up: "Look a key up in all three layers", "在三层中查找一个键";
    look_up_placeholder: "Paste a key to look it up", "粘贴一个键进行查找";
    overview: "Overview", "总览";
    records: "Records", "记录";
    locks: "Locks", "锁";
    brokers: "Brokers", "消息队列";
    archive: "Archive", "归档";
    audit: "Audit", "审计";
    operations: "Operations", "操作";
    settings: "Settings", "设置";
    times_in: "Times in", "时间均为";
    language_theme: "Language and theme", "语言和主题";
    language: "Language, 语言", "语言, Language";
    theme: "Theme", "主题";
    theme_system: "As the system", "跟随系统";
    theme_light: "Light", "浅色";
    theme_dark: "Dark", "深色";
    account(name): "Account: {name}", "账号：{name}";
    role(role): "Signed in as {role}", "登录身份：{role}";
    sign_out: "Sign out", "退出登录";
    copy(what): "Copy {what}", "复制{what}";
    copied: "Copied", "已复制";
    not_copied: "Could not copy", "复制失败";
    the_key: "key", "业务键";
    the_command: "command", "命令";
    dismiss: "Dismiss", "关闭";
    aging_count(n): "{n} aging", "{n} 条滞留";
    wrong_count(n): "{n} wrong", "{n} 把异常";
    dead_count(n): "{n} in the dead letter", "死信 {n} 条";

    reports: "Reports", "上报";
    reachable(layer): "{layer} reachable", "{layer}连接正常";
    stale(layer): "{layer} is stale", "{layer}数据过期";
    unreachable(layer): "{layer} unreachable", "{layer}连接不上";
    waiting(layer): "{layer} not read yet", "{layer}尚未读取";
    not_configured(layer): "{layer} not configured", "{layer}未配置";
}

/// A layer's health in words, for marks that are seen only.
pub(crate) fn health(lang: Lang, layer: Layer, health: Health) -> String {
    let layer = match layer {
        Layer::Signals => reports(lang),
        layer => super::layer_subject(lang, layer),
    };
    match health {
        Health::Reachable => reachable(lang, layer),
        Health::Stale => stale(lang, layer),
        Health::Unreachable => unreachable(lang, layer),
        Health::Waiting => waiting(lang, layer),
        Health::NotConfigured => not_configured(lang, layer),
    }
}
