//! Numbers as charts write them: at most one decimal, thousands apart, millions and more with a letter.

/// Beyond this, and below zero, a value is no reading.
const MOST: f64 = 1e21;

const SCALES: [(f64, &str); 5] = [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")];

/// `None` for what cannot have been read: a sentinel, a division by zero.
pub(super) fn reading(value: f64) -> Option<f64> {
    (0.0..=MOST).contains(&value).then_some(value)
}

/// `18.2`, `361`, `1,790`, `48.2 M`.
pub(super) fn text(value: f64) -> String {
    let (scale, letter) = scale(value);
    join(&decimals(value / scale), letter)
}

/// For tables: to the thousandth and without a letter, `0.012`, `48,234,000`.
pub(super) fn exact(value: f64) -> String {
    let rounded = format!("{value:.3}");
    let (whole, rest) = rounded.split_once('.').unwrap_or((&rounded, ""));
    let rest = rest.trim_end_matches('0');
    let whole = grouped(whole);
    if rest.is_empty() { whole } else { format!("{whole}.{rest}") }
}

/// A tick in the scale of the axis's top, so that all of them count in the same unit.
pub(super) fn tick(value: f64, top: f64) -> String {
    decimals(value / scale(top).0)
}

/// The top tick, which says the unit for all: `20 s`, `2 M`.
pub(super) fn top_tick(top: f64, unit: &str) -> String {
    join(&text(top), unit)
}

pub(super) fn join(number: &str, unit: &str) -> String {
    if unit.is_empty() { number.to_owned() } else { format!("{number} {unit}") }
}

fn scale(value: f64) -> (f64, &'static str) {
    SCALES.into_iter().find(|(scale, _)| value >= *scale).unwrap_or((1.0, ""))
}

/// From a hundred on a decimal says nothing.
fn decimals(value: f64) -> String {
    let rounded = if value < 99.95 { format!("{value:.1}") } else { format!("{value:.0}") };
    let digits = rounded.strip_suffix(".0").unwrap_or(&rounded);
    if digits.contains('.') { digits.to_owned() } else { grouped(digits) }
}

fn grouped(digits: &str) -> String {
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{exact, reading, text, tick, top_tick};

    #[test]
    fn at_most_one_decimal_and_thousands_apart() {
        let cases = [
            (0.0, "0"),
            (0.04, "0"),
            (1.25, "1.2"),
            (18.0, "18"),
            (99.94, "99.9"),
            (99.96, "100"),
            (361.4, "361"),
            (1790.0, "1,790"),
            (999_999.7, "1,000,000"),
            (1_000_000.0, "1 M"),
            (48_234_000.0, "48.2 M"),
            (18_446_744_073_709_551_615.0, "18.4 E"),
        ];
        for (value, expected) in cases {
            assert_eq!(text(value), expected);
        }
    }

    #[test]
    fn tables_are_exact() {
        for (value, expected) in [
            (0.0, "0"),
            (0.012, "0.012"),
            (1.25, "1.25"),
            (18.0, "18"),
            (1790.5, "1,790.5"),
            (48_234_000.0, "48,234,000"),
        ] {
            assert_eq!(exact(value), expected);
        }
    }

    #[test]
    fn ticks_count_in_the_unit_of_the_top_one() {
        assert_eq!(tick(500_000.0, 2_000_000.0), "0.5");
        assert_eq!(tick(500.0, 2000.0), "500");
        assert_eq!(top_tick(2_000_000.0, ""), "2 M");
        assert_eq!(top_tick(20.0, "s"), "20 s");
    }

    #[test]
    fn what_cannot_have_been_read_is_no_reading() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e22] {
            assert_eq!(reading(value), None, "{value}");
        }
        assert_eq!(reading(0.0), Some(0.0));
    }
}
