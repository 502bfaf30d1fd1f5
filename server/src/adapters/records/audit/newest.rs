//! The newest rows, as stored and as read.

use super::super::catalogue::{Column, Kind};
use super::super::piece::Piece;
use super::super::readings::Readings;
use super::super::rule::State;
use super::super::select::{Cells, Selection};
use super::super::shape::Shape;
use super::super::store::Store;
use super::super::walk;
use crate::config::TimeUnit;
use crate::ports::audit::{Sample, Sampled};
use app::model::Fault;

/// Most rows of one sample.
const ROWS: u32 = 200;

pub async fn newest(store: &Store, shape: &Shape, limit: u32) -> Result<Sample, Fault> {
    let limit = limit.clamp(1, ROWS);
    let selection = Selection::wide(shape);
    let in_order = shape.whole().is_some_and(|order| says_when(shape, &order.by[0]));
    let found = walk::newest(store, shape, &selection, limit as usize).await?;
    let rows: Vec<Sampled> = found.iter().filter_map(|cells| sampled(store, shape, &selection, cells)).collect();
    let key_columns = shape.key.iter().filter(varies);
    let key_columns = key_columns.map(|piece| piece.column().map(|column| column.name.clone())).collect();
    Ok(Sample { left_out: (found.len() - rows.len()) as u64, rows, key_columns, in_order, zone: zone(shape) })
}

/// A growing id or a time.
fn says_when(shape: &Shape, lead: &Column) -> bool {
    let mut times = shape.created.iter().chain(&shape.updated);
    shape.growing_id().is_some_and(|id| id.name == lead.name) || times.any(|time| time.column.name == lead.name)
}

fn sampled(store: &Store, shape: &Shape, selection: &Selection, cells: &Cells) -> Option<Sampled> {
    let record = store.row(shape, selection, cells)?.record;
    let column = match &shape.state {
        State::Codes(column, _) | State::Rules { otherwise: Some((column, _)), .. } => Some(column),
        State::Always(_) | State::Rules { otherwise: None, .. } => None,
    };
    let code = column.map(|column| selection.values(cells, std::slice::from_ref(column))[0].show(column.kind));
    // Counted already, when the record was made.
    let uncounted = Readings::default();
    let shown = |pieces: &[Piece]| -> Vec<Option<String>> {
        pieces.iter().filter(varies).map(|piece| selection.piece(cells, piece, &uncounted)).collect()
    };
    Some(Sampled { record, code, r#type: shown(&shape.r#type), key: shown(&shape.key) })
}

/// A constant is never missing and tells nothing apart.
fn varies(piece: &&Piece) -> bool {
    !matches!(piece, Piece::Constant(_))
}

/// Of the first time that has none of its own.
fn zone(shape: &Shape) -> Option<chrono_tz::Tz> {
    let zoneless = |time: &&super::super::time::Time| {
        matches!(time.reading.unit, TimeUnit::Datetime | TimeUnit::Text) && time.column.kind != Kind::Instant
    };
    shape.created.iter().chain(&shape.updated).find(zoneless).map(|time| time.reading.zone)
}
