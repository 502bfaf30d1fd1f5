use crate::context::PageContext;
use crate::model::Flash;
use crate::ui::{Icon, Tone, classed, small_icon};
use crate::words::{act, frame};
use leptos::prelude::*;

/// What became of the last form. It stays until it is dismissed or the next page comes.
pub(super) fn toasts(ctx: &PageContext) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let flash = ctx.flash.as_ref()?;
    let (tone, shape, role) = match flash {
        Flash::LockReleased { .. }
        | Flash::ArchiveBegun { .. }
        | Flash::ArchiveSteered { .. }
        | Flash::Undone { .. }
        | Flash::Restored { restored: None } => (Tone::Ok, Icon::Ok, "status"),
        Flash::Restored { restored: Some(restored) } if restored.all() == restored.done => {
            (Tone::Ok, Icon::Ok, "status")
        }
        Flash::Undoing => (Tone::Busy, Icon::Busy, "status"),
        Flash::Restored { .. }
        | Flash::ArchiveAnother
        | Flash::ArchiveOver
        | Flash::PhraseWrong { .. }
        | Flash::LockGone { .. }
        | Flash::Unfinished
        | Flash::ReasonMissing
        | Flash::NothingPicked
        | Flash::NotRunning => (Tone::Warn, Icon::Warn, "status"),
        Flash::LockOwnerChanged { .. }
        | Flash::LockNotReleasable { .. }
        | Flash::ArchiveRefused { .. }
        | Flash::OperationRefused { .. }
        | Flash::Failed { .. } => (Tone::Crit, Icon::Crit, "alert"),
    };
    let (title, text) = act::flash(lang, flash);
    Some(
        view! {
            <div class="toasts">
                <div class="toast" role=role>
                    {classed(shape, &format!("icon {}", tone.word()))}
                    <div><p><strong>{title}</strong></p><p class="t2 s12 break">{text}</p></div>
                    <a class="btn btn--bare btn--s" href=ctx.url.clone() aria-label=frame::dismiss(lang)>{small_icon(Icon::X, "")}</a>
                </div>
            </div>
        }
        .into_any(),
    )
}
