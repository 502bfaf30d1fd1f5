//! How a command ends: 0 done, 1 the answer is "no" or something failed, 2 usage or configuration.

use crate::auth::AuthError;
use crate::config::ConfigError;
use crate::ports::state::StateError;
use crate::system::SourceSystem;
use app::model::{Fault, Lang};
use std::io::{self, ErrorKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done,
    No,
}

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Failed(String),
    #[error("what was found cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    #[must_use]
    pub fn code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Usage(_) => 2,
            // `oncewatch records | head` has got what it wanted.
            Self::Output(error) if error.kind() == ErrorKind::BrokenPipe => 0,
            Self::Failed(_) | Self::Output(_) => 1,
        }
    }

    /// One line for each problem; only a configuration has several.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let text = self.to_string();
        match self {
            _ if self.code() == 0 => Vec::new(),
            Self::Config(_) => text.lines().map(str::to_owned).collect(),
            _ => vec![text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")],
        }
    }
}

impl Failure {
    /// What a source's store said, with the source's name.
    pub(super) fn of(source: &SourceSystem) -> impl Fn(Fault) -> Self + '_ {
        |fault| match Self::from(fault) {
            Self::Failed(text) => Self::Failed(format!("{}: {text}", source.config.name)),
            usage => usage,
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(format!("{error:#}"))
    }
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<AuthError> for Failure {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::BadName { .. } | AuthError::ShortPassword { .. } | AuthError::LongPassword { .. } => {
                Self::Usage(error.to_string())
            }
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::BadInput { .. } | Fault::BadSearch { .. } | Fault::BadRange { .. } | Fault::NoSource { .. } => {
                Self::Usage(app::words::fault(Lang::En, &fault))
            }
            other => Self::Failed(app::words::fault(Lang::En, &other)),
        }
    }
}
