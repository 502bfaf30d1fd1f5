//! Asking for a new password: hidden and twice at a terminal, else the first line of standard input.

use super::Failure;
use std::io::{self, IsTerminal};

pub(super) fn ask(name: &str) -> Result<String, Failure> {
    let unread = |error: io::Error| Failure::Failed(format!("the password cannot be read: {error}"));
    if !io::stdin().is_terminal() {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map_err(unread)?;
        return Ok(line.trim_end_matches(['\r', '\n']).to_owned());
    }
    let first = rpassword::prompt_password(format!("New password for {name}: ")).map_err(unread)?;
    let second = rpassword::prompt_password("Again: ").map_err(unread)?;
    if first == second {
        Ok(first)
    } else {
        Err(Failure::Usage("the two passwords differ; nothing was changed".to_owned()))
    }
}
