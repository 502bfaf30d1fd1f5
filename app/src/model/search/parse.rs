use super::{Age, Filter, Moment, Pattern, Qualifier, Range, Search, SearchProblem};
use crate::model::{Fault, Status};

/// Characters of a search: the longest key and what stands beside it.
pub(super) const LONGEST: usize = 8_192;
/// Characters of what was found that an error repeats.
const SHOWN: usize = 80;
/// A hundred years.
const OLDEST: u64 = 36_525 * 86_400;

/// What is wrong, and from which character to which.
pub(super) struct Bad {
    from: usize,
    to: usize,
    problem: SearchProblem,
}

/// The value of a term.
pub(super) struct Value {
    pub text: String,
    /// A star that stands outside of quotes ends it.
    pub star: bool,
    pub from: usize,
    pub to: usize,
}

impl Search {
    /// Reads a search; see [the grammar](super). The error names the character from which on it cannot be read.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let characters: Vec<char> = text.chars().collect();
        search(&characters).map_err(|bad| bad.fault(&characters))
    }
}

impl Bad {
    /// Of a search that was read as these characters.
    pub(super) fn fault(self, characters: &[char]) -> Fault {
        let Self { from, to, problem } = self;
        let found: String = characters[from..to].iter().take(SHOWN).collect();
        Fault::BadSearch { at: u32::try_from(from + 1).unwrap_or(u32::MAX), found, problem }
    }
}

pub(super) fn bad(from: usize, to: usize, problem: SearchProblem) -> Bad {
    Bad { from, to, problem }
}

pub(super) fn short_enough(text: &[char]) -> Result<(), Bad> {
    if text.len() > LONGEST { Err(bad(LONGEST, text.len(), SearchProblem::TooLong)) } else { Ok(()) }
}

fn search(text: &[char]) -> Result<Search, Bad> {
    short_enough(text)?;
    let mut search = Search::default();
    let mut at = 0;
    loop {
        while text.get(at).is_some_and(|character| character.is_whitespace()) {
            at += 1;
        }
        if at == text.len() {
            return Ok(search);
        }
        let (qualifier, begin) = head(text, at)?;
        let value = value(text, begin)?;
        let to = value.to;
        search.set(qualifier, value, at)?;
        at = to;
    }
}

pub(super) fn word_end(text: &[char], from: usize) -> usize {
    text[from..].iter().position(|character| character.is_whitespace()).map_or(text.len(), |length| from + length)
}

/// The qualifier of the term at `from`, and where its value begins.
fn head(text: &[char], from: usize) -> Result<(Qualifier, usize), Bad> {
    let to = word_end(text, from);
    // A Chinese keyboard writes the colon in full width.
    let colon = text[from..to].iter().position(|character| matches!(character, ':' | '：'));
    let Some(colon) = colon.filter(|_| text[from] != '"') else { return Ok((Qualifier::Key, from)) };
    let name: String = text[from..from + colon].iter().collect::<String>().to_lowercase();
    if let Some(qualifier) = Qualifier::ALL.into_iter().find(|qualifier| qualifier.as_str() == name) {
        return Ok((qualifier, from + colon + 1));
    }
    match near(&name) {
        Some(near) => Err(Bad { from, to: from + colon, problem: SearchProblem::UnknownQualifier(near) }),
        // A joined key.
        None => Ok((Qualifier::Key, from)),
    }
}

/// A qualifier that was meant: a slip of the keyboard, or what it is called elsewhere. Names of three letters are too
/// near to everything.
fn near(name: &str) -> Option<Qualifier> {
    let called = match name {
        "state" => Some(Qualifier::Status),
        "keys" | "biz_id" | "bizid" => Some(Qualifier::Key),
        "types" | "biz_type" | "biztype" => Some(Qualifier::Type),
        "retries" | "attempt" => Some(Qualifier::Attempts),
        "ages" | "older" => Some(Qualifier::Age),
        _ => None,
    };
    let slip = |qualifier: &Qualifier| {
        let known = qualifier.as_str();
        let allowed = match known.len() {
            ..4 => 0,
            4..6 => 1,
            _ => 2,
        };
        distance(name, known) <= allowed
    };
    called.or_else(|| Qualifier::ALL.into_iter().find(slip))
}

/// Letters added, left out, changed or exchanged with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > 2 {
        return usize::MAX;
    }
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let changed = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

/// Up to the next white space, or in quotes.
pub(super) fn value(text: &[char], from: usize) -> Result<Value, Bad> {
    if text.get(from) != Some(&'"') {
        let to = word_end(text, from);
        let star = to > from && text[to - 1] == '*';
        return Ok(Value { text: text[from..to].iter().collect(), star, from, to });
    }
    let (mut inside, mut at) = (String::new(), from + 1);
    loop {
        match (text.get(at), text.get(at + 1)) {
            (None, _) => return Err(Bad { from, to: text.len(), problem: SearchProblem::Unclosed }),
            (Some('"'), _) => break,
            (Some('\\'), Some(escaped @ ('"' | '\\'))) => {
                inside.push(*escaped);
                at += 2;
            }
            (Some(character), _) => {
                inside.push(*character);
                at += 1;
            }
        }
    }
    let mut to = at + 1;
    let star = text.get(to) == Some(&'*');
    if star {
        inside.push('*');
        to += 1;
    }
    if text.get(to).is_some_and(|character| !character.is_whitespace()) {
        return Err(Bad { from: to, to: word_end(text, to), problem: SearchProblem::AfterQuote });
    }
    Ok(Value { text: inside, star, from, to })
}

impl Search {
    /// `begin`: where the term begins.
    fn set(&mut self, qualifier: Qualifier, value: Value, begin: usize) -> Result<(), Bad> {
        if self.terms().iter().any(|term| term.qualifier == qualifier) {
            return Err(Bad { from: begin, to: value.to, problem: SearchProblem::Doubled(qualifier) });
        }
        if value.from == value.to {
            return Err(Bad { from: begin, to: value.to, problem: SearchProblem::NoValue(qualifier) });
        }
        let Filter { key, owner, age, created, updated, attempts } = &mut self.filter;
        match qualifier {
            Qualifier::Status => {
                let status = Status::parse(&value.text.to_lowercase());
                self.status = Some(status.ok_or_else(|| value.bad(SearchProblem::NoStatus))?);
            }
            Qualifier::Type => self.r#type = Some(value.text),
            Qualifier::Key => *key = Some(pattern(qualifier, value)?),
            Qualifier::Owner => *owner = Some(pattern(qualifier, value)?),
            Qualifier::Age => {
                let read = range(&value, SearchProblem::NoAge, duration)?;
                // Nobody means "exactly ten minutes, to the second".
                if matches!(read, Range::Is(_)) {
                    return Err(value.bad(SearchProblem::NoAge));
                }
                *age = Some(read);
            }
            Qualifier::Created => *created = Some(range(&value, SearchProblem::NoMoment, Moment::parse)?),
            Qualifier::Updated => *updated = Some(range(&value, SearchProblem::NoMoment, Moment::parse)?),
            Qualifier::Attempts => {
                *attempts = Some(range(&value, SearchProblem::NoNumber, |text| text.parse().ok())?);
            }
        }
        Ok(())
    }
}

impl Value {
    fn bad(&self, problem: SearchProblem) -> Bad {
        Bad { from: self.from, to: self.to, problem }
    }
}

fn pattern(qualifier: Qualifier, value: Value) -> Result<Pattern, Bad> {
    if !value.star {
        return Ok(Pattern::Is(value.text));
    }
    match value.text.strip_suffix('*') {
        // A star alone would be no filter.
        None | Some("") => Err(value.bad(SearchProblem::NoValue(qualifier))),
        Some(begin) => Ok(Pattern::Begins(begin.to_owned())),
    }
}

fn range<T: Copy + PartialOrd>(
    value: &Value,
    problem: SearchProblem,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Range<T>, Bad> {
    let one = |text: &str| read(text).ok_or_else(|| value.bad(problem));
    let text = value.text.replace('＞', ">").replace('＜', "<").replace('≥', ">=").replace('≤', "<=");
    if let Some(rest) = text.strip_prefix(">=") {
        return one(rest).map(Range::AtLeast);
    }
    if let Some(rest) = text.strip_prefix("<=") {
        return one(rest).map(Range::AtMost);
    }
    if let Some(rest) = text.strip_prefix('>') {
        return one(rest).map(Range::Above);
    }
    if let Some(rest) = text.strip_prefix('<') {
        return one(rest).map(Range::Below);
    }
    let Some((from, to)) = text.split_once("..") else { return one(&text).map(Range::Is) };
    let (from, to) = (one(from)?, one(to)?);
    if from > to { Err(value.bad(SearchProblem::Reversed)) } else { Ok(Range::Between(from, to)) }
}

/// `10m`, `1h30m`.
pub(in crate::model) fn duration(text: &str) -> Option<Age> {
    let (mut seconds, mut rest) = (0_u64, text);
    while !rest.is_empty() {
        let digits = rest.bytes().position(|byte| !byte.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit = rest.find(|character: char| character.is_ascii_digit()).unwrap_or(rest.len());
        let each = match &rest[..unit] {
            "s" | "sec" => 1,
            "m" | "min" => 60,
            "h" => 3_600,
            "d" => 86_400,
            "w" => 7 * 86_400,
            _ => return None,
        };
        seconds = seconds.checked_add(number.checked_mul(each)?)?;
        rest = &rest[unit..];
    }
    (!text.is_empty() && seconds <= OLDEST).then_some(Age(seconds))
}
