use super::visit::text;
use super::{App, cookies};
use crate::auth::{find_session, find_token, form_token};
use crate::ports::state::StateError;
use app::model::Role;
use axum::http::{HeaderMap, header};

/// Who sent a request, proven by a session cookie or a token.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The operator's or the token's.
    pub name: String,
    pub role: Role,
    /// A token may be for one source only.
    pub source: Option<String>,
    pub by: By,
}

#[derive(Debug, Clone)]
pub enum By {
    /// A browser: it sends the cookie whoever asks it to, so that changing something needs the form token too.
    Session { form_token: String },
    /// A script: nobody else can make it send its token.
    Token,
}

impl Caller {
    pub(super) fn form_token(&self) -> &str {
        match &self.by {
            By::Session { form_token } => form_token,
            By::Token => "",
        }
    }
}

/// `Ok(None)`: nobody that is known. A token that is sent counts alone: a wrong one does not fall back on the cookie.
pub(super) async fn by_token(app: &App, headers: &HeaderMap) -> Result<Option<Caller>, StateError> {
    let sent = text(headers, header::AUTHORIZATION).and_then(|value| value.split_once(' '));
    let Some((_, bearer)) = sent.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")) else { return Ok(None) };
    let token = find_token(&app.system, bearer.trim()).await?;
    Ok(token.map(|token| Caller { name: token.name, role: token.role, source: token.source, by: By::Token }))
}

pub(super) async fn by_session(app: &App, headers: &HeaderMap) -> Result<Option<Caller>, StateError> {
    let Some(cookie) = cookies::value(headers, cookies::SESSION) else { return Ok(None) };
    let session = find_session(&app.system, &cookie).await?;
    let by = By::Session { form_token: form_token(&cookie) };
    Ok(session.map(|session| Caller { name: session.operator, role: session.role, source: None, by }))
}
