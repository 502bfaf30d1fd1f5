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
}

impl Column {
    /// An integer type, so that the question which unit a time has must be answered by a person.
    pub fn is_integer(&self) -> bool {
        match self.kind {
            Kind::Int => true,
            Kind::Loose => self.declared.to_ascii_uppercase().contains("INT"),
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

/// Collects `(index, unique, column)` rows, which come in index order, into indexes.
/// A `None` column (an expression, a prefix) ends what the index is good for, and it proves no uniqueness.
pub fn indexes(rows: Vec<(String, bool, Option<String>)>, carries_primary: bool) -> Vec<Index> {
    let mut found: Vec<(Index, bool)> = Vec::new();
    for (name, unique, column) in rows {
        if found.last().is_none_or(|(last, _)| last.name != name) {
            found.push((Index { name, unique, columns: Vec::new(), carries_primary }, false));
        }
        let Some((index, ended)) = found.last_mut() else { continue };
        match column {
            Some(column) if !*ended => index.columns.push(column),
            Some(_) => {}
            None => {
                *ended = true;
                index.unique = false;
                index.carries_primary = false;
            }
        }
    }
    found.into_iter().map(|(index, _)| index).filter(|index| !index.columns.is_empty()).collect()
}
