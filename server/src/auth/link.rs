//! One-time links: the first admin, and `./dev up`, come in by one. Looking at a link consumes nothing (mail scanners and
//! previews look too); using it does, by compare-and-set, so that of many who try at once one gets in.

use super::{AuthError, Opened, Passwords, Stay, open_session, parse_name, secret};
use crate::ports::state::{LinkKind, OneTimeLink, Operator, StateError};
use crate::system::System;
use app::model::Role;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};

/// Long enough to walk to another machine, short enough for a log file that others read later.
const VALID_FOR: TimeDelta = TimeDelta::minutes(30);

pub struct NewLink {
    pub url: String,
    pub expires_at: DateTime<Utc>,
}

/// What a link's secret stands for just now.
pub enum LinkState {
    Open(OneTimeLink),
    Used {
        at: DateTime<Utc>,
        operator: Option<String>,
    },
    Expired {
        at: DateTime<Utc>,
    },
    /// A setup link, which ended when the first operator was made.
    SetUpAlready {
        at: DateTime<Utc>,
    },
    Unknown,
}

/// For creating the first admin.
pub async fn new_setup_link(system: &System) -> Result<NewLink, AuthError> {
    new_link(system, LinkKind::Setup, None).await
}

/// For signing an existing operator in.
pub async fn new_signin_link(system: &System, operator: &str) -> Result<NewLink, AuthError> {
    if system.state.operators.get(operator).await?.is_none() {
        return Err(AuthError::NoOperator { name: operator.to_owned() });
    }
    new_link(system, LinkKind::SignIn, Some(operator.to_owned())).await
}

async fn new_link(system: &System, kind: LinkKind, operator: Option<String>) -> Result<NewLink, AuthError> {
    let secret = secret::random();
    let expires_at = system.clock.now().trunc_subsecs(0) + VALID_FOR;
    let link = OneTimeLink { kind, operator, expires_at, used_at: None };
    system.state.links.add(&secret::hash(&secret), &link).await?;
    let base = match &system.config.server.public_url {
        Some(url) => url.as_str().trim_end_matches('/').to_owned(),
        None => format!("http://{}", system.config.server.listen),
    };
    Ok(NewLink { url: format!("{base}/link/{secret}"), expires_at })
}

pub async fn look_at_link(system: &System, secret: &str) -> Result<LinkState, StateError> {
    let Some(link) = system.state.links.get(&secret::hash(secret)).await? else { return Ok(LinkState::Unknown) };
    if let Some(at) = link.used_at {
        return Ok(LinkState::Used { at, operator: link.operator });
    }
    if link.expires_at <= system.clock.now() {
        return Ok(LinkState::Expired { at: link.expires_at });
    }
    if link.kind == LinkKind::Setup {
        let first = system.state.operators.list().await?.iter().map(|operator| operator.created_at).min();
        if let Some(at) = first {
            return Ok(LinkState::SetUpAlready { at });
        }
    }
    Ok(LinkState::Open(link))
}

/// Uses a setup link: the first admin exists and is signed in. A bad name or password leaves the link as it was.
pub async fn create_first_admin(
    system: &System,
    passwords: &Passwords,
    secret: &str,
    name: &str,
    password: String,
) -> Result<Opened, AuthError> {
    let name = parse_name(name)?;
    open_link(system, secret, LinkKind::Setup).await?;
    let password_hash = Some(passwords.hash(password).await?);
    let admin = Operator { name, role: Role::Admin, password_hash, created_at: system.clock.now() };
    if !system.state.operators.add_first(&admin, &secret::hash(secret)).await? {
        return Err(AuthError::LinkClosed);
    }
    tracing::info!(operator = admin.name, "the first admin was created by a one-time link");
    open_session(system, &admin, Stay::WhileUsed).await
}

/// Uses a sign-in link.
pub async fn sign_in_by_link(system: &System, secret: &str) -> Result<Opened, AuthError> {
    let name = open_link(system, secret, LinkKind::SignIn).await?.operator.ok_or(AuthError::LinkClosed)?;
    consume(system, secret).await?;
    let Some(operator) = system.state.operators.get(&name).await? else { return Err(AuthError::NoOperator { name }) };
    tracing::info!(operator = operator.name, "signed in by a one-time link");
    open_session(system, &operator, Stay::WhileUsed).await
}

async fn open_link(system: &System, secret: &str, kind: LinkKind) -> Result<OneTimeLink, AuthError> {
    match look_at_link(system, secret).await? {
        LinkState::Open(link) if link.kind == kind => Ok(link),
        _ => Err(AuthError::LinkClosed),
    }
}

async fn consume(system: &System, secret: &str) -> Result<(), AuthError> {
    if system.state.links.consume(&secret::hash(secret), system.clock.now()).await? {
        Ok(())
    } else {
        Err(AuthError::LinkClosed)
    }
}
