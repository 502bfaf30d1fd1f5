//! Deletes a lock whose owner is still the one that was shown, compared and deleted in one script for each kind.

use crate::adapters::redis::connection::Connection;
use crate::config::LockKind;
use crate::ports::locks::Released;
use crate::ports::permit::Permit;
use ::redis::{ErrorKind, RedisResult};
use oncewatch_consumer::lease::{LeaseError, Outcome, script};

const REDISSON: &str = include_str!("redisson.lua");
const POWERTOOLS: &str = include_str!("powertools.lua");

pub(super) async fn run(
    connection: &mut Connection,
    _permit: &Permit,
    kind: LockKind,
    key: &str,
    owner: &str,
) -> RedisResult<Released> {
    let script = match kind {
        LockKind::String => script::RELEASE,
        LockKind::Redisson => REDISSON,
        LockKind::Powertools => POWERTOOLS,
        LockKind::Marker | LockKind::Counter => {
            return Err((ErrorKind::Client, "nobody owns a lock of this kind: it is never released").into());
        }
    };
    match script::run(connection, script, key, owner, None).await {
        Ok(Outcome::Ok) => Ok(Released::Yes),
        Ok(Outcome::Gone) => Ok(Released::Gone),
        Ok(Outcome::Other { value }) => Ok(Released::OwnerChanged { owner: value }),
        Err(LeaseError::Redis(error)) => Err(error),
        Err(error) => Err((ErrorKind::UnexpectedReturnType, "the script's answer", error.to_string()).into()),
    }
}
