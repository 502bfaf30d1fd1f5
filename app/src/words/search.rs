//! What a search over records cannot be, and what would be read instead.

use crate::model::{Lang, Qualifier, SearchProblem, Status};

words! {
    cannot_be_read(at, found, why):
        "The search cannot be read at character {at}, “{found}”: {why}",
        "筛选条件从第 {at} 个字符“{found}”起无法识别：{why}";
    unknown_qualifier(near, known):
        "did you mean {near}? There are {known}. A key that begins so needs key: before it",
        "是否想写 {near}？可用的有 {known}。以它开头的业务键，前面请加 key: 前缀";
    doubled(qualifier):
        "{qualifier} is given twice; text with spaces stands in \"quotes\"",
        "{qualifier} 写了两次；含空格的文本请加英文双引号";
    no_value(qualifier): "{qualifier}: needs a value", "{qualifier}: 后面缺少内容";
    no_status(known): "a status is one of {known}", "状态只能是 {known}";
    no_age:
        "an age is written >10m, <1h30m or 10m..1h, in s, m, h, d or w",
        "时长的写法：>10m、<1h30m、10m..1h，单位为 s、m、h、d、w";
    no_moment:
        "a time is written 2026-11-29 or 2026-11-29T08:00, also with Z or +08:00; before it >, >=, < or <=, or .. between two",
        "时间的写法：2026-11-29、2026-11-29T08:00，可带 Z 或 +08:00；前面可加 >、>=、<、<=，两个之间可用 ..";
    no_since:
        "since takes an age such as 24h or 7d, or a time such as 2026-11-29 or 2026-11-29T08:00",
        "since 后面写时长（如 24h、7d）或时间（如 2026-11-29、2026-11-29T08:00）";
    no_number: "a number is written 3, >3, >=3, <3, <=3 or 3..5", "数字的写法：3、>3、>=3、<3、<=3、3..5";
    reversed: "the first of the two must be the smaller", "两个值中前一个必须较小";
    unclosed: "the quote does not end", "引号没有结束";
    after_quote: "after a closing quote only * or a space may come", "结束引号之后只能是 * 或空格";
    too_long: "it is too long", "内容太长";
}

/// One line, without a full stop.
pub(super) fn bad_search(lang: Lang, at: u32, found: &str, problem: SearchProblem) -> String {
    let why = match problem {
        SearchProblem::UnknownQualifier(near) => unknown_qualifier(lang, near.as_str(), known(lang)),
        SearchProblem::Doubled(qualifier) => doubled(lang, qualifier.as_str()),
        SearchProblem::NoValue(qualifier) => no_value(lang, qualifier.as_str()),
        SearchProblem::NoStatus => no_status(lang, list(lang, &Status::ALL.map(Status::as_str))),
        SearchProblem::NoAge => no_age(lang).into(),
        SearchProblem::NoMoment => no_moment(lang).into(),
        SearchProblem::NoSince => no_since(lang).into(),
        SearchProblem::NoNumber => no_number(lang).into(),
        SearchProblem::Reversed => reversed(lang).into(),
        SearchProblem::Unclosed => unclosed(lang).into(),
        SearchProblem::AfterQuote => after_quote(lang).into(),
        SearchProblem::TooLong => too_long(lang).into(),
    };
    cannot_be_read(lang, at, found, why)
}

fn known(lang: Lang) -> String {
    list(lang, &Qualifier::ALL.map(Qualifier::as_str))
}

fn list(lang: Lang, words: &[&str]) -> String {
    words.join(match lang {
        Lang::En => ", ",
        Lang::Zh => "、",
    })
}
