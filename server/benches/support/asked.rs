//! What a bench is told by its environment: how large the run is to be.

use std::fmt::Display;
use std::str::FromStr;

#[expect(clippy::disallowed_methods, reason = "a bench is told by its environment how large it is to be")]
pub fn asked<T: FromStr + Display>(name: &str, default: T) -> T {
    let Ok(text) = std::env::var(name) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{name}={text}: something like {default} is accepted"))
}
