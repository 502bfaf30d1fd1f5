//! One stretch of a table, judged by what was read of it. Under its lock each row is judged again.

use crate::ports::archive::{Examined, Ripe};
use crate::ports::records::{RecordStore, Stand};
use app::model::{ArchiveLeft, Fault, Pk};

/// What a stretch holds.
pub struct Walked {
    pub ripe: Vec<Pk>,
    pub left: ArchiveLeft,
    /// Where it ends; `None`: no row was met.
    pub last: Option<String>,
    /// There is nothing behind it that could be ripe.
    pub is_last: bool,
}

pub async fn walk(
    records: &dyn RecordStore,
    table: &str,
    examined: &Examined,
    ripe: Ripe,
    after: Option<&str>,
    limit: u32,
) -> Result<Walked, Fault> {
    let after = after.map(|place| Stand(place.to_owned()));
    let now = records.clock().await?;
    let swept = records.sweep(table, examined.course, after.as_ref(), limit).await?;
    let mut walked = Walked { ripe: Vec::new(), left: ArchiveLeft::default(), last: None, is_last: !swept.full };
    let mut all_young = !swept.rows.is_empty();
    for row in swept.rows {
        // Rows stand in the order of their creation, also where they were changed since.
        let since = row.record.created_at.or(row.record.updated_at);
        all_young &= since.is_some_and(|since| !ripe.is_old(since, now));
        match ripe.judge(&row.record, now) {
            Ok(()) => walked.ripe.push(row.reference.pk),
            Err(why) => why.count(&mut walked.left),
        }
    }
    walked.is_last |= examined.by_age && all_young;
    walked.last = swept.last.map(|stand| stand.0);
    Ok(walked)
}

/// The place was kept of another order, before the table was altered.
pub fn is_strange(fault: &Fault) -> bool {
    matches!(fault, Fault::BadInput { what, .. } if what == "cursor")
}
