//! What a status code means: texts by their words in English, Chinese and pinyin; numbers only by what the column's
//! comment says of them.

use app::model::Status;

/// A word that is used for a state, as a whole. `pending` and its like are work that is not finished: it is processing.
const EXACT: [(Status, &[&str]); 4] = [
    (
        Status::Processing,
        &[
            "processing",
            "process",
            "inprogress",
            "inprocess",
            "progress",
            "running",
            "consuming",
            "handling",
            "working",
            "started",
            "start",
            "pending",
            "init",
            "initial",
            "initialized",
            "new",
            "created",
            "received",
            "published",
            "resubmitted",
            "locked",
            "waiting",
            "wait",
            "queued",
            "open",
            "todo",
            "doing",
            "active",
            "executing",
            "ing",
            "chulizhong",
            "xiaofeizhong",
            "zhixingzhong",
            "jinxingzhong",
            "daichuli",
            "weichuli",
            "weixiaofei",
            "chushi",
        ],
    ),
    (
        Status::Completed,
        &[
            "success",
            "succeed",
            "succeeded",
            "successful",
            "succ",
            "ok",
            "done",
            "complete",
            "completed",
            "finish",
            "finished",
            "consumed",
            "processed",
            "handled",
            "dispatched",
            "delivered",
            "acked",
            "committed",
            "confirmed",
            "consumesuccess",
            "consumedsuccess",
            "chenggong",
            "wancheng",
            "yiwancheng",
            "yichuli",
            "yixiaofei",
        ],
    ),
    (
        Status::Failed,
        &[
            "fail",
            "failed",
            "failure",
            "error",
            "errored",
            "err",
            "exception",
            "faulted",
            "consumefail",
            "consumefailed",
            "rejected",
            "shibai",
            "yichang",
            "cuowu",
        ],
    ),
    (
        Status::Dead,
        &[
            "dead",
            "deadletter",
            "deadlettered",
            "dlq",
            "abandoned",
            "abandon",
            "discarded",
            "discard",
            "exhausted",
            "givenup",
            "gaveup",
            "poison",
            "terminated",
            "sixin",
            "fangqi",
            "zhongzhi",
            "diuqi",
        ],
    ),
];

/// Parts of a phrase, in the order in which they are looked for: "not consumed" must not be taken for "consumed", nor
/// "处理失败" for "处理".
const PARTS: [(Status, &[&str]); 5] = [
    (
        Status::Dead,
        &[
            "dead", "abandon", "discard", "exhaust", "given up", "gave up", "死信", "放弃", "丢弃", "终止", "废弃",
            "作废",
        ],
    ),
    (Status::Failed, &["fail", "error", "exception", "失败", "异常", "出错", "错误"]),
    (
        Status::Processing,
        &[
            "not ",
            "unconsumed",
            "unprocessed",
            "unhandled",
            "wait",
            "pending",
            "init",
            "未",
            "待",
            "初始",
            "新建",
            "ing",
            "in progress",
            "started",
            "处理中",
            "消费中",
            "执行中",
            "进行中",
            "正在",
            "中",
        ],
    ),
    (
        Status::Completed,
        &["succe", "success", "done", "complete", "finish", "consumed", "processed", "handled", "成功", "完成", "已"],
    ),
    (Status::Processing, &["process", "start"]),
];

/// A stored text. `None`: nobody can know.
pub(super) fn of_text(text: &str) -> Option<Status> {
    let plain: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let exact = EXACT.iter().find(|(_, words)| words.contains(&plain.as_str())).map(|(status, _)| *status);
    // Chinese has no word boundaries to get wrong.
    exact.or_else(|| if plain.chars().any(|c| c >= '\u{4e00}') { of_phrase(text) } else { None })
}

/// A piece of a comment.
pub(super) fn of_phrase(text: &str) -> Option<Status> {
    let text = text.trim().to_lowercase();
    if text.is_empty() {
        return None;
    }
    let plain: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    let exact = EXACT.iter().find(|(_, words)| words.contains(&plain.as_str())).map(|(status, _)| *status);
    exact.or_else(|| {
        PARTS.iter().find(|(_, parts)| parts.iter().any(|part| text.contains(part))).map(|(status, _)| *status)
    })
}

/// `0-processing 1-success 2-failed`, `1处理中 2已完成 3失败`, `状态：0=待处理,1=成功`, `处理中:1，成功:2`. What a number means,
/// as far as the comment says it; nothing when fewer than two numbers are explained.
pub(super) fn in_comment(comment: &str) -> Vec<(i128, Status)> {
    let pieces = pieces(comment);
    let after: Vec<(i128, Status)> =
        pieces.iter().filter_map(|piece| Some((piece.number, of_phrase(&piece.after)?))).collect();
    let before: Vec<(i128, Status)> =
        pieces.iter().filter_map(|piece| Some((piece.number, of_phrase(&piece.before)?))).collect();
    // The words stand on one side of all their numbers; the text before the first may be a heading.
    let found = if after.len() >= before.len() { after } else { before };
    if found.len() < 2 { Vec::new() } else { found }
}

struct Piece {
    number: i128,
    /// Since the number or delimiter before.
    before: String,
    /// Up to the next number or delimiter.
    after: String,
}

fn pieces(comment: &str) -> Vec<Piece> {
    let chars: Vec<char> = comment.chars().collect();
    let mut pieces: Vec<Piece> = Vec::new();
    // The text since the last number or delimiter, and whether it follows a number.
    let (mut text, mut follows, mut at) = (String::new(), false, 0);
    while at < chars.len() {
        let c = chars[at];
        let delimiter = matches!(c, ',' | '，' | ';' | '；' | '|' | '/' | '、' | '\n' | '。');
        let number = number_at(&chars, at);
        if number.is_none() && !delimiter {
            text.push(c);
            at += 1;
            continue;
        }
        let said = tidy(&std::mem::take(&mut text));
        if let Some(last) = pieces.last_mut().filter(|_| follows) {
            last.after.clone_from(&said);
        }
        follows = number.is_some();
        match number {
            Some((number, end)) => {
                pieces.push(Piece { number, before: said, after: String::new() });
                at = end;
            }
            None => at += 1,
        }
    }
    if let Some(last) = pieces.last_mut().filter(|_| follows) {
        last.after = tidy(&text);
    }
    pieces
}

/// The number that begins here, and where it ends. A sign counts only where no word or number stands before it: "0-new"
/// is not minus.
fn number_at(chars: &[char], at: usize) -> Option<(i128, usize)> {
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let minus = chars[at] == '-' && digit(at + 1) && !at.checked_sub(1).is_some_and(|at| chars[at].is_alphanumeric());
    if !digit(at) && !minus {
        return None;
    }
    let end = (at + 1..=chars.len()).find(|end| !digit(*end))?;
    let number: String = chars[at..end].iter().collect();
    Some((number.parse().ok()?, end))
}

/// Without what stands between a number and its word.
fn tidy(text: &str) -> String {
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// The labels of MySQL's `enum('a','b')`.
pub(super) fn labels(declared: &str) -> Vec<String> {
    let inside = declared.strip_prefix("enum(").and_then(|rest| rest.strip_suffix(')'));
    let labels = inside.map(|inside| inside.split("','").map(|label| label.trim_matches('\'').replace("''", "'")));
    labels.map(Iterator::collect).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{in_comment, labels, of_text};
    use app::model::Status::{self, Completed, Dead, Failed, Processing};

    #[test]
    fn texts_by_their_words() {
        for (text, status) in [
            ("PROCESSING", Some(Processing)),
            ("in_progress", Some(Processing)),
            ("RESUBMITTED", Some(Processing)),
            ("Consumed", Some(Completed)),
            ("dead_letter", Some(Dead)),
            ("消费失败", Some(Failed)),
            ("未消费", Some(Processing)),
            ("已完成", Some(Completed)),
            ("chenggong", Some(Completed)),
            ("SÚCCESS", None),
            ("STALE", None),
            ("cancelled", None),
            ("", None),
        ] {
            assert_eq!(of_text(text), status, "{text:?}");
        }
    }

    #[test]
    fn comments_that_explain_their_numbers() {
        let of = |comment: &str| -> Vec<(i128, Status)> { in_comment(comment) };
        let three = vec![(0, Processing), (1, Completed), (2, Failed)];
        assert_eq!(of("0-processing 1-success 2-failed"), three);
        assert_eq!(of("状态：0=待处理,1=处理成功,2=处理失败"), three);
        assert_eq!(of("0 not consumed / 1 consumed / 2 failed"), three);
        assert_eq!(of("0: init; 1: ok; 2: error"), three);
        assert_eq!(of("状态(0:未消费 1:已消费 2:消费失败)"), three);
        assert_eq!(of("1处理中 2已完成 3失败"), [(1, Processing), (2, Completed), (3, Failed)]);
        assert_eq!(of("处理中:1，成功:2，失败:3，死信:4"), [(1, Processing), (2, Completed), (3, Failed), (4, Dead)]);
        assert_eq!(of("-1 failed, 0 processing, 1 done"), [(-1, Failed), (0, Processing), (1, Completed)]);
        assert_eq!(of("消费状态 0-失败 1-成功"), [(0, Failed), (1, Completed)]);
        assert_eq!(of("see wiki page 42"), []);
        assert_eq!(of("状态"), []);
    }

    #[test]
    fn labels_of_an_enum() {
        assert_eq!(labels("enum('processing','it''s done')"), ["processing", "it's done"]);
        assert_eq!(labels("varchar(20)"), [] as [&str; 0]);
    }
}
