//! What the run is to be.

use super::asked::asked;

pub struct Setting {
    /// In the Redis that is searched; a third of them are locks and markers.
    pub keys: u64,
    /// Searches, each between two stretches without one.
    pub pairs: usize,
    /// Open records of all sources together.
    pub open: u64,
    pub streams: usize,
    /// Pages that are asked for each second, and for how many seconds.
    pub rate: u32,
    pub seconds: u64,
    /// That a tab is to take in.
    pub updates: u32,
    parts: String,
}

impl Setting {
    pub fn from_environment() -> Self {
        Self {
            keys: asked("KEYS", 1_000_000),
            pairs: asked("PAIRS", 3),
            open: asked("OPEN", 50_000),
            streams: asked("STREAMS", 200),
            rate: asked("RATE", 1_000),
            seconds: asked("SECONDS", 20),
            updates: asked("UPDATES", 3_600),
            parts: asked("PARTS", "keys,pages,memory,stale,tab".to_owned()),
        }
    }

    pub fn wants(&self, part: &str) -> bool {
        self.parts.split(',').any(|wanted| wanted == part)
    }

    pub fn size(&self) -> String {
        format!(
            "{} keys in Redis, {} open records in 5 sources, {} pages/s for {} s, {} event streams, {} updates of a tab",
            self.keys, self.open, self.rate, self.seconds, self.streams, self.updates
        )
    }
}
