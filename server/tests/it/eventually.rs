//! What comes to be in its own time is waited for as long as a slow machine may take.

use std::fmt::Debug;
use std::time::Duration;

const EVERY: Duration = Duration::from_millis(50);
const LONG_ENOUGH: u32 = 2_400;

/// What is read once it holds, asked for two minutes and more; a panic with what was read last.
pub async fn eventually<T: Debug>(mut read: impl AsyncFnMut() -> T, holds: impl Fn(&T) -> bool) -> T {
    for _ in 0..LONG_ENOUGH {
        let seen = read().await;
        if holds(&seen) {
            return seen;
        }
        tokio::time::sleep(EVERY).await;
    }
    panic!("never came to hold: {:#?}", read().await)
}
