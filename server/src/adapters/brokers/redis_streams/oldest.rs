//! The oldest message that can still be delivered: of what is pending, what waits, and what lies in the dead letter.

use super::RedisStreams;
use super::entry::EntryId;
use crate::ports::brokers::Oldest;
use ::redis::{Pipeline, Value};
use app::model::Fault;
use chrono::DateTime;

impl RedisStreams {
    pub(super) async fn oldest_held(&self) -> Result<Oldest, Fault> {
        let overview = self.overview().await?;
        let mut pipeline = Pipeline::new();
        for group in &overview.groups {
            pipeline.cmd("XPENDING").arg(&group.stream).arg(&group.name).arg("-").arg("+").arg(1);
            let first = group.last_delivered.next().map_or("+".to_owned(), |first| first.to_string());
            pipeline.cmd("XRANGE").arg(&group.stream).arg(first).arg("+").arg("COUNT").arg(1);
        }
        if let Some(name) = &self.dead_letter {
            pipeline.cmd("XRANGE").arg(name).arg("-").arg("+").arg("COUNT").arg(1);
        }
        let mut oldest: Option<u64> = None;
        if !pipeline.is_empty() {
            let mut connection = self.redis.connection().await?;
            // Each answer has one line at most, which begins with the entry's id.
            let answers: Vec<Vec<Vec<Value>>> = self.redis.kept(pipeline.query_async(&mut connection).await).await?;
            for id in answers.into_iter().flatten().filter_map(|line| line.into_iter().next()) {
                let id: String = self.read(id)?;
                let ms = EntryId::parse(&id).map(EntryId::ms);
                let ms = ms.ok_or_else(|| self.unreadable(format!("{id:?} is no entry's id")))?;
                oldest = Some(oldest.map_or(ms, |oldest| oldest.min(ms)));
            }
        }
        Ok(match oldest {
            Some(ms) => {
                let since = i64::try_from(ms).ok().and_then(DateTime::from_timestamp_millis);
                since.map_or(Oldest::Unknown, Oldest::Since)
            }
            None if overview.is_whole() => Oldest::Nothing,
            None => Oldest::Unknown,
        })
    }
}
