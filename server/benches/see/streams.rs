//! Open pages: their event streams, read as they come.

use super::console::Console;
use server::telemetry::http_client;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

/// Dropping it closes them.
pub struct Streams {
    tasks: JoinSet<()>,
    events: Arc<AtomicU64>,
}

impl Streams {
    /// So many, one after the other of these sources; each has told something when this returns.
    pub async fn open(console: &Console, sources: &[&str], count: usize) -> Self {
        let client = http_client(Duration::from_secs(5), Duration::from_secs(3_600)).expect("a client");
        let (mut tasks, events) = (JoinSet::new(), Arc::new(AtomicU64::new(0)));
        for source in sources.iter().cycle().take(count) {
            let address = format!("{}/api/events?source={source}", console.address);
            let asked = client.get(address).header("cookie", &console.cookie).header("accept", "text/event-stream");
            let mut answer = asked.send().await.expect("it answers");
            assert!(answer.status().is_success(), "a stream of {source}: {}", answer.status());
            let first = answer.chunk().await.expect("it goes on");
            assert!(first.is_some(), "a stream of {source} ended at once");
            let events = events.clone();
            tasks.spawn(async move {
                while let Some(chunk) = answer.chunk().await.expect("it goes on") {
                    events.fetch_add(told(&chunk), Ordering::Relaxed);
                }
                panic!("a stream ended");
            });
        }
        Self { tasks, events }
    }

    /// Events of all of them since they were opened, none of which has ended.
    pub fn told(&mut self) -> u64 {
        assert!(self.tasks.try_join_next().is_none(), "a stream has ended");
        self.events.load(Ordering::Relaxed)
    }
}

/// Events that end in a chunk. One that is cut in its last two bytes is not counted.
fn told(chunk: &[u8]) -> u64 {
    chunk.windows(2).filter(|pair| pair == b"\n\n").count() as u64
}
