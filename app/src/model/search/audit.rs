//! What a search over the audit says: `by:lin.wei op:retry key:2026* since:24h`. A term without a qualifier is a key; what is
//! said twice counts as it is said last.

use super::parse::{Bad, bad, duration, value, word_end};
use super::{Age, Moment, Pattern, SearchProblem, plain};
use crate::model::Fault;
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// What is searched for; all of it together. Empty: everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditSearch {
    pub since: Option<Since>,
    pub by: Option<Pattern>,
    pub op: Option<String>,
    pub key: Option<Pattern>,
    /// What became of an item: `failed`, `uncertain`, ….
    pub item: Option<String>,
    /// The id of an operation, with its parts and what undid it.
    pub plan: Option<String>,
    pub source: Option<String>,
    /// How it ended: `done`, `refused`, `none`, ….
    pub end: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Since {
    /// So long ago.
    Ago(Age),
    At(Moment),
}

/// What a term is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditQualifier {
    Since,
    By,
    Op,
    Key,
    Item,
    Plan,
    Source,
    End,
}

impl AuditQualifier {
    pub const ALL: [Self; 8] =
        [Self::Since, Self::By, Self::Op, Self::Key, Self::Item, Self::Plan, Self::Source, Self::End];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Since => "since",
            Self::By => "by",
            Self::Op => "op",
            Self::Key => "key",
            Self::Item => "item",
            Self::Plan => "plan",
            Self::Source => "source",
            Self::End => "end",
        }
    }
}

impl Since {
    /// `local` reads a wall clock in the reader's zone.
    #[must_use]
    pub fn instant(&self, now: DateTime<Utc>, local: &dyn Fn(NaiveDateTime) -> DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Ago(Age(seconds)) => now - TimeDelta::seconds(i64::try_from(*seconds).unwrap_or(i64::MAX / 1_000)),
            Self::At(moment) => moment.instants(local).0,
        }
    }
}

impl Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ago(age) => age.fmt(f),
            Self::At(moment) => moment.fmt(f),
        }
    }
}

impl AuditSearch {
    /// The error names the character from which on it cannot be read.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let characters: Vec<char> = text.chars().collect();
        read(&characters).map_err(|bad| bad.fault(&characters))
    }

    /// Each term that it has, as it is written.
    #[must_use]
    pub fn terms(&self) -> Vec<(AuditQualifier, String)> {
        let text = |text: &Option<String>| text.as_deref().map(plain);
        let value = |qualifier| match qualifier {
            AuditQualifier::Since => self.since.map(|since| since.to_string()),
            AuditQualifier::By => self.by.as_ref().map(ToString::to_string),
            AuditQualifier::Op => text(&self.op),
            AuditQualifier::Key => self.key.as_ref().map(ToString::to_string),
            AuditQualifier::Item => text(&self.item),
            AuditQualifier::Plan => text(&self.plan),
            AuditQualifier::Source => text(&self.source),
            AuditQualifier::End => text(&self.end),
        };
        AuditQualifier::ALL.into_iter().filter_map(|qualifier| Some((qualifier, value(qualifier)?))).collect()
    }

    #[must_use]
    pub fn without(&self, qualifier: AuditQualifier) -> Self {
        let mut rest = self.clone();
        match qualifier {
            AuditQualifier::Since => rest.since = None,
            AuditQualifier::By => rest.by = None,
            AuditQualifier::Op => rest.op = None,
            AuditQualifier::Key => rest.key = None,
            AuditQualifier::Item => rest.item = None,
            AuditQualifier::Plan => rest.plan = None,
            AuditQualifier::Source => rest.source = None,
            AuditQualifier::End => rest.end = None,
        }
        rest
    }
}

impl Display for AuditSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Vec<String> =
            self.terms().into_iter().map(|(qualifier, value)| format!("{}:{value}", qualifier.as_str())).collect();
        f.write_str(&terms.join(" "))
    }
}

fn read(text: &[char]) -> Result<AuditSearch, Bad> {
    let (mut search, mut at) = (AuditSearch::default(), 0);
    super::parse::short_enough(text)?;
    loop {
        while text.get(at).is_some_and(|character| character.is_whitespace()) {
            at += 1;
        }
        if at == text.len() {
            return Ok(search);
        }
        let (qualifier, begin) = head(text, at);
        let value = value(text, begin)?;
        let (from, to) = (value.from, value.to);
        at = to;
        if from == to {
            continue;
        }
        match qualifier {
            AuditQualifier::Since => {
                let since = duration(&value.text).map(Since::Ago);
                let since = since.or_else(|| Moment::parse(&value.text).map(Since::At));
                search.since = Some(since.ok_or_else(|| bad(from, to, SearchProblem::NoSince))?);
            }
            AuditQualifier::By => search.by = pattern(value.text, value.star),
            AuditQualifier::Key => search.key = pattern(value.text, value.star),
            // As the command line writes it.
            AuditQualifier::Op => search.op = Some(value.text.to_lowercase().replace('-', "_")),
            AuditQualifier::Item => search.item = Some(value.text.to_lowercase()),
            AuditQualifier::Plan => search.plan = Some(value.text),
            AuditQualifier::Source => search.source = Some(value.text),
            AuditQualifier::End => search.end = Some(value.text.to_lowercase()),
        }
    }
}

fn head(text: &[char], from: usize) -> (AuditQualifier, usize) {
    let word = &text[from..word_end(text, from)];
    // A Chinese keyboard writes the colon in full width.
    let colon = word.iter().position(|character| matches!(character, ':' | '：')).filter(|_| text[from] != '"');
    let Some(colon) = colon else { return (AuditQualifier::Key, from) };
    let name: String = word[..colon].iter().collect::<String>().to_lowercase();
    let known = AuditQualifier::ALL.into_iter().find(|qualifier| qualifier.as_str() == name);
    known.map_or((AuditQualifier::Key, from), |qualifier| (qualifier, from + colon + 1))
}

fn pattern(text: String, star: bool) -> Option<Pattern> {
    match text.strip_suffix('*').filter(|_| star) {
        Some("") => None,
        Some(begin) => Some(Pattern::Begins(begin.to_owned())),
        None => Some(Pattern::Is(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::{AuditSearch, Since};
    use crate::model::{Age, Fault, Pattern};

    #[test]
    fn a_search_is_what_it_says() {
        let search = AuditSearch::parse("since:24h by:lin.* op:mark-failed 2026:11* item:FAILED end：none").unwrap();
        assert_eq!(search.since, Some(Since::Ago(Age(86_400))));
        assert_eq!(search.by, Some(Pattern::Begins("lin.".into())));
        assert_eq!(search.key, Some(Pattern::Begins("2026:11".into())), "what is no qualifier is a joined key");
        assert_eq!((search.op.as_deref(), search.item.as_deref()), (Some("mark_failed"), Some("failed")));
        assert_eq!(search.end.as_deref(), Some("none"));
        assert_eq!(AuditSearch::parse(&search.to_string()).unwrap(), search);
        let later = AuditSearch::parse("by:ann by:\"bob b\" source: *").unwrap();
        assert_eq!(later, AuditSearch { by: Some(Pattern::Is("bob b".into())), ..AuditSearch::default() });
        assert!(matches!(AuditSearch::parse("by:ann since:noon"), Err(Fault::BadSearch { at: 14, .. })));
    }
}
