//! What script adds to the whole page: times that tick, shortcuts, menus that close, copy buttons, charts that are read.

use super::page::{all, busy, document, hidden, lang, now, set_clock};
use super::{again, copy, feed, newer, pick, plot};
use crate::words::{self, measure};
use chrono::{DateTime, Utc};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Document, Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent};

/// Called once, after the WebAssembly has loaded.
pub(crate) fn attend() {
    let Some(document) = document() else { return };
    set_clock(&document);
    copy::offer(&document);
    plot::offer(&document);
    newer::watch(&document);
    pick::offer(&document);
    listen(&document, "keydown", |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
            key(event);
        }
    });
    listen(&document, "click", |event| {
        if let Some(target) = target(&event) {
            copy::clicked(&target);
            close_menus(Some(&target));
        }
    });
    listen(&document, "change", |event| {
        if let (Some(document), Some(target)) = (self::document(), target(&event)) {
            pick::changed(&document, &target);
        }
    });
    listen(&document, "visibilitychange", |_| feed::next_second());
    each_second();
}

fn each_second() {
    let tick = Closure::<dyn Fn()>::new(|| {
        feed::next_second();
        again::next_second();
        if !hidden() && busy().is_none() {
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
    let lang = lang(&document);
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

fn target(event: &Event) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

fn listen(document: &Document, name: &str, then: impl Fn(Event) + 'static) {
    let then = Closure::<dyn Fn(Event)>::new(then);
    let _ = document.add_event_listener_with_callback(name, then.as_ref().unchecked_ref());
    then.forget();
}
