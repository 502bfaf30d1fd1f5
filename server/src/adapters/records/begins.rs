//! Which values of a column begin alike, as its engine orders them.

use super::catalogue::{Alike, Column, Index, Kind};
use super::dialect::{Dialect, name};
use super::raw::Raw;
use sea_query::{Expr, ExprTrait, LikeExpr};

/// Values of one column that begin alike.
#[derive(Debug, Clone, PartialEq)]
pub enum Stretch {
    /// The engine makes a stretch of the index of it.
    Like(String),
    /// MySQL does so for every collation, but in binary ones its stretch ends before the characters beyond U+FFFF. There
    /// the next text that does not begin so ends it; elsewhere that adds a few rows, or none.
    LikeOrBelow(String, String),
    /// At and above the first, below the second.
    From(Raw, Option<Raw>),
}

impl Stretch {
    pub fn conditions(&self, dialect: Dialect, column: &Column) -> Vec<Expr> {
        match self {
            Self::Like(begin) => vec![name(column).like(LikeExpr::new(escaped(begin, '\\')))],
            Self::LikeOrBelow(begin, end) => {
                // What escapes depends on the session's mode, unless it is said.
                let like = name(column).like(LikeExpr::new(escaped(begin, '!')).escape('!'));
                vec![like.or(name(column).gte(begin.as_str()).and(name(column).lt(end.as_str())))]
            }
            Self::From(low, high) => {
                let low = dialect.bound(column, low).map(|low| name(column).gte(low));
                let high = high.as_ref().and_then(|high| dialect.bound(column, high)).map(|high| name(column).lt(high));
                low.into_iter().chain(high).collect()
            }
        }
    }
}

fn escaped(text: &str, escape: char) -> String {
    let mut pattern = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        if character == escape || matches!(character, '%' | '_') {
            pattern.push(escape);
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// `None`: values that begin so do not lie together. Empty: the column holds no such value.
pub fn stretches(dialect: Dialect, index: &Index, column: &Column, begin: &str) -> Option<Vec<Stretch>> {
    let text = || Stretch::From(Raw::Text(begin.to_owned()), Some(Raw::Text(format!("{begin}\u{10ffff}"))));
    match (column.kind, dialect) {
        (Kind::Text, Dialect::MySql) => {
            // Numbers within, in the order of their declaration.
            let listed = ["enum", "set"].iter().any(|kind| column.declared.to_ascii_lowercase().starts_with(kind));
            (!listed).then(|| vec![Stretch::LikeOrBelow(begin.to_owned(), next_text(begin))])
        }
        (Kind::Text, Dialect::Postgres) if begin.contains('\0') => Some(Vec::new()),
        (Kind::Text, Dialect::Postgres) => {
            let (_, alike) = index.alike.iter().find(|(of, _)| *of == column.name)?;
            Some(vec![match alike {
                Alike::Bytes => Stretch::Like(begin.to_owned()),
                Alike::CodePoints => text(),
            }])
        }
        (Kind::Int, _) => Some(numbers(begin, dialect.nearest_id(i128::MAX))),
        (Kind::Bytes, _) => Some(bytes(begin).into_iter().collect()),
        (Kind::Uuid, Dialect::Postgres) => Some(uuid(begin).into_iter().collect()),
        (Kind::Loose, _) => loose(column, begin, text()),
        _ => None,
    }
}

/// By what SQLite makes of the declared type.
fn loose(column: &Column, begin: &str, text: Stretch) -> Option<Vec<Stretch>> {
    let declared = column.declared.to_ascii_uppercase();
    let says = |words: &[&str]| words.iter().any(|word| declared.contains(word));
    let numbers = || numbers(begin, i128::from(i64::MAX));
    if says(&["INT"]) {
        // Text among the numbers; behind the digits something that is no number keeps it text.
        let beside = match numbers().is_empty() {
            true => text,
            false => Stretch::From(Raw::Text(format!("{begin}\u{1}")), Some(Raw::Text(format!("{begin}\u{10ffff}")))),
        };
        return Some(numbers().into_iter().chain([beside]).collect());
    }
    if says(&["CHAR", "CLOB", "TEXT"]) {
        return Some(vec![text]);
    }
    let unconverted = declared.is_empty() || says(&["BLOB"]);
    unconverted.then(|| std::iter::once(text).chain(numbers()).chain(bytes(begin)).collect())
}

/// Whole numbers whose digits begin so, up to the largest of the type.
fn numbers(begin: &str, largest: i128) -> Vec<Stretch> {
    let stretch = |low: i128, end: i128| Stretch::From(Raw::Int(low), (end <= largest).then_some(Raw::Int(end)));
    let (is_negative, digits) = match begin.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, begin),
    };
    if is_negative && digits.is_empty() {
        return vec![stretch(i128::from(i64::MIN), 0)];
    }
    // "007" is not how a number is shown.
    let shown = |number: &i128| number.to_string() == digits && !(is_negative && *number == 0);
    let Some(number) = digits.parse::<i128>().ok().filter(shown) else { return Vec::new() };
    let (mut low, mut end, mut found) = (number, number + 1, Vec::new());
    while low <= largest {
        if is_negative {
            // Nothing lies below the smallest.
            found.push(stretch((1 - end).max(i128::from(i64::MIN)), 1 - low));
        } else {
            found.push(stretch(low, end));
        }
        if number == 0 {
            break;
        }
        (low, end) = (low * 10, end * 10);
    }
    found
}

/// Bytes whose hexadecimal digits begin so.
fn bytes(begin: &str) -> Option<Stretch> {
    let is_shown = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    if !begin.bytes().all(is_shown) {
        return None;
    }
    let half = begin.len() % 2 == 1;
    let low = hex::decode(if half { format!("{begin}0") } else { begin.to_owned() }).ok()?;
    let last = hex::decode(if half { format!("{begin}f") } else { begin.to_owned() }).ok()?;
    Some(Stretch::From(Raw::Bytes(low), next(last).map(Raw::Bytes)))
}

/// The first bytes above all that begin with these.
fn next(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = bytes.pop() {
        if let Some(more) = last.checked_add(1) {
            bytes.push(more);
            return Some(bytes);
        }
    }
    None
}

/// The first text by code points that is above all that begin with this.
fn next_text(begin: &str) -> String {
    let mut characters: Vec<char> = begin.chars().collect();
    while let Some(last) = characters.pop() {
        // Surrogates are no characters.
        let next = if last == '\u{d7ff}' { Some('\u{e000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            characters.push(next);
            break;
        }
    }
    characters.into_iter().collect()
}

/// Uuids whose hyphenated form begins so.
fn uuid(begin: &str) -> Option<Stretch> {
    const FORM: &str = "00000000-0000-0000-0000-000000000000";
    let fits = |(written, form): (u8, u8)| match form {
        b'-' => written == b'-',
        _ => written.is_ascii_digit() || (b'a'..=b'f').contains(&written),
    };
    if begin.len() > FORM.len() || !begin.bytes().zip(FORM.bytes()).all(fits) {
        return None;
    }
    let digits: String = begin.chars().filter(|character| *character != '-').collect();
    let low = format!("{begin}{}", &FORM[begin.len()..]);
    let end = match bytes(&digits)? {
        Stretch::From(_, Some(Raw::Bytes(mut end))) => {
            end.resize(16, 0);
            let end: [u8; 16] = end.try_into().ok()?;
            Some(Raw::Text(uuid::Uuid::from_bytes(end).hyphenated().to_string()))
        }
        _ => None,
    };
    Some(Stretch::From(Raw::Text(low), end))
}

#[cfg(test)]
mod tests {
    use super::{Stretch, bytes, numbers, uuid};
    use crate::adapters::records::raw::Raw;
    use proptest::prelude::*;

    fn holds(stretches: &[Stretch], number: i128) -> bool {
        stretches.iter().any(|stretch| match stretch {
            Stretch::From(Raw::Int(low), high) => {
                *low <= number && high.as_ref().is_none_or(|high| high.as_int().is_some_and(|high| number < high))
            }
            _ => false,
        })
    }

    proptest! {
        #[test]
        fn a_number_lies_within_exactly_when_its_digits_begin_so(number in any::<i64>(), length in 1..20_usize, other in -30_000..30_000_i64) {
            let digits = number.to_string();
            let begin = &digits[..length.min(digits.len())];
            let found = numbers(begin, i128::from(i64::MAX));
            prop_assert!(found.len() <= 20);
            prop_assert!(holds(&found, number.into()));
            let of_other = other.to_string();
            let begin = &of_other[..(length % 3 + 1).min(of_other.len())];
            let found = numbers(begin, i128::from(i64::MAX));
            for near in [other, other + 1, other * 10, other / 10, -other, number] {
                prop_assert_eq!(holds(&found, near.into()), near.to_string().starts_with(begin), "{} {}", near, begin);
            }
        }

        #[test]
        fn bytes_lie_within_exactly_when_their_digits_begin_so(value in prop::collection::vec(any::<u8>(), 0..6), begin in "[0-9a-f]{1,6}") {
            let Some(Stretch::From(Raw::Bytes(low), high)) = bytes(&begin) else { panic!() };
            let below = |high: &Raw| matches!(high, Raw::Bytes(high) if value < *high);
            let within = value >= low && high.as_ref().is_none_or(below);
            prop_assert_eq!(within, hex::encode(&value).starts_with(&begin));
        }
    }

    #[test]
    fn what_no_number_or_uuid_begins_with_is_nowhere() {
        for begin in ["007", "x", "-0", "+1", "1.5", " 1", "99999999999999999999999999999999999999999999"] {
            assert!(numbers(begin, i128::from(i64::MAX)).is_empty(), "{begin}");
        }
        assert!(holds(&numbers("-", i128::from(i64::MAX)), -1));
        assert!(holds(&numbers("1844674407370955161", i128::from(u64::MAX)), i128::from(u64::MAX)));
        let of = |begin: &str| match uuid(begin) {
            Some(Stretch::From(Raw::Text(low), high)) => {
                Some((low, high.and_then(|high| high.show(super::Kind::Text))))
            }
            _ => None,
        };
        let (low, high) = of("0f8e4b7a-1").unwrap();
        assert_eq!(low, "0f8e4b7a-1000-0000-0000-000000000000");
        assert_eq!(high.as_deref(), Some("0f8e4b7a-2000-0000-0000-000000000000"));
        assert_eq!(of("ffff").unwrap().1, None);
        assert!(of("0F8E").is_none() && of("0f8e4b7a1").is_none());
    }
}
