//! What keys and types are put together from, and how a joined text is taken apart again.

use super::catalogue::{Column, Kind};
use crate::config::{Part, Pointer};
use app::model::Fault;

/// A joined text may be cut in many places; beyond this only the first ways are tried.
const WAYS: usize = 64;
/// Looking for them ends after so many tries: a long text of colons has no end of places.
const TRIES: usize = 10_000;

/// One part of a key or a type, with its column found.
#[derive(Debug, Clone)]
pub enum Piece {
    Column(Column),
    /// A value inside what the column holds; no index knows it.
    Json {
        document: Column,
        pointer: Pointer,
    },
    Constant(String),
}

impl Piece {
    pub fn new(part: &Part, table: &str, there: impl Fn(&str) -> Result<Column, Fault>) -> Result<Self, Fault> {
        Ok(match part {
            Part::Column(column) => Self::Column(there(column)?),
            Part::Json { column, pointer } => {
                Self::Json { document: there(column)?.document(), pointer: pointer.clone() }
            }
            Part::Constant(constant) => Self::Constant(constant.clone()),
            Part::TableName => Self::Constant(table.to_owned()),
        })
    }

    /// The column whose value it is.
    pub fn column(&self) -> Option<&Column> {
        match self {
            Self::Column(column) => Some(column),
            Self::Json { .. } | Self::Constant(_) => None,
        }
    }

    /// The column that is read for it.
    pub fn read(&self) -> Option<&Column> {
        match self {
            Self::Column(column) | Self::Json { document: column, .. } => Some(column),
            Self::Constant(_) => None,
        }
    }

    pub fn document(&self) -> Option<&Column> {
        self.read().filter(|column| column.kind.is_document())
    }
}

/// Those that an index may know.
pub fn columns(pieces: &[Piece]) -> impl Iterator<Item = &Column> {
    pieces.iter().filter_map(Piece::column)
}

/// Whether a database can compare the whole of it.
pub fn has_json(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| piece.document().is_some())
}

/// The ways to write `text` as these pieces joined with `:`, shortest first pieces first.
pub fn ways<'a>(pieces: &[Piece], text: &'a str) -> Vec<Vec<&'a str>> {
    let mut found = Vec::new();
    if !pieces.is_empty() {
        cut(pieces, text, &mut Vec::new(), &mut found, &mut 0);
    }
    found
}

/// The ways to write `text` as these pieces and the beginning of whatever comes behind them, joined with `:`.
pub fn openings<'a>(pieces: &[Piece], text: &'a str) -> Vec<Vec<&'a str>> {
    let rest = Piece::Column(Column {
        name: String::new(),
        kind: Kind::Text,
        declared: String::new(),
        nullable: true,
        assigned: false,
        generated: false,
    });
    ways(&pieces.iter().cloned().chain([rest]).collect::<Vec<_>>(), text)
}

fn cut<'a>(
    pieces: &[Piece],
    rest: &'a str,
    so_far: &mut Vec<&'a str>,
    found: &mut Vec<Vec<&'a str>>,
    tries: &mut usize,
) {
    let Some((piece, later)) = pieces.split_first() else { return };
    let mut take = |part: &'a str, rest: Option<&'a str>| {
        *tries += 1;
        so_far.push(part);
        match rest {
            None => found.push(so_far.clone()),
            Some(rest) => cut(later, rest, so_far, found, tries),
        }
        so_far.pop();
        found.len() < WAYS && *tries < TRIES
    };
    match (piece, later.is_empty()) {
        (Piece::Constant(constant), true) if rest == constant => {
            take(rest, None);
        }
        (Piece::Constant(_), true) => {}
        (Piece::Constant(constant), false) => {
            if let Some(after) = rest.strip_prefix(constant.as_str()).and_then(|after| after.strip_prefix(':')) {
                take(&rest[..constant.len()], Some(after));
            }
        }
        (_, true) => {
            take(rest, None);
        }
        (_, false) => {
            for (at, _) in rest.match_indices(':') {
                if !take(&rest[..at], Some(&rest[at + 1..])) {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, WAYS, ways};
    use crate::adapters::records::catalogue::{Column, Kind};

    fn column() -> Piece {
        let column = Column {
            name: "a".into(),
            kind: Kind::Text,
            declared: String::new(),
            nullable: true,
            assigned: false,
            generated: false,
        };
        Piece::Column(column)
    }

    fn constant(text: &str) -> Piece {
        Piece::Constant(text.into())
    }

    #[test]
    fn a_joined_key_is_cut_everywhere() {
        let columns = |count| (0..count).map(|_| column()).collect::<Vec<_>>();
        assert_eq!(ways(&columns(2), "a:b:c"), [["a", "b:c"], ["a:b", "c"]]);
        assert_eq!(ways(&columns(1), "a:b"), [["a:b"]]);
        assert_eq!(ways(&columns(2), ":"), [["", ""]]);
        assert!(ways(&columns(2), "ab").is_empty());
        assert!(ways(&[], "").is_empty());
        assert_eq!(ways(&columns(3), &"a:".repeat(200)).len(), WAYS);
    }

    #[test]
    fn constants_stand_where_they_stand() {
        let around = [constant("p:q"), column(), constant("z")];
        assert_eq!(ways(&around, "p:q:a:b:z"), [["p:q", "a:b", "z"]]);
        for other in ["p:q:z", "p:a:z", "p:q:a:y", "xp:q:a:z", "", "p:q"] {
            assert!(ways(&around, other).is_empty(), "{other}");
        }
        assert_eq!(ways(&[constant("only")], "only"), [["only"]]);
        assert!(ways(&[constant("only")], "only:").is_empty());
        let between = [column(), constant("x"), column()];
        assert_eq!(ways(&between, "a:x:x:b"), [["a", "x", "x:b"], ["a:x", "x", "b"]]);
        assert_eq!(ways(&[column(), column(), constant("z")], "a:b:c:z"), [["a", "b:c", "z"], ["a:b", "c", "z"]]);
        // However it ends, it ends.
        assert!(ways(&[column(), column(), column(), constant("z")], &":".repeat(4_096)).is_empty());
    }
}
