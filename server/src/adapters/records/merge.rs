//! A list over several tables: each gives its part in its own order, and the newest of what they give comes first.

use super::cursor::{Cursor, MAX_TOKEN, Position, unreadable};
use super::dialect::Direction;
use super::list::Part;
use app::model::{Fault, RecordsPage, Row, Window};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far a list has come in one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum End {
    /// Before its newest row.
    Start,
    At(Position),
    /// After its oldest row.
    Finish,
}

/// The cursor of such a list. A table that it does not know appeared since: it is read from its start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ends {
    direction: Direction,
    tables: BTreeMap<String, End>,
}

impl Default for Ends {
    fn default() -> Self {
        Self { direction: Direction::Older, tables: BTreeMap::new() }
    }
}

impl Ends {
    pub fn parse(token: &str) -> Result<Self, Fault> {
        if token.len() > MAX_TOKEN {
            return Err(unreadable("it is too long"));
        }
        let json = URL_SAFE_NO_PAD.decode(token).map_err(|error| unreadable(&error.to_string()))?;
        serde_json::from_slice(&json).map_err(|error| unreadable(&error.to_string()))
    }

    fn token(&self) -> Result<String, serde_json::Error> {
        serde_json::to_vec(self).map(|json| URL_SAFE_NO_PAD.encode(json))
    }

    /// Where a table is read on; `None`: it has nothing more in this direction.
    pub fn of(&self, table: &str) -> Option<Cursor> {
        let at = |position| Some(Cursor { direction: self.direction, position });
        match (self.tables.get(table).unwrap_or(&End::Start), self.direction) {
            (End::At(position), _) => at(Some(position.clone())),
            (End::Start, Direction::Older) | (End::Finish, Direction::Newer) => at(None),
            (End::Finish, Direction::Older) | (End::Start, Direction::Newer) => None,
        }
    }

    fn before(&self, table: &str) -> End {
        self.tables.get(table).cloned().unwrap_or(End::Start)
    }
}

/// One table's part, and how many of its rows are on the page.
struct Taken {
    table: String,
    part: Part,
    count: usize,
}

/// One page of the parts, and the cursors of its neighbours.
pub fn merged(from: &Ends, parts: Vec<(String, Part)>, limit: u32) -> Result<RecordsPage, serde_json::Error> {
    let direction = from.direction;
    let mut tables: Vec<Taken> = parts.into_iter().map(|(table, part)| Taken { table, part, count: 0 }).collect();
    let mut items: Vec<Row> = Vec::new();
    while items.len() < limit.max(1) as usize {
        let Some(at) = nearest(&tables, direction) else { break };
        let table = &mut tables[at];
        items.push(table.part.items[table.count].1.clone());
        table.count += 1;
    }
    let ahead = Ends { direction, tables: ends(&tables, |table| table.ahead(from)) };
    let behind = Ends { direction: direction.turned(), tables: ends(&tables, |table| table.behind(direction)) };
    let ahead = if ahead.is_over(&tables) { None } else { Some(ahead.token()?) };
    let began = *from == Ends::default();
    let behind = if began { None } else { Some(behind.token()?) };
    let window = window(&tables);
    Ok(match direction {
        Direction::Older => RecordsPage { items, next: ahead, previous: behind, window },
        Direction::Newer => {
            items.reverse();
            RecordsPage { items, next: behind, previous: ahead, window }
        }
    })
}

/// The table whose next row comes first. Rows without a time come last.
fn nearest(tables: &[Taken], direction: Direction) -> Option<usize> {
    let next = tables.iter().enumerate().filter_map(|(at, table)| {
        let (_, row) = table.part.items.get(table.count)?;
        Some((row.record.created_at.or(row.record.updated_at), at))
    });
    match direction {
        Direction::Older => next.max().map(|(_, at)| at),
        Direction::Newer => next.min().map(|(_, at)| at),
    }
}

fn ends(tables: &[Taken], end: impl Fn(&Taken) -> End) -> BTreeMap<String, End> {
    // What is not named is at its start.
    let named = tables.iter().map(|table| (table.table.clone(), end(table)));
    named.filter(|(_, end)| *end != End::Start).collect()
}

/// How far all of them looked.
fn window(tables: &[Taken]) -> Window {
    tables.iter().filter_map(|table| table.part.so_far.as_ref()).fold(Window::All, |all, one| match (all, one) {
        (Window::Examined { rows, back_to }, Window::Examined { rows: more, back_to: other }) => {
            Window::Examined { rows: rows + more, back_to: back_to.max(*other) }
        }
        // Of a table without an identity there is no more to page to, but of others there may be.
        (Window::Examined { rows, back_to }, Window::OnePage { rows: more }) => {
            Window::Examined { rows: rows + more, back_to }
        }
        (Window::OnePage { rows: more }, Window::Examined { rows, back_to }) => {
            Window::Examined { rows: rows + more, back_to: *back_to }
        }
        (Window::OnePage { rows }, Window::OnePage { rows: more }) => Window::OnePage { rows: rows + more },
        (Window::All | Window::OpenSet, one) => one.clone(),
        (all, Window::All | Window::OpenSet) => all,
    })
}

impl Taken {
    fn position(&self, at: usize) -> Option<End> {
        let (position, _) = self.part.items.get(at)?;
        // Where nothing tells rows apart, there is no way back to one.
        Some(if position.by.is_empty() { End::Finish } else { End::At(position.clone()) })
    }

    /// Where the next page in this direction goes on.
    fn ahead(&self, from: &Ends) -> End {
        let over = match from.direction {
            Direction::Older => End::Finish,
            Direction::Newer => End::Start,
        };
        if self.count < self.part.items.len() {
            let last = self.count.checked_sub(1).and_then(|at| self.position(at));
            return last.unwrap_or_else(|| from.before(&self.table));
        }
        self.part.edge.clone().map_or(over, End::At)
    }

    /// Where the page before this one, in the other direction, begins: just past the row that is nearest to it.
    fn behind(&self, direction: Direction) -> End {
        self.position(0).unwrap_or(match direction {
            Direction::Older => End::Finish,
            Direction::Newer => End::Start,
        })
    }
}

impl Ends {
    fn is_over(&self, tables: &[Taken]) -> bool {
        tables.iter().all(|table| self.of(&table.table).is_none())
    }
}
