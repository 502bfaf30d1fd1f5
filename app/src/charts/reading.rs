//! What lies over a chart of lines while somebody reads it: a hair line at one slot, a card with its time and each
//! line's value, and the slots that are picked. It is drawn by the browser alone, from the numbers of the chart's table.

use super::{backend::push_escaped, line, width};
use std::fmt::Write;

/// Where the slots of a chart lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Of the first and the last slot, in tenths of a unit of the view box.
    pub left: i32,
    pub right: i32,
    /// Of the drawing, in units.
    pub height: i32,
    pub slots: u32,
}

/// A line's name and its value in the slot, as the table has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// Classes of the line in the drawing.
    pub classes: String,
    pub name: String,
    pub value: String,
}

/// How large the text of a chart is drawn: by the width of the place that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Wide,
    Narrow,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub slot: u32,
    pub time: String,
    pub values: Vec<Value>,
    /// What the pointer may do, below the values.
    pub hint: Option<String>,
    /// First and last slot of a span that is being picked.
    pub picked: Option<(u32, u32)>,
}

const SPACE: i32 = 80;
/// Of a line's mark before its name.
const MARK: i32 = 120;
/// A name is never wider.
const NAME: i32 = 2_000;

impl Frame {
    /// Where the plot ends, in tenths.
    fn bottom(&self) -> i32 {
        line::bottom(self.height)
    }

    /// Of a slot, in tenths.
    #[must_use]
    pub fn x(&self, slot: u32) -> i32 {
        let last = i64::from(self.slots.saturating_sub(1).max(1));
        let wide = i64::from(self.right - self.left);
        i32::try_from(i64::from(slot) * wide / last).map_or(self.right, |x| (self.left + x).min(self.right))
    }

    /// The slot that is nearest to a place between the view box's left edge (0) and its right one (1).
    #[must_use]
    pub fn slot(&self, share: f64) -> u32 {
        let wide = f64::from((self.right - self.left).max(1));
        let last = self.slots.saturating_sub(1);
        let slot = (share * f64::from(line::WIDTH * 10) - f64::from(self.left)) / wide * f64::from(last);
        // Between 0 and a slot's number, so nothing is lost.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let slot = slot.round().clamp(0.0, f64::from(last)) as u32;
        slot
    }
}

/// The whole `<svg>`, of the chart's own size.
#[must_use]
pub fn reading(frame: &Frame, place: Place, reading: &Reading) -> String {
    let (width, height) = (line::WIDTH, frame.height);
    let mut out = format!("<svg class=\"chart chart--read\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\">");
    if let Some((one, other)) = reading.picked {
        let (from, to) = (frame.x(one.min(other)), frame.x(one.max(other)));
        rectangle(&mut out, "picked", [from, line::TOP, to - from, frame.bottom() - line::TOP]);
    }
    let x = frame.x(reading.slot);
    segment(&mut out, "hair", [x, x], [line::TOP, frame.bottom()]);
    card(&mut out, place, reading, x, frame);
    out.push_str("</svg>");
    out
}

/// Beside the hair line, on the side that has room for it.
fn card(out: &mut String, place: Place, reading: &Reading, x: i32, frame: &Frame) {
    let (size, row) = match place {
        Place::Wide => (width::SMALL, 160),
        // As large as the narrowest place draws it.
        Place::Narrow => (170, 230),
    };
    let names: Vec<String> = reading.values.iter().map(|value| width::cut(&value.name, size, NAME)).collect();
    let name = names.iter().map(|name| width::of(name, size)).max().unwrap_or(0);
    let value = reading.values.iter().map(|value| width::strong(&value.value, size)).max().unwrap_or(0);
    let hint = reading.hint.as_ref().map_or(0, |hint| width::of(hint, size));
    let inner = (MARK + SPACE + name + SPACE + value).max(width::strong(&reading.time, size)).max(hint);
    let wide = (inner + 2 * SPACE).min(line::WIDTH * 10);
    let rows = 1 + reading.values.len() + usize::from(reading.hint.is_some());
    let high = i32::try_from(rows).map_or(frame.bottom(), |rows| rows * row + SPACE);

    let edge = line::WIDTH * 10;
    let left = if x + SPACE + wide <= edge { x + SPACE } else { (x - SPACE - wide).max(0) };
    let top = line::TOP;
    rectangle(out, "card", [left, top, wide, high.min(frame.height * 10 - top)]);
    let baseline = |at: i32| top + (at + 1) * row - row / 5;
    text(out, "strong", [left + SPACE, baseline(0)], &reading.time);
    for (at, (value, name)) in (1..).zip(reading.values.iter().zip(&names)) {
        let y = baseline(at);
        let classes = format!("line {}", value.classes);
        segment(out, &classes, [left + SPACE, left + SPACE + MARK], [y - size / 3, y - size / 3]);
        text(out, "", [left + SPACE + MARK + SPACE, y], name);
        text(out, "strong end", [left + wide - SPACE, y], &value.value);
    }
    if let Some(hint) = &reading.hint {
        let at = i32::try_from(rows - 1).unwrap_or(0);
        text(out, "soft", [left + SPACE, baseline(at)], hint);
    }
}

fn tenths(value: i32) -> f64 {
    f64::from(value) / 10.0
}

fn classed(out: &mut String, element: &str, classes: &str) {
    out.push('<');
    out.push_str(element);
    out.push_str(" class=\"");
    push_escaped(out, classes);
    out.push('"');
}

fn rectangle(out: &mut String, classes: &str, [x, y, width, height]: [i32; 4]) {
    classed(out, "rect", classes);
    let [x, y, width, height] = [x, y, width, height].map(tenths);
    // Writing to a String cannot fail.
    let _ = write!(out, " x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
}

fn segment(out: &mut String, classes: &str, x: [i32; 2], y: [i32; 2]) {
    classed(out, "line", classes);
    let ([x1, x2], [y1, y2]) = (x.map(tenths), y.map(tenths));
    let _ = write!(out, " x1=\"{x1}\" x2=\"{x2}\" y1=\"{y1}\" y2=\"{y2}\"/>");
}

fn text(out: &mut String, classes: &str, [x, y]: [i32; 2], text: &str) {
    classed(out, "text", classes);
    let [x, y] = [x, y].map(tenths);
    let _ = write!(out, " x=\"{x}\" y=\"{y}\">");
    push_escaped(out, text);
    out.push_str("</text>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FRAME: Frame = Frame { left: 380, right: 4_860, height: 232, slots: 180 };

    fn of(slot: u32, names: &[&str]) -> Reading {
        let value = |name: &&str| Value { classes: "l-crit dash".into(), name: (*name).into(), value: "18.2".into() };
        Reading {
            slot,
            time: "16:41".into(),
            values: names.iter().map(value).collect(),
            hint: Some("drag to zoom in".into()),
            picked: None,
        }
    }

    /// Left and right edge of the card, upper and lower.
    fn edges(svg: &str) -> ([f64; 2], [f64; 2]) {
        let card = svg.split("class=\"card\"").nth(1).unwrap();
        let number = |name: &str| -> f64 {
            card.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let (x, y) = (number("x"), number("y"));
        ([x, x + number("width")], [y, y + number("height")])
    }

    #[test]
    fn the_pointer_reads_the_slot_that_is_under_it() {
        for slot in [0, 1, 90, 178, 179] {
            assert_eq!(FRAME.slot(f64::from(FRAME.x(slot)) / 5_600.0), slot);
        }
        assert_eq!((FRAME.slot(-3.0), FRAME.slot(9.0), FRAME.slot(f64::NAN)), (0, 179, 0));
        assert_eq!(Frame { slots: 1, ..FRAME }.slot(0.5), 0);
        assert_eq!((FRAME.x(0), FRAME.x(179), FRAME.x(999)), (380, 4_860, 4_860));
    }

    #[test]
    fn what_somebody_else_named_is_only_text() {
        let svg = reading(&FRAME, Place::Wide, &of(3, &["<script>alert(1)</script>", "\"&"]));
        assert!(!svg.contains("<script") && svg.contains("&lt;script&gt;") && svg.contains("&quot;&amp;"), "{svg}");
        assert!(!svg.contains("style="), "{svg}");
    }

    #[test]
    fn what_is_picked_lies_between_its_ends_whichever_came_first() {
        let picked = |picked| reading(&FRAME, Place::Wide, &Reading { picked: Some(picked), ..of(9, &["P99"]) });
        assert_eq!(picked((9, 30)), picked((30, 9)));
        assert!(picked((9, 30)).contains("class=\"picked\""));
    }

    proptest! {
        #[test]
        fn the_card_stays_inside_the_chart(slot in 0_u32..180, names in prop::collection::vec("\\PC{0,60}", 0..5), narrow: bool) {
            let place = if narrow { Place::Narrow } else { Place::Wide };
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let svg = reading(&FRAME, place, &of(slot, &names));
            let ([left, right], [top, bottom]) = edges(&svg);
            prop_assert!(left >= 0.0 && right <= 560.0 && top >= 0.0 && bottom <= 232.0, "{svg}");
        }
    }
}
