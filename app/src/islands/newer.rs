//! Rows that came since a list was opened: counted and announced in the bar, never pushed in under the reader's eyes.
//!
//! The list says by `data-newer` how its rows are asked for, and each row by `data-row` which one it is.

use super::ask::ask;
use super::page::{all, document};
use crate::model::{LockState, LocksFilter, LocksPanel, Panel, newer};
use crate::words::newer as word;
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::HashSet;
use web_sys::{Document, Element};

/// Seconds between two questions to the server.
const EVERY_S: u32 = 5;

thread_local! {
    static WATCHED: RefCell<Option<Watched>> = const { RefCell::new(None) };
}

/// The page's list.
struct Watched {
    rows: Rows,
    shown: HashSet<String>,
    /// Of the panel that the list was opened with, later of the last one that was looked at.
    version: i64,
    /// Rows of a page: more than these are not counted.
    most: usize,
    /// Until the server may be asked again.
    rest_s: u32,
}

enum Rows {
    /// Asked for at this address, as they stand on the first page.
    Records { address: String },
    /// In the panel itself.
    Locks { filter: LocksFilter },
}

#[derive(Deserialize)]
struct FirstPage {
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    r#ref: String,
}

/// Once, after the WebAssembly has loaded.
pub(super) fn watch(document: &Document) {
    let list = document.query_selector("[data-newer]").ok().flatten();
    WATCHED.set(list.and_then(|list| Watched::of(document, &list)));
}

impl Watched {
    /// `None`: the list does not say what is needed.
    fn of(document: &Document, list: &Element) -> Option<Self> {
        let said = |name: &str| list.get_attribute(&format!("data-{name}"));
        let rows = match said("newer")?.as_str() {
            "locks" => Rows::Locks {
                filter: LocksFilter {
                    state: said("state").and_then(|word| LockState::parse(&word)),
                    r#type: said("type"),
                    text: said("text"),
                },
            },
            address => Rows::Records { address: address.to_owned() },
        };
        let shown = all(document, "[data-row]").iter().filter_map(|row| row.get_attribute("data-row")).collect();
        Some(Self {
            rows,
            shown,
            version: said("version")?.parse().ok()?,
            most: said("most")?.parse().ok()?,
            rest_s: 0,
        })
    }
}

/// Once a second. `records` and `locks`: the panels as they are now, with their versions.
pub(super) fn look(records: Option<i64>, locks: Option<&Panel<LocksPanel>>) {
    let ask = WATCHED.with_borrow_mut(|watched| {
        let watched = watched.as_mut()?;
        watched.rest_s = watched.rest_s.saturating_sub(1);
        match &watched.rows {
            Rows::Locks { filter } => {
                let panel = locks.filter(|panel| panel.version > watched.version && panel.trouble.is_none())?;
                watched.version = panel.version;
                let came = panel.body.as_ref().map_or(0, |body| body.newer(&watched.shown, filter, watched.most));
                announce(came, watched.most);
                None
            }
            Rows::Records { address } => {
                let version = records.filter(|version| *version > watched.version && watched.rest_s == 0)?;
                (watched.version, watched.rest_s) = (version, EVERY_S);
                Some(address.clone())
            }
        }
    });
    if let Some(address) = ask {
        js_sys::futures::spawn_local(async move {
            // What did not come is asked for again when the records have changed once more; the bar says what is wrong.
            if let Some(page) = first_page(&address).await {
                let listed: Vec<String> = page.items.into_iter().map(|item| item.r#ref).collect();
                WATCHED.with_borrow(|watched| {
                    if let Some(watched) = watched {
                        announce(newer(&watched.shown, &listed, watched.most), watched.most);
                    }
                });
            }
        });
    }
}

async fn first_page(address: &str) -> Option<FirstPage> {
    serde_json::from_str(&ask(address).await?).ok()
}

/// In the bar's chip, which leads to the same list anew.
fn announce(newer: usize, most: usize) {
    let Some(document) = document() else { return };
    let Some(chip) = document.query_selector(".newer a").ok().flatten() else { return };
    if newer == 0 {
        let _ = chip.set_attribute("hidden", "");
        return;
    }
    let lang = super::page::lang(&document);
    let (text, label) = if newer < most {
        let count = u64::try_from(newer).unwrap_or(u64::MAX);
        (word::rows(lang, count), word::show_rows(lang, count))
    } else {
        (word::at_least(lang, most), word::show_at_least(lang, most))
    };
    if let Some(place) = chip.query_selector("span").ok().flatten()
        && place.text_content().as_deref() != Some(&text)
    {
        place.set_text_content(Some(&text));
        let _ = chip.set_attribute("aria-label", &label);
    }
    let _ = chip.remove_attribute("hidden");
}
