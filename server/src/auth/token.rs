use super::{AuthError, parse_name, secret};
use crate::ports::state::{StateError, Token};
use crate::system::{StateStores, System};
use app::model::Role;
use chrono::{DateTime, Utc};

/// Makes tokens recognisable to people and to secret scanners.
const PREFIX: &str = "ow_";

pub struct NewToken<'a> {
    pub name: &'a str,
    pub role: Role,
    /// Only this source.
    pub source: Option<&'a str>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Stores a token and returns its secret, which is shown once and cannot be had again.
pub async fn new_token(stores: &StateStores, now: DateTime<Utc>, new: NewToken<'_>) -> Result<String, AuthError> {
    let secret = format!("{PREFIX}{}", secret::random());
    let token = Token {
        name: parse_name(new.name)?,
        role: new.role,
        source: new.source.map(str::to_owned),
        created_at: now,
        expires_at: new.expires_at,
    };
    stores.credentials.add_token(&secret::hash(&secret), &token).await?;
    Ok(secret)
}

/// The live token of an `Authorization: Bearer` header.
pub async fn find_token(system: &System, bearer: &str) -> Result<Option<Token>, StateError> {
    if !bearer.starts_with(PREFIX) {
        return Ok(None);
    }
    system.state.credentials.token(&secret::hash(bearer), system.clock.now()).await
}
