//! Rows that are ticked: counted, and all of a page at once.

use super::page::{all, lang};
use crate::words::pick as word;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlInputElement};

const ROWS: &str = "[data-select] tbody input[type=checkbox]";
const PAGE: &str = "[data-pick-page]";

/// What works with script only is shown by it.
pub(super) fn offer(document: &Document) {
    for label in all(document, PAGE) {
        let _ = label.remove_attribute("hidden");
    }
    count(document);
}

/// Somebody ticked something.
pub(super) fn changed(document: &Document, target: &Element) {
    let Some(input) = target.dyn_ref::<HtmlInputElement>() else { return };
    if target.closest("[data-select]").ok().flatten().is_none() || input.type_() != "checkbox" {
        return;
    }
    if target.closest(PAGE).ok().flatten().is_some() {
        for row in rows(document) {
            row.set_checked(input.checked());
        }
    }
    if let Some(scope) = document.query_selector("[data-select] input[name=scope][value=rows]").ok().flatten()
        && let Some(scope) = scope.dyn_ref::<HtmlInputElement>()
    {
        scope.set_checked(true);
    }
    count(document);
}

fn rows(document: &Document) -> Vec<HtmlInputElement> {
    all(document, ROWS).into_iter().filter_map(|row| row.dyn_into().ok()).collect()
}

fn count(document: &Document) {
    let rows = rows(document);
    let picked = rows.iter().filter(|row| row.checked()).count();
    if let Some(place) = document.query_selector("[data-picked]").ok().flatten() {
        let lang = lang(document);
        let text = if picked == 0 { word::picked(lang).to_owned() } else { word::picked_n(lang, picked) };
        place.set_text_content(Some(&text));
    }
    for page in all(document, &format!("{PAGE} input"))
        .into_iter()
        .filter_map(|input| input.dyn_into::<HtmlInputElement>().ok())
    {
        page.set_checked(picked > 0 && picked == rows.len());
        page.set_indeterminate(picked > 0 && picked < rows.len());
    }
}
