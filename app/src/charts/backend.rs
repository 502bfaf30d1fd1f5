//! A plotters backend that writes SVG with class names instead of colours. Its unit is a tenth of the view box's, so
//! that plotters' whole numbers are exact tenths in the text, the same on every machine.

use super::class;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;

/// Tenths in one unit of the view box.
pub(super) const TENTHS: i32 = 10;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

pub(super) struct Svg<'a> {
    out: &'a mut String,
    /// In tenths.
    size: (u32, u32),
}

impl<'a> Svg<'a> {
    pub(super) fn new(out: &'a mut String, size: (u32, u32)) -> Self {
        Self { out, size }
    }

    /// `<name class="…"`, left open for its attributes.
    fn open(&mut self, name: &str, colour: BackendColor) {
        self.out.push('<');
        self.out.push_str(name);
        let class = class::names(colour.rgb);
        if !class.is_empty() {
            self.out.push_str(" class=\"");
            self.out.push_str(&class);
            self.out.push('"');
        }
    }

    fn attribute(&mut self, name: &str, tenths: i32) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        push_tenths(self.out, tenths);
        self.out.push('"');
    }

    fn points(&mut self, name: &str, colour: BackendColor, points: impl IntoIterator<Item = BackendCoord>) {
        self.open(name, colour);
        self.out.push_str(" points=\"");
        for (at, (x, y)) in points.into_iter().enumerate() {
            if at > 0 {
                self.out.push(' ');
            }
            push_tenths(self.out, x);
            self.out.push(',');
            push_tenths(self.out, y);
        }
        self.out.push_str("\"/>");
    }
}

impl DrawingBackend for Svg<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, colour: BackendColor) -> Drawn {
        self.draw_rect(point, (point.0 + TENTHS, point.1 + TENTHS), &colour, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.open("line", style.color());
        for (name, value) in [("x1", from.0), ("x2", to.0), ("y1", from.1), ("y2", to.1)] {
            self.attribute(name, value);
        }
        self.out.push_str("/>");
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, _fill: bool) -> Drawn {
        self.open("rect", style.color());
        let corner = (from.0.min(to.0), from.1.min(to.1));
        let size = ((to.0 - from.0).abs(), (to.1 - from.1).abs());
        for (name, value) in [("x", corner.0), ("y", corner.1), ("width", size.0), ("height", size.1)] {
            self.attribute(name, value);
        }
        self.out.push_str("/>");
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        let points: Vec<_> = path.into_iter().collect();
        if let [from, to] = points[..] {
            return self.draw_line(from, to, style);
        }
        self.points("polyline", style.color(), points);
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, center: BackendCoord, radius: u32, style: &S, _fill: bool) -> Drawn {
        self.open("circle", style.color());
        let radius = i32::try_from(radius).unwrap_or(i32::MAX);
        for (name, value) in [("cx", center.0), ("cy", center.1), ("r", radius)] {
            self.attribute(name, value);
        }
        self.out.push_str("/>");
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, points: I, style: &S) -> Drawn {
        self.points("polygon", style.color(), points);
        Ok(())
    }

    /// `position` is where the baseline begins, ends or has its middle.
    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, position: BackendCoord) -> Drawn {
        self.open("text", style.color());
        self.attribute("x", position.0);
        self.attribute("y", position.1);
        self.out.push('>');
        push_escaped(self.out, text);
        self.out.push_str("</text>");
        Ok(())
    }
}

fn push_tenths(out: &mut String, tenths: i32) {
    if tenths < 0 {
        out.push('-');
    }
    let (whole, rest) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
    out.push_str(&whole.to_string());
    if rest > 0 {
        out.push('.');
        out.push_str(&rest.to_string());
    }
}

/// For text and for attributes in double quotes. Control characters, which SVG does not know, become spaces.
pub(super) fn push_escaped(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            character if character.is_control() => out.push(' '),
            character => out.push(character),
        }
    }
}
