//! What islands and the code around them ask of the page they stand in.

use super::busy::Busy;
use crate::model::Lang;
use chrono::{DateTime, Utc};
use std::cell::Cell;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlInputElement, VisibilityState};

thread_local! {
    /// The server's clock minus the browser's, in milliseconds.
    static AHEAD: Cell<f64> = const { Cell::new(0.0) };
}

/// Menus and forms inside details: while one is open nothing on the page moves.
const OPENED: &str = "details.menu[open], details.release[open]";
/// What a question mark has opened. By itself: a browser that does not know the word refuses all of a selector.
const EXPLAINED: &str = ".explained:popover-open";
/// What somebody may have typed into.
const FIELDS: &str = "main input:not([type=hidden], [type=checkbox]), .lookup input";
const PICKED: &str = "main tbody input[type=checkbox]:checked";

pub(super) fn document() -> Option<Document> {
    web_sys::window()?.document()
}

pub(super) fn all(document: &Document, selector: &str) -> Vec<Element> {
    let Ok(found) = document.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into::<Element>().ok()).collect()
}

/// The page says when it was made: what the browser's clock says besides is not trusted.
pub(super) fn set_clock(document: &Document) {
    let made_at = document.document_element().and_then(|root| root.get_attribute("data-now"));
    if let Some(made_at) = made_at.and_then(|text| text.parse::<DateTime<Utc>>().ok()) {
        #[allow(clippy::cast_precision_loss)]
        AHEAD.set(made_at.timestamp_millis() as f64 - js_sys::Date::now());
    }
}

/// The server's clock, as far as it was right when the page was made.
pub(super) fn now() -> DateTime<Utc> {
    let ms = js_sys::Date::now() + AHEAD.get();
    // Milliseconds since 1970 are far below 2⁵³.
    #[allow(clippy::cast_possible_truncation)]
    DateTime::from_timestamp_millis(ms as i64).unwrap_or_default()
}

pub(super) fn hidden() -> bool {
    document().is_some_and(|document| document.visibility_state() == VisibilityState::Hidden)
}

pub(super) fn lang(document: &Document) -> Lang {
    match document.document_element().and_then(|root| root.get_attribute("lang")).as_deref() {
        Some("zh-CN") => Lang::Zh,
        _ => Lang::En,
    }
}

/// Somebody is reading a menu, typing or selecting: nothing may move under the pointer.
pub(super) fn busy() -> Option<Busy> {
    let document = document()?;
    let there = |selector: &str| document.query_selector(selector).ok().flatten().is_some();
    let has_input = || {
        let fields = all(&document, FIELDS);
        let mut inputs = fields.iter().filter_map(|field| field.dyn_ref::<HtmlInputElement>());
        inputs.any(|input| input.value() != input.default_value())
    };
    if there(OPENED) || there(EXPLAINED) {
        Some(Busy::Menu)
    } else if there(PICKED) || text_is_selected(&document) {
        Some(Busy::Selection)
    } else {
        has_input().then_some(Busy::Input)
    }
}

/// Of what the page shows; not the text of a field.
fn text_is_selected(document: &Document) -> bool {
    let Some(selection) = document.get_selection().ok().flatten().filter(|selection| !selection.is_collapsed()) else {
        return false;
    };
    let main = document.query_selector("main").ok().flatten();
    main.is_some_and(|main| main.contains(selection.anchor_node().as_ref()))
}
