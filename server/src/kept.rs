//! What is put together once a second for everybody who looks: of the same question one asks and the others wait for its
//! answer.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is shown changes with the collectors, and they take longer.
const GOOD_FOR: Duration = Duration::from_secs(1);
/// Beyond so many, those that nobody is looking at are forgotten.
const MOST: usize = 32;

type Place<V> = Arc<tokio::sync::Mutex<Option<(Instant, V)>>>;

pub struct Kept<K, V>(Mutex<HashMap<K, Place<V>>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    /// By the monotonic clock. What is to be made is begun only where nothing is kept.
    pub async fn get(&self, key: K, now: impl Fn() -> Instant, make: impl Future<Output = V>) -> V {
        let place = self.place(key);
        let mut place = place.lock().await;
        if let Some((_, kept)) = place.as_ref().filter(|(at, _)| now().saturating_duration_since(*at) < GOOD_FOR) {
            return kept.clone();
        }
        let made = make.await;
        *place = Some((now(), made.clone()));
        made
    }

    fn place(&self, key: K) -> Place<V> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= MOST && !places.contains_key(&key) {
            places.retain(|_, place| Arc::strong_count(place) > 1);
        }
        places.entry(key).or_default().clone()
    }
}
