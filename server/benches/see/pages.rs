//! Pages over HTTP, signed in, as fast as people ask for them: at a fixed rate, whether or not earlier ones have come, and
//! each counted from when it was due. The asking shares the machine's processors with what is asked.

use super::console::{Console, ENCODINGS};
use super::measure::now;
use futures::stream::{FuturesUnordered, StreamExt};
use std::time::Duration;

/// More than that wait here until others have come, and are late by it.
const UNDER_WAY: usize = 256;

pub struct Load {
    /// Each from when it was due, sorted.
    times: Vec<Duration>,
    pub lasted: Duration,
    /// Of the server's processors.
    pub worked: Duration,
}

impl Load {
    pub fn per_second(&self) -> f64 {
        self.times.len() as f64 / self.lasted.as_secs_f64()
    }

    pub fn percent(&self, of_100: usize) -> Duration {
        self.times[self.times.len() * of_100 / 100]
    }

    pub fn work_of_each(&self) -> Duration {
        self.worked / u32::try_from(self.times.len()).expect("few")
    }
}

/// One page after the other of `paths`, so many a second.
pub async fn load(console: &Console, paths: &[String], rate: u32, seconds: u64) -> Load {
    let (began, worked) = (now(), console.worked());
    let every = Duration::from_secs(1) / rate;
    let all = u32::try_from(seconds).expect("few") * rate;
    let mut running = FuturesUnordered::new();
    let mut times = Vec::new();
    let mut sent = 0;
    while sent < all {
        let due = began + every * sent;
        tokio::select! {
            () = tokio::time::sleep_until(due.into()), if running.len() < UNDER_WAY => {
                let path = &paths[sent as usize % paths.len()];
                running.push(async move {
                    whole(console, path).await;
                    now() - due
                });
                sent += 1;
            }
            Some(took) = running.next() => times.push(took),
        }
    }
    while let Some(took) = running.next().await {
        times.push(took);
    }
    times.sort_unstable();
    Load { times, lasted: now() - began, worked: console.worked() - worked }
}

/// How many a second there are at most, so many always under way.
pub async fn most(console: &Console, paths: &[String], under_way: usize, lasts: Duration) -> f64 {
    let began = now();
    let each = async |at: usize| {
        let mut done = 0_usize;
        while now() - began < lasts {
            whole(console, &paths[(at + done) % paths.len()]).await;
            done += 1;
        }
        done
    };
    let done: usize = futures::future::join_all((0..under_way).map(each)).await.into_iter().sum();
    done as f64 / (now() - began).as_secs_f64()
}

/// To its last byte, compressed as a browser gets it.
async fn whole(console: &Console, path: &str) {
    let asked = console.ask(path).header("accept", "text/html").header("accept-encoding", ENCODINGS);
    let answer = asked.send().await.unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(answer.status().is_success(), "{path}: {}", answer.status());
    let body = answer.bytes().await.unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(body.len() > 1_000, "{path}: only {} bytes", body.len());
}
