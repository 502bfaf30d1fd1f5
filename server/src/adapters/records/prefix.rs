//! Keys by their beginning, through an index. Text and bytes that begin alike lie together; whole numbers that begin
//! alike are up to twenty stretches (2023, 20230 to 20239, …). A joined key's beginning fixes its first parts. Where the
//! index leads with the type, each type is asked on its own. What cannot be asked so is left to a bounded search.

use super::catalogue::{Alike, Column, Index, Kind};
use super::dialect::{Dialect, candidates, name};
use super::find::{distinct, splits};
use super::raw::Raw;
use super::select::{Cells, Selection};
use super::shape::Shape;
use super::store::Store;
use app::model::Fault;
use sea_query::extension::mysql::{IndexHintScope, MySqlSelectStatementExt};
use sea_query::{Alias, Expr, ExprTrait, LikeExpr, SelectStatement};

/// Most types that are asked one by one.
const TYPES: usize = 64;
/// Most statements of one list.
const STATEMENTS: usize = 128;

/// All rows whose key begins so, or `None` where no index finds them or they are more than `most`. Some that do not
/// belong may be among them.
pub async fn beginning(
    store: &Store,
    shape: &Shape,
    selection: &Selection,
    asked: (Option<&str>, &str),
    most: usize,
) -> Result<Option<Vec<Cells>>, Fault> {
    let Some(probes) = probes(store, shape, asked).await? else { return Ok(None) };
    let mut found = Vec::new();
    for probe in probes {
        let select = probe.select(shape, selection, most + 1 - found.len());
        found.extend(store.fetch(&selection.build(shape.dialect, &select)).await?);
        if found.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

/// One statement: a stretch of one index.
struct Probe {
    index: Index,
    fixed: Vec<(Column, Vec<Raw>)>,
    begins: Option<(Column, Stretch)>,
}

impl Probe {
    fn select(&self, shape: &Shape, selection: &Selection, limit: usize) -> SelectStatement {
        let mut select = selection.from(shape);
        for (column, values) in &self.fixed {
            // One value is an equality, which keeps the index's order.
            select.and_where(match values.as_slice() {
                [value] => shape.dialect.equal(column, value),
                values => shape.dialect.among(column, values),
            });
        }
        if let Some((column, stretch)) = &self.begins {
            for condition in stretch.conditions(shape.dialect, column) {
                select.and_where(condition);
            }
        }
        match shape.dialect {
            // Otherwise it may walk the table until it has met enough of them.
            Dialect::MySql => {
                select.force_index(Alias::new(&self.index.name), IndexHintScope::All);
            }
            // Asked for the index's own order, it has no other way.
            Dialect::Postgres => {
                let given = self.fixed.len() + usize::from(self.begins.is_some());
                for column in self.index.columns.iter().take(given).filter_map(|name| shape.catalogue.column(name)) {
                    select.order_by_expr(name(column), sea_query::Order::Asc);
                }
            }
            Dialect::Sqlite => {}
        }
        select.limit(limit as u64).take()
    }
}

/// Values of one column that begin alike.
#[derive(Debug, Clone, PartialEq)]
enum Stretch {
    /// The engine makes a stretch of the index of it.
    Like(String),
    /// MySQL does so for every collation, but in binary ones its stretch ends before the characters beyond U+FFFF. There
    /// the next text that does not begin so ends it; elsewhere that adds a few rows, or none.
    LikeOrBelow(String, String),
    /// At and above the first, below the second.
    From(Raw, Option<Raw>),
}

impl Stretch {
    fn conditions(&self, dialect: Dialect, column: &Column) -> Vec<Expr> {
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

/// `None`: not all of them can be asked of an index.
async fn probes(store: &Store, shape: &Shape, asked: (Option<&str>, &str)) -> Result<Option<Vec<Probe>>, Fault> {
    let mut probes = Vec::new();
    for way in ways(shape, asked) {
        let Some((index, open)) = index(shape, &way) else { return Ok(None) };
        let begun = match &way.begins {
            None => vec![None],
            Some((column, begin)) => match stretches(shape.dialect, index, column, begin) {
                None => return Ok(None),
                Some(stretches) => {
                    stretches.into_iter().map(|stretch| Some((column.clone(), stretch))).collect::<Vec<_>>()
                }
            },
        };
        let leading = leading(store, shape, &open).await?;
        if leading.len() > TYPES {
            return Ok(None);
        }
        let fixed: Vec<&(Column, Vec<Raw>)> =
            way.fixed.iter().filter(|(column, _)| index.columns.contains(&column.name)).collect();
        for values in leading {
            for begins in &begun {
                let of = open.iter().cloned().zip(values.iter().map(|value| vec![value.clone()]));
                let fixed = of.chain(fixed.iter().map(|one| (*one).clone())).collect();
                probes.push(Probe { index: index.clone(), fixed, begins: begins.clone() });
            }
        }
        if probes.len() > STATEMENTS {
            return Ok(None);
        }
    }
    Ok(Some(probes))
}

/// One way of cutting type and beginning into the columns' values.
struct Way {
    fixed: Vec<(Column, Vec<Raw>)>,
    /// `None`: the beginning ends with a part.
    begins: Option<(Column, String)>,
}

/// Ways that no row can be of are left out.
fn ways(shape: &Shape, (r#type, begin): (Option<&str>, &str)) -> Vec<Way> {
    let types: Vec<Vec<(Column, Vec<Raw>)>> = match r#type.filter(|_| !shape.r#type.is_empty()) {
        None => vec![Vec::new()],
        Some(of) => {
            splits(of, shape.r#type.len()).into_iter().filter_map(|parts| fixed(&shape.r#type, &parts)).collect()
        }
    };
    let mut ways = Vec::new();
    for whole in 0..shape.key.len() {
        for mut parts in splits(begin, whole + 1) {
            let Some(last) = parts.pop() else { continue };
            let Some(of_key) = fixed(&shape.key, &parts) else { continue };
            let begins = (!last.is_empty()).then(|| (shape.key[whole].clone(), last.to_owned()));
            for of_type in &types {
                ways.push(Way { fixed: of_type.iter().chain(&of_key).cloned().collect(), begins: begins.clone() });
            }
        }
    }
    ways
}

/// `None`: a column cannot hold its part.
fn fixed(columns: &[Column], parts: &[&str]) -> Option<Vec<(Column, Vec<Raw>)>> {
    let one = |(column, part): (&Column, &&str)| {
        let mut values = candidates(column, part);
        if part.is_empty() && columns.len() > 1 && column.nullable {
            values.push(Raw::Null);
        }
        (!values.is_empty()).then(|| (column.clone(), values))
    };
    columns.iter().zip(parts).map(one).collect()
}

/// An index in which the way's rows lie together, with its leading columns that are not known (at best none).
fn index<'a>(shape: &'a Shape, way: &Way) -> Option<(&'a Index, Vec<Column>)> {
    let is_fixed = |column: &String| way.fixed.iter().any(|(fixed, _)| fixed.name == *column);
    let parts: Vec<&String> = way
        .fixed
        .iter()
        .map(|(column, _)| &column.name)
        .filter(|column| shape.key.iter().any(|key| key.name == **column))
        .collect();
    let found = shape.catalogue.indexes.iter().filter_map(|index| {
        let reach = match &way.begins {
            Some((column, _)) => index.columns.iter().position(|of| *of == column.name)?,
            None => index.columns.iter().rposition(|of| parts.contains(&of))? + 1,
        };
        let before = &index.columns[..reach];
        let open = before.iter().take_while(|column| !is_fixed(column)).count();
        let rest_is_known = before[open..].iter().all(is_fixed);
        let has_all_parts = parts.iter().all(|part| before.contains(part));
        let begins =
            way.begins.as_ref().is_none_or(|(column, begin)| stretches(shape.dialect, index, column, begin).is_some());
        if !(rest_is_known && has_all_parts && begins) {
            return None;
        }
        let open: Vec<Column> =
            before[..open].iter().map(|column| shape.catalogue.column(column).cloned()).collect::<Option<_>>()?;
        let countable = open.len() <= 1 || open.iter().all(|column| !column.nullable);
        countable.then_some((index, open))
    });
    found.min_by_key(|(_, open)| open.len())
}

/// The values of an index's leading columns, afresh.
async fn leading(store: &Store, shape: &Shape, open: &[Column]) -> Result<Vec<Vec<Raw>>, Fault> {
    if open.is_empty() {
        return Ok(vec![Vec::new()]);
    }
    let mut values = distinct(store, shape, open).await?;
    if open.iter().any(|column| column.nullable) {
        values.push(vec![Raw::Null]);
    }
    Ok(values)
}

/// `None`: values that begin so do not lie together. Empty: the column holds no such value.
fn stretches(dialect: Dialect, index: &Index, column: &Column, begin: &str) -> Option<Vec<Stretch>> {
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
