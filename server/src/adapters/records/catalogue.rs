//! What the engine's catalogue says about the table, in one shape for all engines.

/// What a column holds, as far as reading and comparing it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Int,
    Decimal,
    Bool,
    /// `BIT(n)`, read as a number.
    Bits,
    Text,
    Bytes,
    Uuid,
    /// A time without a zone: wall clock.
    Wall,
    /// A time that is an instant whatever the zone.
    Instant,
    Date,
    /// Anything else; the engine renders it as text.
    Other,
    /// SQLite: each value brings its own class.
    Loose,
    /// Of any column, only whether it is NULL.
    Presence,
    /// Of any column, the start of its text, in which a JSON value is looked for.
    Document,
    /// The same of a column of bytes.
    DocumentBytes,
}

impl Kind {
    /// How a column of this kind is read for the JSON in it.
    pub fn document(self) -> Self {
        if self == Self::Bytes { Self::DocumentBytes } else { Self::Document }
    }

    pub fn is_document(self) -> bool {
        matches!(self, Self::Document | Self::DocumentBytes)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
    /// The type as the engine writes it, for messages and casts.
    pub declared: String,
    pub nullable: bool,
    /// The engine hands its values out (auto-increment, identity, serial).
    pub assigned: bool,
    /// The database computes it from other columns, and takes no value for it.
    pub generated: bool,
}

impl Column {
    /// The same for the JSON in it.
    pub fn document(&self) -> Self {
        Self { kind: self.kind.document(), ..self.clone() }
    }

    /// Whether one reading of the column serves the other: its start is not its value.
    pub fn reads_as(&self, other: &Self) -> bool {
        self.name == other.name && self.kind.is_document() == other.kind.is_document()
    }

    /// `char(n)` fills up with spaces, which most engines and modes leave out of what they give.
    pub fn is_padded(&self) -> bool {
        let declared = self.declared.to_ascii_lowercase();
        ["char(", "character(", "nchar(", "bpchar"].iter().any(|start| declared.starts_with(start))
    }

    /// A number, so that the question which unit a time has must be answered by a person.
    pub fn is_number(&self) -> bool {
        let declared = self.declared.to_ascii_lowercase();
        let starts = |words: &[&str]| words.iter().any(|word| declared.starts_with(word));
        match self.kind {
            Kind::Int => !declared.starts_with("year"),
            Kind::Decimal => true,
            Kind::Other => starts(&["float", "double", "real"]),
            Kind::Loose => declared.contains("int") || starts(&["real", "float", "double", "num", "dec"]),
            _ => false,
        }
    }

    /// A type whose values are never a point in time, however they are read.
    pub fn is_no_time(&self) -> bool {
        let declared = self.declared.to_ascii_lowercase();
        let base = declared.split('(').next().unwrap_or_default().trim();
        match self.kind {
            Kind::Bool | Kind::Bits | Kind::Bytes | Kind::Uuid => true,
            Kind::Int => base == "year",
            Kind::Other => {
                base.starts_with("time ")
                    || matches!(base, "time" | "interval" | "json" | "jsonb" | "money" | "oid" | "xml")
            }
            _ => false,
        }
    }

    /// Whether an id of this type can grow.
    pub fn can_grow(&self) -> bool {
        let declared = self.declared.to_ascii_lowercase();
        match self.kind {
            Kind::Int | Kind::Decimal => true,
            Kind::Loose => !["char", "clob", "text", "blob", "uuid", "guid", "binary", "date", "time", "bool"]
                .iter()
                .any(|word| declared.contains(word)),
            _ => false,
        }
    }
}

/// An index that equality and ranges can use: no partial, hash or hidden ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    pub name: String,
    pub unique: bool,
    /// In order, up to the first expression or prefix.
    pub columns: Vec<String>,
    /// Ends with the primary key even where it does not say so (InnoDB; SQLite's row id).
    pub carries_primary: bool,
    /// PostgreSQL: text columns whose values lie together when they begin alike, and why.
    pub alike: Vec<(String, Alike)>,
}

/// What keeps text that begins alike together in an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alike {
    /// Collation C, or operators made for patterns: the engine knows.
    Bytes,
    /// Another collation in the order of code points: the engine does not know.
    CodePoints,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    /// `MySQL`, `MariaDB`, `PostgreSQL`, `SQLite`.
    pub engine: String,
    pub version: String,
    pub columns: Vec<Column>,
    /// The primary key first.
    pub indexes: Vec<Index>,
    /// Columns of the primary key; empty: none.
    pub primary: Vec<String>,
    pub estimated_rows: Option<u64>,
}

impl Catalogue {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// One part of an index as the catalogue lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Column(String),
    /// The first characters of a column: it finds, but proves no uniqueness.
    Prefix(String),
    Expression,
}

/// Collects `(index, unique, part)` rows, which come in index order, into indexes. What is not a whole column ends what
/// the index is good for.
pub fn indexes(rows: Vec<(String, bool, Part)>, carries_primary: bool) -> Vec<Index> {
    let mut found: Vec<(Index, bool)> = Vec::new();
    for (name, unique, part) in rows {
        if found.last().is_none_or(|(last, _)| last.name != name) {
            found.push((Index { name, unique, columns: Vec::new(), carries_primary, alike: Vec::new() }, false));
        }
        let Some((index, ended)) = found.last_mut() else { continue };
        let whole = matches!(part, Part::Column(_));
        match part {
            Part::Column(column) | Part::Prefix(column) if !*ended => index.columns.push(column),
            _ => {}
        }
        if !whole {
            *ended = true;
            index.unique = false;
            index.carries_primary = false;
        }
    }
    found.into_iter().map(|(index, _)| index).filter(|index| !index.columns.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Part, indexes};

    #[test]
    fn a_prefix_and_an_expression_end_an_index_and_prove_nothing() {
        let row = |name: &str, part| (name.to_owned(), true, part);
        let column = |name: &str| Part::Column(name.to_owned());
        let found = indexes(
            vec![
                row("whole", column("a")),
                row("whole", column("b")),
                row("cut", column("a")),
                row("cut", Part::Prefix("b".into())),
                row("cut", column("c")),
                row("lower", Part::Expression),
            ],
            true,
        );
        let shown: Vec<_> = found.iter().map(|index| (&*index.name, index.unique, index.columns.join(","))).collect();
        assert_eq!(shown, [("whole", true, "a,b".to_owned()), ("cut", false, "a,b".to_owned())]);
    }
}
