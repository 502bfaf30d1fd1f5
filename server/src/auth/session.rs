use super::{AuthError, secret};
use crate::ports::state::{Operator, Session, StateError};
use crate::system::System;
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use std::time::Duration;
use uuid::Uuid;

/// Sessions end after this, however busy they are.
const LONGEST: TimeDelta = TimeDelta::hours(24);
/// "Stay signed in" lasts this long, used or not.
const LONGEST_KEPT: TimeDelta = TimeDelta::days(7);
/// A use that would move the end by less is not written: one write a minute, not one for each request.
const WORTH_WRITING: TimeDelta = TimeDelta::minutes(1);
const NOTED_WITHIN: Duration = Duration::from_millis(300);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stay {
    /// The cookie ends with the browser, the session after a while without use.
    WhileUsed,
    /// "Stay signed in for 7 days on this device".
    SevenDays,
}

/// A new session. The secret goes into the cookie and is nowhere else.
pub struct Opened {
    pub secret: String,
    pub session: Session,
    pub stay: Stay,
}

/// Fails with `PasswordChanged` when the operator's password is no longer the one that was read with `operator`.
pub async fn open_session(system: &System, operator: &Operator, stay: Stay) -> Result<Opened, AuthError> {
    let now = system.clock.now();
    let (ends_at, expires_at) = match stay {
        Stay::WhileUsed => (now + LONGEST, idle_end(system, now).min(now + LONGEST)),
        Stay::SevenDays => (now + LONGEST_KEPT, now + LONGEST_KEPT),
    };
    let session = Session {
        id: Uuid::now_v7().to_string(),
        operator: operator.name.clone(),
        role: operator.role,
        expires_at,
        ends_at,
    };
    let secret = secret::random();
    let password_hash = operator.password_hash.as_deref();
    if system.state.credentials.open_session(&secret::hash(&secret), &session, password_hash).await? {
        Ok(Opened { secret, session, stay })
    } else {
        Err(AuthError::PasswordChanged { name: operator.name.clone() })
    }
}

/// The live session of a cookie, marked as used.
pub async fn find_session(system: &System, cookie: &str) -> Result<Option<Session>, StateError> {
    let now = system.clock.now();
    let hash = secret::hash(cookie);
    let Some(mut session) = system.state.credentials.session(&hash, now).await? else { return Ok(None) };
    let used = idle_end(system, now).min(session.ends_at);
    if used - session.expires_at >= WORTH_WRITING {
        // Who can still read is neither signed out nor kept waiting because nothing can be written just now.
        match tokio::time::timeout(NOTED_WITHIN, system.state.credentials.extend_session(&hash, used)).await {
            Ok(Ok(())) => session.expires_at = used,
            Ok(Err(error)) => tracing::warn!(%error, "the use of a session was not noted"),
            Err(_) => tracing::warn!("the use of a session was not noted in time"),
        }
    }
    Ok(Some(session))
}

pub async fn close_session(system: &System, cookie: &str) -> Result<(), StateError> {
    system.state.credentials.close_session(&secret::hash(cookie)).await
}

/// What the forms of a session carry. Another site can neither read it nor make it without the cookie's secret.
#[must_use]
pub fn form_token(cookie: &str) -> String {
    hex::encode(Sha256::new().chain_update("oncewatch form token ").chain_update(cookie).finalize())
}

fn idle_end(system: &System, now: DateTime<Utc>) -> DateTime<Utc> {
    now + TimeDelta::from_std(system.config.limits.session_idle).unwrap_or(LONGEST)
}
