use super::{Key, Lease, LeaseError, Leases, Outcome, Ttl, millis, script};
use redis::aio::ConnectionLike;
use std::time::Duration;

impl Leases {
    /// After the record is completed: for `window`, duplicates end at Redis. A window of zero leaves no marker.
    ///
    /// # Errors
    /// What Redis answered. The record is completed all the same: duplicates then end at the database.
    pub async fn complete(
        &self,
        redis: &mut impl ConnectionLike,
        lease: &Lease,
        window: Duration,
    ) -> Result<Outcome, LeaseError> {
        script::run(redis, script::COMPLETE, lease.key.as_str(), lease.owner.as_str(), Some(millis(window))).await
    }

    /// After a failure, so that a redelivery need not wait for the TTL.
    ///
    /// # Errors
    /// What Redis answered. The lock then ends with its TTL.
    pub async fn release(&self, redis: &mut impl ConnectionLike, lease: &Lease) -> Result<Outcome, LeaseError> {
        script::run(redis, script::RELEASE, lease.key.as_str(), lease.owner.as_str(), None).await
    }

    /// The lock lives for `ttl` from now.
    ///
    /// # Errors
    /// What Redis answered: whether the lock still holds is then not known.
    pub async fn extend(
        &self,
        redis: &mut impl ConnectionLike,
        lease: &Lease,
        ttl: Ttl,
    ) -> Result<Outcome, LeaseError> {
        script::run(redis, script::EXTEND, lease.key.as_str(), lease.owner.as_str(), Some(ttl.as_millis())).await
    }

    /// What is left of whatever the key holds. `None`: it is gone, or never ends.
    ///
    /// # Errors
    /// What Redis answered.
    pub async fn time_left(&self, redis: &mut impl ConnectionLike, key: &Key) -> Result<Option<Duration>, LeaseError> {
        let ms: i64 = redis::cmd("PTTL").arg(key.as_str()).query_async(redis).await?;
        Ok(u64::try_from(ms).ok().map(Duration::from_millis))
    }
}
