//! Archived rows as JSON, for other places.

use crate::adapters::records::catalogue::Column;
use crate::adapters::records::change::image::{Keys, whole_columns};
use crate::adapters::records::dialect::name;
use crate::adapters::records::raw::Raw;
use crate::adapters::records::select::{Cells, Selection};
use crate::adapters::records::store::Store;
use app::model::{Fault, Pk};
use serde_json::{Map, Value};

/// One object for each row that is still there, with its columns in their order.
pub async fn whole(archive: &Store, rows: &[Pk]) -> Result<Vec<Value>, Fault> {
    let shape = archive.shape().await?;
    let Some(keys) = Keys::of(&shape, rows.iter()) else { return Ok(Vec::new()) };
    let columns = whole_columns(&shape);
    let selection = Selection::of(columns.iter());
    let mut select = selection.whole(&shape);
    select.cond_where(keys.padded().among(name));
    let found = archive.fetch(&selection.build(shape.dialect, &select)).await?;
    let object = |cells: &Cells| {
        let values = selection.values(cells, &columns).into_iter().zip(&columns);
        Value::Object(values.map(|(raw, column)| (column.name.clone(), value(&raw, column))).collect::<Map<_, _>>())
    };
    Ok(found.iter().map(object).collect())
}

/// Numbers as numbers where 64 bits hold them, bytes in lower-case hex, everything else as the database writes it.
fn value(raw: &Raw, column: &Column) -> Value {
    match raw {
        Raw::Int(number) => match (i64::try_from(*number), u64::try_from(*number)) {
            (Ok(signed), _) => signed.into(),
            (_, Ok(unsigned)) => unsigned.into(),
            _ => number.to_string().into(),
        },
        Raw::Real(number) => Value::from(*number),
        other => other.show(column.kind).into(),
    }
}
