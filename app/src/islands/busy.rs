//! What keeps a page from moving.

/// What somebody is at, so that nothing may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "only in a browser somebody is at anything"))]
pub(super) enum Busy {
    /// A menu or form is open.
    Menu,
    /// A field has input.
    Input,
    /// Text or rows are selected.
    Selection,
}
