//! Logs go to standard error: standard output belongs to what a command prints.

use std::io::IsTerminal;
use tracing_subscriber::filter::{EnvFilter, ParseError};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Human,
    Json,
}

/// Starts logging for the process, once; `filter` as in `info,server::collect=debug`.
pub fn start(filter: &str, format: Format) -> Result<(), ParseError> {
    let filter = EnvFilter::builder().parse(filter)?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let started = match format {
        Format::Human => builder.compact().try_init(),
        Format::Json => builder.json().flatten_event(true).try_init(),
    };
    if started.is_err() {
        tracing::debug!("logging was started before");
    }
    Ok(())
}
