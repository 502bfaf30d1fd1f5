use super::App;
use crate::zone::local;
use app::model::{Fault, TimeRange, Wall};
use chrono::NaiveDateTime;
use chrono_tz::Tz;
use serde::Deserialize;

/// Which time is asked for.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Asking {
    /// `15m`, `1h`, `3h`, `6h`, `24h`, `7d`, `30d`, `90d` or `400d`, up to now; `3h` when absent.
    #[param(example = "24h")]
    range: Option<String>,
    /// Instead of `range`: `2026-11-29T09:15:00Z`; without an offset in the source's zone, also `2026-11-29`, `09:15` of
    /// today, and `-3h`. At most 400 days ago.
    #[param(example = "2026-11-29T09:15:00Z")]
    from: Option<String>,
    /// Likewise; now when absent.
    #[param(example = "now")]
    to: Option<String>,
}

impl Asking {
    pub fn read(&self, app: &App, source: &str) -> Result<TimeRange, Fault> {
        let zone = app.system.source(source).map_or(Tz::UTC, |source| source.config.timezone);
        let now = app.system.clock.now();
        let today = now.with_timezone(&zone).date_naive();
        let local = |wall: NaiveDateTime| local(wall, zone);
        let wall = Wall { now, today, local: &local };
        TimeRange::read(self.range.as_deref(), self.from.as_deref(), self.to.as_deref(), &wall)
    }
}
