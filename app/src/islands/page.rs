//! What islands and the code around them ask of the page they stand in.

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
/// What somebody may have typed into.
const FIELDS: &str = "main input:not([type=hidden]), .lookup input";

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

/// Somebody is reading a menu or typing: nothing may move under the pointer.
pub(super) fn busy() -> bool {
    let Some(document) = document() else { return false };
    let opened = document.query_selector(OPENED).ok().flatten().is_some();
    opened
        || all(&document, FIELDS)
            .iter()
            .filter_map(|field| field.dyn_ref::<HtmlInputElement>())
            .any(|input| input.value() != input.default_value())
}
