//! Times, medians, and what the run is to be.

use super::table::Engine;
use std::time::{Duration, Instant};

pub struct Setting {
    pub rows: u64,
    pub engines: Vec<Engine>,
    pub pairs: usize,
}

impl Setting {
    #[expect(clippy::disallowed_methods, reason = "a bench is told by its environment how large it is to be")]
    pub fn from_environment() -> Self {
        let number = |name: &str, default: u64| {
            std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
        };
        let engines = std::env::var("ENGINES").unwrap_or_else(|_| "mariadb,postgres,sqlite".into());
        Self {
            rows: number("ROWS", 1_000_000),
            engines: engines.split(',').map(Engine::named).collect(),
            pairs: usize::try_from(number("PAIRS", 7)).expect("few"),
        }
    }
}

pub fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a bench reads the machine's clock")]
    Instant::now()
}

pub async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let began = now();
    let done = work.await;
    (done, now() - began)
}

pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

pub fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64().max(1e-9)
}
