//! What became of something that a person did.

use super::{archiving, fault, why_not};
use crate::model::{Flash, Lang};

words! {
    released: "Lock released", "锁已释放";
    released_why(key): "{key} was deleted; the audit keeps who did it and why.", "{key} 已删除，操作人和原因记入审计。";
    not_released: "Lock not released", "锁没有释放";
    owner_changed(key):
        "{key} is held by another owner now than the one that was shown.",
        "{key} 现在的持有者不是之前显示的那个。";
    gone: "The lock was gone already", "锁已经不在";
    gone_why(key): "{key} had ended by itself. Nothing was deleted.", "{key} 已自行到期，没有删除任何东西。";
    not_allowed(key, why): "{key}: {why}", "{key}：{why}";
    unfinished: "Sent before, and not ended", "之前已提交，尚未结束";
    unfinished_why:
        "This form was sent twice and the first has no outcome yet; the audit shows it as unfinished.",
        "这个表单提交了两次，第一次还没有结果；审计中显示为未结束。";
    reason_missing: "A reason is needed", "需要填写原因";
    reason_missing_why: "Nothing was changed. Say why, and send it again.", "没有改动任何东西。请填写原因后重新提交。";
    phrase_wrong: "The phrase did not match", "输入的短语不一致";
    phrase_wrong_why(phrase): "Nothing was changed. Type “{phrase}”, and send it again.", "没有改动任何东西。请输入“{phrase}”后重新提交。";
    nothing_picked: "No record is picked", "没有勾选记录";
    nothing_picked_why:
        "Tick some rows, or choose this page or all that match. No plan was made.",
        "请勾选行，或选择本页、全部符合条件的。没有制定计划。";
    refused: "Not planned", "没有制定计划";
    not_running: "It is not running", "没有在执行";
    not_running_why: "It is over, or was not confirmed: nothing was asked of it.", "它已经结束，或没有确认过：没有发出任何指令。";
    undone: "Undone", "已撤销";
    undone_why(undone, differs, gone, locked, never):
        "{undone} are what they were. Left as they are: {differs} touched since, {gone} gone, {locked} held by others, {never} not to be undone.",
        "{undone} 条已恢复。保持原样：{differs} 条已被改动，{gone} 条已不存在，{locked} 条被占用，{never} 条不能撤销。";
    undoing: "Undoing goes on", "正在撤销";
    undoing_why: "It takes longer than this page waits. The numbers below tell how far it is.", "用时较长，本页不再等待。下方的数字显示进度。";
    failed: "The outcome is not certain", "结果不确定";
    failed_why(fault): "{fault}. Look again before trying once more.", "{fault}。再试之前请先重新查看。";
}

/// The headline and the sentence below it.
pub(crate) fn flash(lang: Lang, flash: &Flash) -> (&'static str, String) {
    match flash {
        Flash::LockReleased { key } => (released(lang), released_why(lang, key)),
        Flash::LockOwnerChanged { key } => (not_released(lang), owner_changed(lang, key)),
        Flash::LockGone { key } => (gone(lang), gone_why(lang, key)),
        Flash::LockNotReleasable { key, why } => (not_released(lang), not_allowed(lang, key, why_not(lang, why))),
        Flash::ReasonMissing => (reason_missing(lang), reason_missing_why(lang).into()),
        Flash::Unfinished => (unfinished(lang), unfinished_why(lang).into()),
        Flash::PhraseWrong { phrase } => (phrase_wrong(lang), phrase_wrong_why(lang, phrase)),
        Flash::ArchiveBegun { .. }
        | Flash::ArchiveSteered { .. }
        | Flash::ArchiveRefused { .. }
        | Flash::ArchiveAnother
        | Flash::ArchiveOver
        | Flash::Restored { .. } => archiving::flash(lang, flash),
        Flash::NothingPicked => (nothing_picked(lang), nothing_picked_why(lang).into()),
        Flash::OperationRefused { why } => (refused(lang), why_not(lang, why)),
        Flash::NotRunning => (not_running(lang), not_running_why(lang).into()),
        Flash::Undone { undo } => {
            (undone(lang), undone_why(lang, undo.undone, undo.differs, undo.gone, undo.locked, undo.not_undoable))
        }
        Flash::Undoing => (undoing(lang), undoing_why(lang).into()),
        Flash::Failed { fault: broken } => (failed(lang), failed_why(lang, fault(lang, broken))),
    }
}
