//! The environment, read here and nowhere else in this crate.

use std::ffi::OsString;

/// Set by `lab run` for the programs it starts: the addresses of the run's shared services.
pub const MARIADB_URL: &str = "LAB_MARIADB_URL";
pub const POSTGRES_URL: &str = "LAB_POSTGRES_URL";
pub const REDIS_URL: &str = "LAB_REDIS_URL";
/// The management API.
pub const RABBITMQ_URL: &str = "LAB_RABBITMQ_URL";
pub const RABBITMQ_AMQP: &str = "LAB_RABBITMQ_AMQP";

#[expect(clippy::disallowed_methods, reason = "the one place of this crate that reads the environment")]
pub fn read(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

pub fn read_url(name: &str) -> anyhow::Result<Option<String>> {
    match read(name).map(OsString::into_string) {
        None => Ok(None),
        Some(Ok(url)) => Ok(Some(url)),
        Some(Err(raw)) => anyhow::bail!("{name} is {raw:?}, which is not UTF-8; unset it, or use `lab run`"),
    }
}
