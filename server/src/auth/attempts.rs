//! How often one may try to sign in. Tries are slowed down, accounts are never locked: otherwise whoever knows a name
//! could keep its owner out. That is also why a name allows far more than an address, and why an address from which its
//! owner has signed in is not held up by what others try elsewhere.

use crate::clock::Clock;
use governor::clock::Clock as Ticks;
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use std::collections::HashSet;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One address: this many at once, then one each [`ADDRESS_EVERY`].
const ADDRESS_BURST: NonZeroU32 = NonZeroU32::new(5).expect("not zero");
const ADDRESS_EVERY: Duration = Duration::from_secs(30);
/// One name, from all addresses together: slows a guess that comes from many places to some 14,000 tries a day.
const NAME_BURST: NonZeroU32 = NonZeroU32::new(30).expect("not zero");
const NAME_EVERY: Duration = Duration::from_secs(6);
/// Entries whose quota is full again are forgotten when there are more than this.
const REMEMBERED: usize = 10_000;

type Limiter<K> = RateLimiter<K, DefaultKeyedStateStore<K>, Monotonic, StateInformationMiddleware>;

#[derive(Debug, Clone)]
struct Monotonic(Arc<dyn Clock>);

impl Ticks for Monotonic {
    type Instant = Instant;

    fn now(&self) -> Instant {
        self.0.instant()
    }
}

#[derive(Debug)]
pub struct Attempts {
    clock: Monotonic,
    addresses: Limiter<IpAddr>,
    names: Limiter<String>,
    /// From where a name has signed in since this process started.
    known: Mutex<HashSet<(IpAddr, String)>>,
}

/// How many tries are left after this one; or how long to wait for the next.
pub(super) type Allowance = Result<u32, Duration>;

impl Attempts {
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let clock = Monotonic(clock);
        Self {
            addresses: limiter(quota(ADDRESS_BURST, ADDRESS_EVERY), &clock),
            names: limiter(quota(NAME_BURST, NAME_EVERY), &clock),
            known: Mutex::default(),
            clock,
        }
    }

    /// The password was right.
    pub(super) fn succeeded(&self, address: IpAddr, name: &str) {
        let mut known = self.known();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert((subnet(address), name.to_owned()));
    }

    fn known(&self) -> MutexGuard<'_, HashSet<(IpAddr, String)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one try. `name` is `None` for what can be no name: it counts for the address alone.
    pub(super) fn count(&self, address: IpAddr, name: Option<&str>) -> Allowance {
        let by_address = check(&self.addresses, &subnet(address), &self.clock)?;
        let Some(name) = name else { return Ok(by_address) };
        if self.known().contains(&(subnet(address), name.to_owned())) {
            return Ok(by_address);
        }
        let by_name = check(&self.names, &name.to_owned(), &self.clock)?;
        Ok(by_address.min(by_name))
    }
}

fn quota(burst: NonZeroU32, every: Duration) -> Quota {
    Quota::with_period(every).map_or_else(|| Quota::per_minute(burst), |quota| quota.allow_burst(burst))
}

fn limiter<K: std::hash::Hash + Eq + Clone>(quota: Quota, clock: &Monotonic) -> Limiter<K> {
    RateLimiter::new(quota, DefaultKeyedStateStore::default(), clock.clone())
}

fn check<K: std::hash::Hash + Eq + Clone>(limiter: &Limiter<K>, key: &K, clock: &Monotonic) -> Allowance {
    if limiter.len() > REMEMBERED {
        limiter.retain_recent();
    }
    match limiter.check_key(key) {
        Ok(state) => Ok(state.remaining_burst_capacity()),
        Err(refused) => Err(refused.wait_time_from(clock.now())),
    }
}

/// One customer has a whole /64 of IPv6: it counts as one address.
fn subnet(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::Attempts;
    use crate::clock::SystemClock;
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::Arc;

    #[test]
    fn whoever_tries_a_name_elsewhere_does_not_hold_up_its_owner() {
        let attempts = Attempts::new(Arc::new(SystemClock));
        let home = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
        attempts.succeeded(home, "lin.wei");
        for host in 0..30 {
            let elsewhere = IpAddr::V4(Ipv4Addr::new(10, 0, 1, host));
            attempts.count(elsewhere, Some("lin.wei")).expect("within the name's quota");
        }
        let another = IpAddr::V4(Ipv4Addr::new(10, 0, 2, 1));
        assert!(attempts.count(another, Some("lin.wei")).is_err(), "guesses from many places are slowed down");
        assert!(attempts.count(home, Some("lin.wei")).is_ok());
    }
}
