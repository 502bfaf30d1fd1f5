//! One drawing: the elements that charts are made of, on a plotters area, with positions in tenths or in data.

use super::{
    backend::{Svg, TENTHS, push_escaped},
    class::Classes,
};
use plotters::{
    coord::{Shift, cartesian::Cartesian2d, types::RangedCoordf64},
    drawing::{DrawingArea, IntoDrawingArea},
    element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text},
    style::{FontDesc, FontFamily, FontStyle, TextStyle, text_anchor::Pos},
};
use plotters_backend::BackendCoord;

/// Maps data to tenths, clipped to nothing: callers draw only what lies inside.
pub(super) type Plane = Cartesian2d<RangedCoordf64, RangedCoordf64>;

pub(super) struct Canvas<'a> {
    area: DrawingArea<Svg<'a>, Shift>,
}

/// What stands on the `<svg>` element besides its view box.
pub(super) enum Role<'a> {
    /// An image with a text alternative.
    Image { finding: &'a str },
    /// Beside a number that says it all; stretched to its place.
    Decoration,
}

/// A whole `<svg>` element of that size in units.
pub(super) fn svg(role: &Role, (width, height): (i32, i32), draw: impl FnOnce(&Canvas)) -> String {
    let mut out = match role {
        Role::Image { .. } => {
            format!("<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"")
        }
        Role::Decoration => {
            format!(
                "<svg class=\"spark\" viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"none\" aria-hidden=\"true"
            )
        }
    };
    if let Role::Image { finding } = role {
        push_escaped(&mut out, finding);
    }
    out.push_str("\">");
    let size = ((width * TENTHS).unsigned_abs(), (height * TENTHS).unsigned_abs());
    draw(&Canvas { area: Svg::new(&mut out, size).into_drawing_area() });
    out.push_str("</svg>");
    out
}

impl Canvas<'_> {
    pub(super) fn path(&self, classes: Classes, points: Vec<BackendCoord>) {
        self.put(&PathElement::new(points, classes.shape()));
    }

    pub(super) fn polygon(&self, classes: Classes, points: Vec<BackendCoord>) {
        self.put(&Polygon::new(points, classes.shape()));
    }

    pub(super) fn rectangle(&self, classes: Classes, from: BackendCoord, to: BackendCoord) {
        self.put(&Rectangle::new([from, to], classes.shape()));
    }

    pub(super) fn dot(&self, classes: Classes, at: BackendCoord) {
        self.disc(classes, at, 2 * TENTHS);
    }

    /// `radius` in tenths.
    pub(super) fn disc(&self, classes: Classes, at: BackendCoord, radius: i32) {
        self.put(&Circle::new(at, radius, classes.shape()));
    }

    /// `at` is on the baseline: its beginning, or with the classes `end` and `mid` its end and middle.
    pub(super) fn text(&self, classes: Classes, at: BackendCoord, text: &str) {
        // CSS says which font; plotters only wants to hear of one.
        let font = FontDesc::new(FontFamily::SansSerif, 0.0, FontStyle::Normal);
        let colour = plotters::style::Color::to_backend_color(&classes.colour());
        self.put(&Text::new(text, at, TextStyle { font, color: colour, pos: Pos::default() }));
    }

    fn put<'e, E>(&self, element: &'e E)
    where
        &'e E: PointCollection<'e, BackendCoord>,
        E: for<'b> Drawable<Svg<'b>>,
    {
        self.area.draw(element).expect("writing to a String cannot fail, and nobody else draws");
    }
}
