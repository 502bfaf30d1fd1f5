//! What the run is to be.

use super::asked::asked;
use super::table::Engine;

pub struct Setting {
    pub rows: u64,
    pub engines: Vec<Engine>,
    pub pairs: usize,
}

impl Setting {
    pub fn from_environment() -> Self {
        let engines = asked("ENGINES", String::from("mariadb,postgres,sqlite"));
        Self {
            rows: asked("ROWS", 1_000_000),
            engines: engines.split(',').map(Engine::named).collect(),
            pairs: asked("PAIRS", 7),
        }
    }
}
