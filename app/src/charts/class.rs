//! Plotters carries a colour with every element; here its three bytes are up to three class names, and CSS gives the
//! colour.

use super::{Hue, Severity};
use plotters::style::{RGBAColor, ShapeStyle};

macro_rules! classes {
    ($($class:ident $name:literal),+ $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[cfg_attr(not(feature = "ssr"), expect(dead_code, reason = "lanes are drawn by the server"))]
        pub(super) enum Class { $($class),+ }

        impl Class {
            const NAMES: &[&str] = &[$($name),+];
        }
    };
}

classes! {
    None "", Axis "axis", GridLine "grid-line", Limit "limit", Over "over", Gap "gap", Line "line", Fill "fill", Dash "dash",
    LimitWarn "limit--warn", LimitOk "limit--ok", LimitMute "limit--mute", OverWarn "over--warn",
    End "end", Mid "mid", Minor "minor", Strong "strong", Soft "soft", Nothing "nothing",
    On "on", Gone "gone", Dot "dot", DotBad "dot--bad",
    TextCrit "t-crit", TextWarn "t-warn", TextOk "t-ok",
    LineBase "l-base", LineStatus "l-status", LineLock "l-lock", LineIndex "l-index", LineOther "l-other",
    LineOk "l-ok", LineBusy "l-busy", LineWarn "l-warn", LineCrit "l-crit", LineMute "l-mute",
    FillBase "f-base", FillStatus "f-status", FillLock "f-lock", FillIndex "f-index", FillOther "f-other",
    FillOk "f-ok", FillBusy "f-busy", FillWarn "f-warn", FillCrit "f-crit", FillMute "f-mute",
}

/// Up to three classes of one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Classes(pub [Class; 3]);

impl Classes {
    pub(super) const fn one(class: Class) -> Self {
        Self([class, Class::None, Class::None])
    }

    pub(super) const fn two(first: Class, second: Class) -> Self {
        Self([first, second, Class::None])
    }

    pub(super) fn colour(self) -> RGBAColor {
        let [a, b, c] = self.0.map(|class| class as u8);
        RGBAColor(a, b, c, 1.0)
    }

    pub(super) fn shape(self) -> ShapeStyle {
        ShapeStyle { color: self.colour(), filled: true, stroke_width: 1 }
    }
}

/// The names behind a colour's bytes, as they stand in the attribute.
pub(super) fn names((a, b, c): (u8, u8, u8)) -> String {
    let named = [a, b, c].map(|byte| Class::NAMES.get(usize::from(byte)).copied().unwrap_or_default());
    named.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ")
}

impl Hue {
    pub(super) fn line(self) -> Class {
        match self {
            Self::Base => Class::LineBase,
            Self::Status => Class::LineStatus,
            Self::Lock => Class::LineLock,
            Self::Index => Class::LineIndex,
            Self::Other => Class::LineOther,
            Self::Ok => Class::LineOk,
            Self::Busy => Class::LineBusy,
            Self::Warn => Class::LineWarn,
            Self::Crit => Class::LineCrit,
            Self::Mute => Class::LineMute,
        }
    }

    pub(super) fn fill(self) -> Class {
        match self {
            Self::Base => Class::FillBase,
            Self::Status => Class::FillStatus,
            Self::Lock => Class::FillLock,
            Self::Index => Class::FillIndex,
            Self::Other => Class::FillOther,
            Self::Ok => Class::FillOk,
            Self::Busy => Class::FillBusy,
            Self::Warn => Class::FillWarn,
            Self::Crit => Class::FillCrit,
            Self::Mute => Class::FillMute,
        }
    }
}

impl Severity {
    pub(super) fn line(self) -> Classes {
        match self {
            Self::Crit => Classes::one(Class::Limit),
            Self::Warn => Classes::two(Class::Limit, Class::LimitWarn),
            Self::Ok => Classes::two(Class::Limit, Class::LimitOk),
            Self::Mute => Classes::two(Class::Limit, Class::LimitMute),
        }
    }

    pub(super) fn text(self) -> Class {
        match self {
            Self::Crit => Class::TextCrit,
            Self::Warn => Class::TextWarn,
            Self::Ok => Class::TextOk,
            Self::Mute => Class::Soft,
        }
    }

    /// Of the span above it; a recovery line shades nothing.
    pub(super) fn over(self) -> Option<Classes> {
        match self {
            Self::Crit => Some(Classes::one(Class::Over)),
            Self::Warn => Some(Classes::two(Class::Over, Class::OverWarn)),
            Self::Ok | Self::Mute => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Class;
    use std::collections::BTreeSet;

    /// What follows each full stop, up to the first character that no name has.
    fn classes(css: &str) -> BTreeSet<&str> {
        let end = |rest: &str| rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        css.split('.').skip(1).map(|rest| &rest[..end(rest)]).filter(|name| !name.is_empty()).collect()
    }

    #[test]
    fn every_class_has_its_rule_and_no_rule_is_left_over() {
        let styled: BTreeSet<_> = [
            include_str!("../../../style/chart.css"),
            include_str!("../../../style/lanes.css"),
            include_str!("../../../style/spark.css"),
        ]
        .into_iter()
        .flat_map(classes)
        .collect();
        let drawn: BTreeSet<_> = Class::NAMES.iter().copied().filter(|name| !name.is_empty()).collect();
        assert_eq!(drawn.difference(&styled).collect::<Vec<_>>(), Vec::<&&str>::new(), "drawn without a rule");
        let colours =
            |name: &&&str| ["l-", "f-", "t-", "limit--", "over--"].iter().any(|start| name.starts_with(start));
        assert_eq!(styled.difference(&drawn).filter(colours).collect::<Vec<_>>(), Vec::<&&str>::new(), "never drawn");
    }
}
