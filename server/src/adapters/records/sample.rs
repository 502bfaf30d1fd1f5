//! A look at some rows, so that `check` can say that their values make no sense before anybody relies on them.

use super::catalogue::Kind;
use super::select::Selection;
use super::shape::Shape;
use super::store::Store;
use super::walk::newest;
use app::model::{Fault, Problem};

/// The newest rows of the table, or the first that it gives.
const ROWS: usize = 200;

/// What is wrong with the values that were read lately; when too few were, some are read now.
pub async fn problems(store: &Store, shape: &Shape) -> Vec<Problem> {
    let mut problems = Vec::new();
    if asks_for_sense(shape) && !store.readings.has_seen(ROWS as u64) {
        match look(store, shape).await {
            Ok(()) => {}
            // The catalogue was read, so the database is there; a view may well be slow.
            Err(fault) => problems.push(Problem::Fault { fault }),
        }
    }
    problems.extend(store.readings.problems());
    problems
}

/// Whether anything is read that may make no sense: a database keeps its own types of time in order.
fn asks_for_sense(shape: &Shape) -> bool {
    let mut times = shape.created.iter().chain(&shape.updated).chain(&shape.lease_until);
    let mut pieces = shape.key.iter().chain(&shape.r#type).chain(&shape.error);
    times.any(|time| !matches!(time.column.kind, Kind::Wall | Kind::Instant | Kind::Date))
        || pieces.any(|piece| piece.document().is_some())
}

async fn look(store: &Store, shape: &Shape) -> Result<(), Fault> {
    let selection = if shape.error.as_ref().is_some_and(|error| error.document().is_some()) {
        Selection::wide(shape)
    } else {
        Selection::light(shape)
    };
    for cells in newest(store, shape, &selection, ROWS).await? {
        store.row(shape, &selection, &cells);
    }
    Ok(())
}
