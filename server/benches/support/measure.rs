//! Times and medians.

use std::time::{Duration, Instant};

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
