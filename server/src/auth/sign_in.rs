use super::{Attempts, AuthError, Opened, Passwords, Stay, open_session, parse_name};
use crate::clock::Clock;
use crate::system::System;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Signing in by name and password.
#[derive(Debug)]
pub struct SignIn {
    pub passwords: Passwords,
    attempts: Attempts,
}

#[derive(Debug, thiserror::Error)]
pub enum NotSignedIn {
    #[error("name or password is wrong; {tries_left} more tries")]
    Wrong { tries_left: u32 },
    #[error("too many tries; the next in {} s", wait.as_secs())]
    Wait { wait: Duration },
    #[error(transparent)]
    Auth(#[from] AuthError),
}

impl SignIn {
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { passwords: Passwords::default(), attempts: Attempts::new(clock) }
    }

    /// Refused tries go to the log with their address. What cannot be a name is not logged: it may be a password.
    pub async fn run(
        &self,
        system: &System,
        from: IpAddr,
        name: &str,
        password: String,
        stay: Stay,
    ) -> Result<Opened, NotSignedIn> {
        let name = parse_name(name).ok();
        let tries_left = self.attempts.count(from, name.as_deref()).map_err(|wait| {
            tracing::warn!(%from, operator = name, "sign-in refused: too many tries");
            NotSignedIn::Wait { wait }
        })?;
        let operator = match &name {
            Some(name) => system.state.operators.get(name).await.map_err(AuthError::from)?,
            None => None,
        };
        let stored = operator.as_ref().and_then(|operator| operator.password_hash.clone());
        let right = self.passwords.verify(password, stored).await?;
        let Some(operator) = operator.filter(|_| right) else {
            tracing::warn!(%from, operator = name, "sign-in refused: wrong name or password");
            return Err(NotSignedIn::Wrong { tries_left });
        };
        match open_session(system, &operator, stay).await {
            Err(AuthError::PasswordChanged { .. }) => Err(NotSignedIn::Wrong { tries_left }),
            opened => {
                let opened = opened?;
                self.attempts.succeeded(from, &operator.name);
                tracing::info!(%from, operator = operator.name, "signed in");
                Ok(opened)
            }
        }
    }
}
