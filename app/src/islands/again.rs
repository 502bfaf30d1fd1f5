//! Parts of a page that are looked at again while something goes on, marked by `data-again` and known by their ids: each is
//! replaced by what the server draws now. The last one comes without the mark, and then nothing is asked any more.

use super::ask::ask;
use super::page::{all, busy, document, hidden};
use std::cell::Cell;
use web_sys::{Document, Element};

/// Seconds between two questions to the server.
const EVERY_S: u32 = 2;
const PARTS: &str = "[data-again]";
/// What somebody may be about to press.
const WAYS: &str = "a, button, summary";

thread_local! {
    static REST_S: Cell<u32> = const { Cell::new(EVERY_S) };
}

/// Called each second.
pub(super) fn next_second() {
    let Some(document) = document() else { return };
    if hidden() || busy().is_some() || all(&document, PARTS).is_empty() {
        return;
    }
    let rest = REST_S.get().saturating_sub(1);
    REST_S.set(if rest == 0 { EVERY_S } else { rest });
    if rest == 0 {
        js_sys::futures::spawn_local(async move {
            let Some(here) = document.location().and_then(|location| location.href().ok()) else { return };
            // What did not come is asked for again.
            if let Some(page) = ask(&here).await {
                take(&document, &page);
            }
        });
    }
}

fn take(document: &Document, page: &str) {
    // Somebody may have begun to do something meanwhile.
    if busy().is_some() {
        return;
    }
    let Ok(drawn) = document.create_element("div") else { return };
    drawn.set_inner_html(page);
    for part in all(document, PARTS) {
        let id = part.id();
        match drawn.query_selector(&format!("#{id}")).ok().flatten() {
            Some(new) if !is_in_use(document, &part) => {
                if new.outer_html() != part.outer_html() {
                    part.set_outer_html(&new.outer_html());
                }
            }
            Some(_) => {}
            // It became another page.
            None => {
                if let Some(location) = document.location() {
                    let _ = location.reload();
                }
                return;
            }
        }
    }
}

/// Focused, or with something to press under the pointer.
fn is_in_use(document: &Document, part: &Element) -> bool {
    let focused = document.active_element().is_some_and(|focused| part.contains(Some(&focused)));
    let pointed = part.matches(":hover").unwrap_or(false);
    focused || (pointed && part.query_selector(WAYS).ok().flatten().is_some())
}
