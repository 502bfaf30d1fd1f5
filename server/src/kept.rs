//! What is put together once a second for everybody who looks: of the same question one asks, and the others take what was
//! answered a second before, or wait where nothing was.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is shown changes with the collectors, and they take longer.
const GOOD_FOR: Duration = Duration::from_secs(1);
/// While a newer one is put together.
const STILL_GOOD_FOR: Duration = Duration::from_secs(2);
/// Beyond so many, those that nobody is looking at are forgotten.
const MOST: usize = 32;

pub struct Kept<K, V>(Mutex<HashMap<K, Arc<Place<V>>>>);

struct Place<V> {
    kept: Mutex<Option<(Instant, V)>>,
    making: tokio::sync::Mutex<()>,
}

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<V: Clone> Place<V> {
    fn new() -> Self {
        Self { kept: Mutex::new(None), making: tokio::sync::Mutex::new(()) }
    }

    fn younger_than(&self, age: Duration, now: Instant) -> Option<V> {
        let kept = lock(&self.kept);
        kept.as_ref().filter(|(at, _)| now.saturating_duration_since(*at) < age).map(|(_, kept)| kept.clone())
    }
}

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    /// By the monotonic clock. What is to be made is begun only where nothing is kept.
    pub async fn get(&self, key: K, now: impl Fn() -> Instant, make: impl Future<Output = V>) -> V {
        let place = self.place(key);
        if let Some(kept) = place.younger_than(GOOD_FOR, now()) {
            return kept;
        }
        let _making = match place.making.try_lock() {
            Ok(making) => making,
            Err(_) => {
                if let Some(kept) = place.younger_than(STILL_GOOD_FOR, now()) {
                    return kept;
                }
                let making = place.making.lock().await;
                if let Some(kept) = place.younger_than(GOOD_FOR, now()) {
                    return kept;
                }
                making
            }
        };
        let made = make.await;
        *lock(&place.kept) = Some((now(), made.clone()));
        made
    }

    fn place(&self, key: K) -> Arc<Place<V>> {
        let mut places = lock(&self.0);
        if places.len() >= MOST && !places.contains_key(&key) {
            places.retain(|_, place| Arc::strong_count(place) > 1);
        }
        places.entry(key).or_insert_with(|| Arc::new(Place::new())).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::Kept;
    use std::cell::Cell;
    use std::time::{Duration, Instant};
    use tokio::sync::oneshot;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[tokio::test]
    async fn one_makes_and_the_others_take_what_was_there() {
        #[expect(clippy::disallowed_methods, reason = "any instant will do")]
        let began = Instant::now();
        let passed = Cell::new(Duration::ZERO);
        let now = || began + passed.get();
        let kept = Kept::default();
        let never = async { panic!("nothing is to be made") };
        assert_eq!(kept.get("page", now, async { 1 }).await, 1);
        passed.set(MS(999));
        assert_eq!(kept.get("page", now, never).await, 1);

        passed.set(MS(1_000));
        let (done, wait) = oneshot::channel::<()>();
        let slow = kept.get("page", now, async {
            wait.await.unwrap();
            2
        });
        let meanwhile = async {
            let taken = kept.get("page", now, async { 3 }).await;
            passed.set(MS(2_000));
            let (waited, ()) = tokio::join!(kept.get("page", now, async { 4 }), async { done.send(()).unwrap() });
            (taken, waited)
        };
        assert_eq!(tokio::join!(slow, meanwhile), (2, (1, 2)), "what is too old is waited for");
    }

    #[tokio::test]
    async fn what_nobody_looks_at_is_forgotten() {
        #[expect(clippy::disallowed_methods, reason = "any instant will do")]
        let began = Instant::now();
        let kept = Kept::default();
        for key in 0..100 {
            assert_eq!(kept.get(key, || began, async { key }).await, key);
        }
        assert!(super::lock(&kept.0).len() <= super::MOST);
    }
}
