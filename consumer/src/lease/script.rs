//! The three scripts, as files for clients in any language. Each compares the owner first and answers `{"ok"}`,
//! `{"gone"}` or `{"other", value}`.

use super::{LeaseError, Outcome};
use redis::aio::ConnectionLike;

/// The lock becomes `done:<ms>` for the duplicate window, or goes when the window is 0.
pub const COMPLETE: &str = include_str!("complete.lua");
pub const RELEASE: &str = include_str!("release.lua");
pub const EXTEND: &str = include_str!("extend.lua");

/// Runs one of them: `EVALSHA`, and after a `SCRIPT FLUSH` or a failover (`NOSCRIPT`) loads it and runs it again.
///
/// # Errors
/// What Redis answered, or an answer that is none of the three.
pub async fn run(
    redis: &mut impl ConnectionLike,
    script: &str,
    key: &str,
    owner: &str,
    argument: Option<u64>,
) -> Result<Outcome, LeaseError> {
    let script = redis::Script::new(script);
    let mut call = script.key(key);
    call.arg(owner);
    if let Some(argument) = argument {
        call.arg(argument);
    }
    let answer: Vec<Vec<u8>> = call.invoke_async(redis).await?;
    let mut words: Vec<String> = answer.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    match (words.first().map(String::as_str), words.len()) {
        (Some("ok"), 1) => Ok(Outcome::Ok),
        (Some("gone"), 1) => Ok(Outcome::Gone),
        (Some("other"), 2) => Ok(Outcome::Other { value: words.swap_remove(1) }),
        _ => Err(LeaseError::UnknownAnswer(words)),
    }
}
