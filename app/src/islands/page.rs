//! What script adds to the whole page: the clock, shortcuts, menus that close, copy buttons.

use super::feed;
use crate::model::{Lang, PanelName, time};
use crate::words::{self, measure};
use chrono::{DateTime, Utc};
use std::cell::Cell;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Document, Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent, VisibilityState};

thread_local! {
    /// The server's clock minus the browser's, in milliseconds.
    static AHEAD: Cell<f64> = const { Cell::new(0.0) };
}

/// Menus and forms inside details: while one is open nothing on the page moves.
const OPENED: &str = "details.menu[open], details.release[open]";
/// What somebody may have typed into.
const FIELDS: &str = "main input:not([type=hidden]), .lookup input";

fn document() -> Option<Document> {
    web_sys::window()?.document()
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

/// Called once, after the WebAssembly has loaded.
pub(crate) fn attend() {
    let Some(document) = document() else { return };
    let made_at = document.document_element().and_then(|root| root.get_attribute("data-now"));
    if let Some(made_at) = made_at.and_then(|text| text.parse::<DateTime<Utc>>().ok()) {
        #[allow(clippy::cast_precision_loss)]
        AHEAD.set(made_at.timestamp_millis() as f64 - js_sys::Date::now());
    }
    for button in all(&document, "[data-copy]") {
        let _ = button.remove_attribute("hidden");
    }
    listen(&document, "keydown", |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
            key(event);
        }
    });
    listen(&document, "click", |event| {
        if let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) {
            copy(&target);
            close_menus(Some(&target));
        }
    });
    listen(&document, "visibilitychange", |_| feed::next_second());
    each_second();
}

fn each_second() {
    let tick = Closure::<dyn Fn()>::new(|| {
        feed::next_second();
        if !hidden() && !busy() {
            tell_times();
        }
    });
    if let Some(window) = web_sys::window() {
        let _ = window.set_interval_with_callback_and_timeout_and_arguments_0(tick.as_ref().unchecked_ref(), 1_000);
    }
    tick.forget();
    feed::next_second();
}

/// Writes all relative times anew.
fn tell_times() {
    let Some(document) = document() else { return };
    let lang = match document.document_element().and_then(|root| root.get_attribute("lang")).as_deref() {
        Some("zh-CN") => Lang::Zh,
        _ => Lang::En,
    };
    for time in all(&document, "time[data-tick]") {
        let Some(at) = time.get_attribute("datetime").and_then(|text| text.parse::<DateTime<Utc>>().ok()) else {
            continue;
        };
        let age_ms = (now() - at).num_milliseconds();
        let text = match time.get_attribute("data-tick").as_deref() {
            Some("ago") => words::ago(lang, age_ms),
            _ => measure::age(lang, age_ms),
        };
        if time.text_content().as_deref() != Some(&text) {
            time.set_text_content(Some(&text));
        }
    }
}

/// What follows this panel was read again: its age starts anew. The absolute time on hover is no longer its own.
pub(super) fn read_again(panel: PanelName, at: DateTime<Utc>) {
    let Some(document) = document() else { return };
    for shown in all(&document, &format!("[data-panel={}] time", panel.as_str())) {
        let _ = shown.set_attribute("datetime", &time::text(at));
        let _ = shown.remove_attribute("title");
    }
}

fn key(event: &KeyboardEvent) {
    let typing = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .is_some_and(|target| matches!(target.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"));
    match event.key().as_str() {
        "/" if !typing && !event.ctrl_key() && !event.meta_key() && !event.alt_key() => {
            let box_ = document().and_then(|document| document.get_element_by_id("look-up"));
            if let Some(box_) = box_.and_then(|found| found.dyn_into::<HtmlInputElement>().ok()) {
                event.prevent_default();
                let _ = box_.focus();
                box_.select();
            }
        }
        "Escape" => close_menus(None),
        _ => {}
    }
}

/// Closes open menus but the one that `inside` lies in.
fn close_menus(inside: Option<&Element>) {
    let Some(document) = document() else { return };
    let kept = inside.and_then(|element| element.closest("details.menu").ok().flatten());
    for menu in all(&document, "details.menu[open]") {
        if kept.as_ref() != Some(&menu) {
            let held = document.active_element().is_some_and(|focused| menu.contains(Some(&focused)));
            let _ = menu.remove_attribute("open");
            let summary =
                menu.query_selector("summary").ok().flatten().and_then(|found| found.dyn_into::<HtmlElement>().ok());
            if let (true, Some(summary)) = (held, summary) {
                let _ = summary.focus();
            }
        }
    }
}

fn copy(target: &Element) {
    let Some(button) = target.closest("[data-copy]").ok().flatten() else { return };
    let (Some(window), Some(text)) = (web_sys::window(), button.get_attribute("data-copy")) else { return };
    // Refused outside a secure context; the text can still be selected.
    let _ = window.navigator().clipboard().write_text(&text);
    if let Some(done) = button.get_attribute("data-copied") {
        button.set_text_content(Some(&done));
        let _ = button.remove_attribute("aria-label");
        let _ = button.set_attribute("role", "status");
    }
}

fn listen(document: &Document, name: &str, then: impl Fn(Event) + 'static) {
    let then = Closure::<dyn Fn(Event)>::new(then);
    let _ = document.add_event_listener_with_callback(name, then.as_ref().unchecked_ref());
    then.forget();
}

fn all(document: &Document, selector: &str) -> Vec<Element> {
    let Ok(found) = document.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into::<Element>().ok()).collect()
}
