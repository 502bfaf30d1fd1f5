//! Reading a chart of lines: what is under the pointer, or under the arrow keys, and a span that is dragged over becomes
//! the page's. Values come from the table beside the chart; what is drawn lies over it and moves nothing.

use super::page::all;
use crate::charts::{Frame, Place, Reading, Value, reading};
use crate::model::time;
use chrono::{DateTime, TimeDelta, Utc};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Document, Element, Event, HtmlElement, KeyboardEvent, PointerEvent};

/// In CSS pixels: a chart that is no wider has large text.
const NARROW: i32 = 410;
/// Slots that Page Up and Page Down pass.
const LEAP: i64 = 10;

/// Makes every chart readable. Once, after the WebAssembly has loaded.
pub(super) fn offer(document: &Document) {
    for place in all(document, ".plot") {
        if let Some(reader) = Reader::of(document, &place) {
            Rc::new(reader).listen();
        }
    }
}

struct Reader {
    /// Over the chart, in which the reading is drawn.
    over: HtmlElement,
    frame: Frame,
    /// First instant of the first slot, and seconds of each.
    from: DateTime<Utc>,
    step_s: i64,
    zoom: String,
    hint: Option<String>,
    /// Of the table beside it: heads with their lines, and rows.
    heads: Vec<(String, String)>,
    rows: Vec<Element>,
    at: Cell<Option<u32>>,
    /// Where a drag began.
    picked_from: Cell<Option<u32>>,
}

impl Reader {
    /// `None`: the page lacks what is needed, so the chart stays a picture.
    fn of(document: &Document, place: &Element) -> Option<Self> {
        let said = |name: &str| place.get_attribute(&format!("data-{name}"));
        let frame = Frame {
            left: said("left")?.parse().ok()?,
            right: said("right")?.parse().ok()?,
            height: said("height")?.parse().ok()?,
            slots: said("slots")?.parse().ok().filter(|slots| *slots > 0)?,
        };
        let table = place.parent_element()?.query_selector(".numbers table").ok()??;
        let text = |cell: &Element| cell.text_content().unwrap_or_default();
        let line = |head: &Element| head.get_attribute("data-line").unwrap_or_default();
        let heads = within(&table, "th").iter().skip(1).map(|head| (line(head), text(head))).collect();
        let rows = within(&table, "tbody tr");
        let over: HtmlElement = document.create_element("div").ok()?.dyn_into().ok()?;
        let last = frame.slots.saturating_sub(1).to_string();
        let label = said("plot")?;
        for (name, value) in [
            ("class", "plot__over"),
            ("role", "slider"),
            ("tabindex", "0"),
            ("aria-label", label.as_str()),
            ("aria-valuemin", "0"),
            ("aria-valuemax", last.as_str()),
            ("aria-valuenow", last.as_str()),
        ] {
            over.set_attribute(name, value).ok()?;
        }
        let reader = Self {
            over,
            frame,
            from: said("from")?.parse().ok()?,
            step_s: said("step")?.parse().ok()?,
            zoom: said("zoom")?,
            hint: said("hint"),
            heads,
            rows,
            at: Cell::new(None),
            picked_from: Cell::new(None),
        };
        let _ = reader.over.set_attribute("aria-valuetext", &reader.spoken(frame.slots - 1));
        place.append_child(&reader.over).ok()?;
        Some(reader)
    }

    fn listen(self: Rc<Self>) {
        let on = |name: &str, then: fn(&Self, &Event)| {
            let reader = self.clone();
            let then = Closure::<dyn Fn(Event)>::new(move |event: Event| then(&reader, &event));
            let _ = self.over.add_event_listener_with_callback(name, then.as_ref().unchecked_ref());
            then.forget();
        };
        on("pointermove", |reader, event| reader.with_pointer(event, Self::moved));
        on("pointerdown", |reader, event| reader.with_pointer(event, Self::pressed));
        on("pointerup", |reader, event| reader.with_pointer(event, Self::released));
        on("pointerleave", |reader, event| {
            reader.with_pointer(event, |reader, pointer| {
                // A finger that is lifted leaves too, and what it read stays until it touches something else.
                if pointer.pointer_type() != "touch" && reader.picked_from.get().is_none() {
                    reader.clear();
                }
            });
        });
        on("pointercancel", |reader, _| reader.clear());
        on("blur", |reader, _| reader.clear());
        on("focus", |reader, _| {
            if reader.at.get().is_none() {
                reader.show(reader.frame.slots - 1, None);
            }
        });
        on("keydown", |reader, event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                reader.key(event);
            }
        });
    }

    fn with_pointer(&self, event: &Event, then: impl Fn(&Self, &PointerEvent)) {
        if let Some(pointer) = event.dyn_ref::<PointerEvent>() {
            then(self, pointer);
        }
    }

    fn under(&self, pointer: &PointerEvent) -> u32 {
        let bounds = self.over.get_bounding_client_rect();
        self.frame.slot((f64::from(pointer.client_x()) - bounds.left()) / bounds.width().max(1.0))
    }

    fn moved(&self, pointer: &PointerEvent) {
        // No hint for a finger: it scrolls the page where a mouse would drag.
        self.show(self.under(pointer), self.hint.as_deref().filter(|_| pointer.pointer_type() != "touch"));
    }

    fn pressed(&self, pointer: &PointerEvent) {
        if pointer.pointer_type() != "touch" && pointer.button() == 0 {
            self.picked_from.set(Some(self.under(pointer)));
            let _ = self.over.set_pointer_capture(pointer.pointer_id());
        }
        self.moved(pointer);
    }

    /// One slot alone is a click, not a span.
    fn released(&self, pointer: &PointerEvent) {
        let Some(from) = self.picked_from.take() else { return };
        let to = self.under(pointer);
        if from == to {
            self.moved(pointer);
            return;
        }
        let start = |slot: u32| self.from + TimeDelta::seconds(i64::from(slot) * self.step_s);
        let (from, to) = (start(from.min(to)), start(from.max(to) + 1));
        let address = format!("{}?from={}&to={}", self.zoom, time::text(from), time::text(to));
        if let Some(window) = web_sys::window() {
            let _ = window.location().set_href(&address);
        }
    }

    fn key(&self, event: &KeyboardEvent) {
        let last = i64::from(self.frame.slots - 1);
        let here = self.at.get().map_or(last, i64::from);
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => here - 1,
            "ArrowRight" | "ArrowUp" => here + 1,
            "PageDown" => here - LEAP,
            "PageUp" => here + LEAP,
            "Home" => 0,
            "End" => last,
            "Escape" => {
                self.clear();
                return;
            }
            _ => return,
        };
        event.prevent_default();
        self.show(u32::try_from(to.clamp(0, last)).unwrap_or(0), None);
    }

    fn clear(&self) {
        self.at.set(None);
        self.picked_from.set(None);
        self.over.set_inner_html("");
    }

    fn show(&self, slot: u32, hint: Option<&str>) {
        self.at.set(Some(slot));
        let (time, values) = self.row(slot);
        let names = self.heads.iter().zip(values);
        let values =
            names.map(|((classes, name), value)| Value { classes: classes.clone(), name: name.clone(), value });
        let picked = self.picked_from.get().map(|from| (from, slot));
        let drawn = Reading { slot, time, values: values.collect(), hint: hint.map(str::to_owned), picked };
        let place = if self.over.client_width() <= NARROW { Place::Narrow } else { Place::Wide };
        self.over.set_inner_html(&reading(&self.frame, place, &drawn));
        let _ = self.over.set_attribute("aria-valuenow", &slot.to_string());
        let _ = self.over.set_attribute("aria-valuetext", &self.spoken(slot));
    }

    /// Time and values of a slot, in the table's words.
    fn row(&self, slot: u32) -> (String, Vec<String>) {
        let row = usize::try_from(slot).ok().and_then(|slot| self.rows.get(slot));
        let mut cells = row.map_or_else(Vec::new, |row| within(row, "td")).into_iter();
        let mut next = || cells.next().and_then(|cell| cell.text_content());
        let time = next().unwrap_or_default();
        (time, std::iter::from_fn(next).collect())
    }

    /// `16:41, P99 (s) 18.2, P50 (s) 0.7`.
    fn spoken(&self, slot: u32) -> String {
        let (time, values) = self.row(slot);
        let said = self.heads.iter().zip(values).map(|((_, name), value)| format!("{name} {value}"));
        std::iter::once(time).chain(said).collect::<Vec<_>>().join(", ")
    }
}

fn within(element: &Element, selector: &str) -> Vec<Element> {
    let Ok(found) = element.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}
