//! Lists and charts as CSV (RFC 4180, UTF-8): one file for each noun, as in `api`, each beside the JSON of the same name.
//!
//! The head's names are those of the JSON, with the unit where there is one; times are RFC 3339 in UTC; what was not read,
//! or is not there, is an empty field, never 0. Text that a spreadsheet would take for a formula gets an apostrophe.

pub(super) mod audit;
pub(super) mod brokers;
pub(super) mod locks;
pub(super) mod lookup;
pub(super) mod operations;
pub(super) mod overview;
pub(super) mod records;
pub(super) mod settings;

use super::problem::Problem;
use app::model::time;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// A table that is being written.
pub(super) struct Sheet(csv::Writer<Vec<u8>>);

/// How a file begins.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Marking {
    /// `1`: with a byte order mark, by which Excel takes a file that it opens itself for UTF-8. Without one otherwise.
    #[param(inline, example = "1")]
    bom: Option<Bom>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
enum Bom {
    #[serde(rename = "0")]
    Without,
    #[serde(rename = "1")]
    With,
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// One field. Options of it: `None` is an empty one.
pub(super) struct Cell(String);

impl Cell {
    const EMPTY: Self = Self(String::new());

    /// What somebody else may have written: as it stands, unless a spreadsheet would run it.
    fn text(text: impl AsRef<str>) -> Self {
        let text = text.as_ref();
        let runs =
            |first: char| matches!(first, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠' | '\t' | '\r' | '\n');
        Self(if text.starts_with(runs) { format!("'{text}") } else { text.to_owned() })
    }

    fn some_text(text: Option<&str>) -> Self {
        text.map_or(Self::EMPTY, Self::text)
    }

    /// Of a number or a word of ours.
    fn plain(value: impl Display) -> Self {
        Self(value.to_string())
    }

    fn some(value: Option<impl Display>) -> Self {
        value.map_or(Self::EMPTY, Self::plain)
    }

    /// Of one of our enums, as JSON has it.
    fn word(of: &impl Serialize) -> Result<Self, Problem> {
        let json = serde_json::to_value(of).map_err(unwritten)?;
        json.as_str().map(Self::plain).ok_or_else(|| unwritten(format!("{json} is no word")))
    }

    fn time(at: DateTime<Utc>) -> Self {
        Self(time::text(at))
    }

    fn some_time(at: Option<DateTime<Utc>>) -> Self {
        at.map_or(Self::EMPTY, Self::time)
    }
}

impl Sheet {
    fn new(head: &[&str]) -> Result<Self, Problem> {
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
        writer.write_record(head).map_err(unwritten)?;
        Ok(Self(writer))
    }

    fn row(&mut self, cells: impl IntoIterator<Item = Cell>) -> Result<(), Problem> {
        self.0.write_record(cells.into_iter().map(|cell| cell.0)).map_err(unwritten)
    }

    /// `name` is the file's, without its ending; letters, digits, `-` and `_`.
    fn answer(self, name: &str, marking: &Marking) -> Result<Response, Problem> {
        let mut text = self.0.into_inner().map_err(unwritten)?;
        if marking.bom == Some(Bom::With) {
            text.splice(0..0, MARK.iter().copied());
        }
        let file = HeaderValue::from_str(&format!("attachment; filename=\"{name}.csv\"")).map_err(unwritten)?;
        let kind = HeaderValue::from_static("text/csv; charset=utf-8; header=present");
        Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, file)], text).into_response())
    }
}

fn unwritten(error: impl Display) -> Problem {
    Problem::internal(format!("a table could not be written as CSV: {error}"))
}

/// A time in a file's name.
fn stamp(at: DateTime<Utc>) -> String {
    at.format("%Y%m%dT%H%M%SZ").to_string()
}

/// `points-locks-20261129T084208Z`.
fn named(source: &str, what: &str, at: DateTime<Utc>) -> String {
    format!("{source}-{what}-{}", stamp(at))
}

#[cfg(test)]
mod tests {
    use super::{Cell, Sheet};

    fn field(text: &str) -> String {
        let mut sheet = Sheet::new(&["head"]).unwrap_or_else(|_| panic!("no sheet"));
        assert!(sheet.row([Cell::text(text)]).is_ok());
        String::from_utf8(sheet.0.into_inner().unwrap()).unwrap()
    }

    #[test]
    fn a_spreadsheet_runs_nothing() {
        for hostile in ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "＋1", "－1", "＠1", "\t=1", "\r=1", "\n=1"] {
            let whole = field(hostile);
            let shown = csv::Reader::from_reader(whole.as_bytes()).records().next().unwrap().unwrap();
            assert_eq!(&shown[0], format!("'{hostile}"), "{whole:?}");
        }
        assert_eq!(field("2026-11"), "head\r\n2026-11\r\n", "a sign inside is none at the start");
        assert_eq!(field("订单"), "head\r\n订单\r\n");
    }

    #[test]
    fn every_text_comes_back_as_it_was() {
        for text in ["a,b", "say \"hi\"", "two\r\nlines", " spaces ", "", "'", ";"] {
            let whole = field(text);
            let shown = csv::Reader::from_reader(whole.as_bytes()).records().next().unwrap().unwrap();
            assert_eq!(&shown[0], text, "{whole:?}");
        }
    }
}
