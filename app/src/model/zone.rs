use chrono::{DateTime, FixedOffset, Utc};

/// A time zone as pages need it: its name, and its offsets from UTC over the years that are shown. The server fills it
/// from the zone database, so that the browser's half does not carry one.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Zone {
    /// `Asia/Shanghai`.
    pub name: String,
    /// (Unix second from which it holds, seconds east of UTC), in growing order; the first holds for everything before too.
    pub offsets: Vec<(i64, i32)>,
}

impl Zone {
    #[must_use]
    pub fn utc() -> Self {
        Self { name: "UTC".into(), offsets: vec![(0, 0)] }
    }

    #[must_use]
    pub fn local(&self, at: DateTime<Utc>) -> DateTime<FixedOffset> {
        let seconds = self
            .offsets
            .iter()
            .rev()
            .find(|(from, _)| *from <= at.timestamp())
            .or(self.offsets.first())
            .map_or(0, |offset| offset.1);
        at.with_timezone(&FixedOffset::east_opt(seconds).unwrap_or_else(|| chrono::Offset::fix(&Utc)))
    }
}
