//! Buttons that copy a text. They appear only where the browser has a clipboard, which it has in a secure context alone;
//! elsewhere the text is selected by hand.

use super::page::{all, document};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Clipboard, Document, Element};

/// So long a button says what became of it.
const SAID_MS: i32 = 2_000;
/// On a button that is still saying it.
const SAYING: &str = "data-saying";

pub(super) fn offer(document: &Document) {
    if clipboard().is_some() {
        for button in all(document, "[data-copy]") {
            let _ = button.remove_attribute("hidden");
        }
    }
}

pub(super) fn clicked(target: &Element) {
    let Some(button) = target.closest("[data-copy]").ok().flatten() else { return };
    let (Some(clipboard), Some(text)) = (clipboard(), button.get_attribute("data-copy")) else { return };
    if button.has_attribute(SAYING) {
        return;
    }
    let (done, refused) = (button.clone(), button);
    // One of the two is called, once; the other is what a click costs.
    let done = Closure::once(move |_: JsValue| say(&done, "data-copied"));
    let refused = Closure::once(move |_: JsValue| say(&refused, "data-not-copied"));
    let _ = clipboard.write_text(&text).then2(&done, &refused);
    done.forget();
    refused.forget();
}

/// `Navigator::clipboard` would claim that there always is one.
fn clipboard() -> Option<Clipboard> {
    let navigator = web_sys::window()?.navigator();
    js_sys::Reflect::get(&navigator, &"clipboard".into()).ok()?.dyn_into().ok()
}

/// On the button, where it is seen, and in the page's live region, where it is read out; then the button is as before.
fn say(button: &Element, attribute: &str) {
    let Some(word) = button.get_attribute(attribute) else { return };
    let face = button.inner_html();
    let _ = button.set_attribute(SAYING, "");
    tell(&word);
    button.set_text_content(Some(&word));
    let button = button.clone();
    let restore = Closure::once(move || {
        button.set_inner_html(&face);
        let _ = button.remove_attribute(SAYING);
        tell("");
    });
    if let Some(window) = web_sys::window() {
        let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(restore.as_ref().unchecked_ref(), SAID_MS);
    }
    restore.forget();
}

fn tell(word: &str) {
    if let Some(region) = document().and_then(|document| document.get_element_by_id("said")) {
        region.set_text_content(Some(word));
    }
}
