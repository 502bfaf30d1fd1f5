//! One stretch of a table, judged by what was read of it. Under its lock each row is judged again.

use crate::ports::archive::{Examined, Ripe};
use crate::ports::records::{RecordStore, Stand};
use app::model::{ArchiveLeft, Fault, Pk};

/// A table that is walked.
pub struct Walk<'a> {
    pub records: &'a dyn RecordStore,
    pub table: &'a str,
    pub examined: &'a Examined,
    pub ripe: Ripe,
    /// Rows that are read at once.
    pub stretch: u32,
}

/// What a stretch holds.
pub struct Walked {
    pub ripe: Vec<Pk>,
    pub left: ArchiveLeft,
    /// Where it ends; `None`: no row was met.
    pub last: Option<String>,
    /// There is nothing behind it that could be ripe.
    pub is_last: bool,
}

impl Walk<'_> {
    /// The stretch behind a place; `None`: at the beginning.
    pub async fn next(&self, after: Option<&str>) -> Result<Walked, Fault> {
        let after = after.map(|place| Stand(place.to_owned()));
        let now = self.records.clock().await?;
        let swept = self.records.sweep(self.table, self.examined.course, after.as_ref(), self.stretch).await?;
        let mut walked = Walked { ripe: Vec::new(), left: ArchiveLeft::default(), last: None, is_last: !swept.full };
        let mut all_young = !swept.rows.is_empty();
        for row in swept.rows {
            // Rows stand in the order of their creation, also where they were changed since.
            let since = row.record.created_at.or(row.record.updated_at);
            all_young &= since.is_some_and(|since| !self.ripe.is_old(since, now));
            match self.ripe.judge(&row.record, now) {
                Ok(()) => walked.ripe.push(row.reference.pk),
                Err(why) => why.count(&mut walked.left),
            }
        }
        walked.is_last |= self.examined.by_age && all_young;
        walked.last = swept.last.map(|stand| stand.0);
        Ok(walked)
    }

    /// The same behind a place that was kept of another day. `None`: begin at the beginning. The place belongs to another
    /// order, from before the table was altered, or nothing is behind it any more, as where the table was emptied and its
    /// ids began anew.
    pub async fn resume(&self, kept: &str) -> Result<Option<Walked>, Fault> {
        match self.next(Some(kept)).await {
            Err(Fault::BadInput { what, .. }) if what == "cursor" => Ok(None),
            Ok(walked) if walked.last.is_none() => Ok(None),
            walked => walked.map(Some),
        }
    }
}
