//! The check that stands before every route of the table.

use super::caller::{self, By, Caller};
use super::problem::Problem;
use super::{App, visit};
use crate::ports::state::StateError;
use app::model::Role;
use axum::body::{Body, to_bytes};
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use subtle::ConstantTimeEq;
use url::form_urlencoded;

/// Who may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Without signing in.
    Public,
    Viewer,
    Operator,
    Admin,
}

impl Access {
    /// The role that a route needs; `None`: open to all.
    #[must_use]
    pub fn role(self) -> Option<Role> {
        match self {
            Self::Public => None,
            Self::Viewer => Some(Role::Viewer),
            Self::Operator => Some(Role::Operator),
            Self::Admin => Some(Role::Admin),
        }
    }
}

/// What a token that is for one source may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The address names the source, and it must be the token's.
    Path,
    /// The handler gives only what belongs to the token's source.
    Handler,
    /// It speaks of all sources: nothing for such a token.
    Everything,
}

/// What one route asks of whoever comes.
#[derive(Clone)]
pub(super) struct Gate {
    pub app: App,
    pub access: Access,
    pub scope: Scope,
    pub entry: Entry,
}

/// Which proofs a route takes, and how it turns the unknown away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// Session cookie only; the unknown are sent to the sign-in.
    Page,
    /// Token or session; the unknown get a problem document.
    Api,
}

pub(super) async fn check(
    State(gate): State<Gate>,
    params: RawPathParams,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(needed) = gate.access.role() else { return next.run(request).await };
    let caller = match gate.identify(request.headers()).await {
        Ok(Some(caller)) => caller,
        Ok(None) => return gate.turn_away(&request),
        Err(error) => return Problem::from(error).into_response(),
    };
    if caller.role < needed {
        return Problem::role(needed).into_response();
    }
    if let Err(refused) = within_scope(&gate, &caller, &params) {
        return refused.into_response();
    }
    if changes_something(request.method())
        && let By::Session { form_token } = &caller.by
    {
        request = match with_form_token(&gate, form_token, request).await {
            Ok(request) => request,
            Err(refused) => return refused.into_response(),
        };
    }
    request.extensions_mut().insert(caller);
    next.run(request).await
}

impl Gate {
    async fn identify(&self, headers: &HeaderMap) -> Result<Option<Caller>, StateError> {
        match self.entry {
            Entry::Api if headers.contains_key(header::AUTHORIZATION) => caller::by_token(&self.app, headers).await,
            Entry::Api | Entry::Page => caller::by_session(&self.app, headers).await,
        }
    }

    /// A page that was asked for is remembered, so that the sign-in leads back to it.
    fn turn_away(&self, request: &Request) -> Response {
        match self.entry {
            Entry::Api => Problem::unauthorized().into_response(),
            Entry::Page if changes_something(request.method()) => Redirect::to("/signin?over=1").into_response(),
            Entry::Page => {
                let asked = request.uri().path_and_query().map_or("/", |url| url.as_str());
                let next: String = form_urlencoded::byte_serialize(asked.as_bytes()).collect();
                let over = if request.headers().get(header::COOKIE).is_some_and(had_session) { "&over=1" } else { "" };
                Redirect::to(&format!("/signin?next={next}{over}")).into_response()
            }
        }
    }
}

fn had_session(cookies: &header::HeaderValue) -> bool {
    cookies.to_str().is_ok_and(|text| text.contains(super::cookies::SESSION))
}

/// A token for one source opens that source's routes, and those whose handler narrows what it gives.
fn within_scope(gate: &Gate, caller: &Caller, params: &RawPathParams) -> Result<(), Problem> {
    let Some(only) = &caller.source else { return Ok(()) };
    let allowed = match gate.scope {
        Scope::Path => params.iter().any(|(name, value)| name == "source" && value == only),
        Scope::Handler => true,
        Scope::Everything => false,
    };
    if allowed { Ok(()) } else { Err(Problem::scope(only)) }
}

pub(super) fn changes_something(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// In the form itself, or, for islands, in the header `x-form-token`.
async fn with_form_token(gate: &Gate, expected: &str, request: Request) -> Result<Request, Problem> {
    let right = |found: &str| bool::from(found.as_bytes().ct_eq(expected.as_bytes()));
    if let Some(found) = request.headers().get("x-form-token") {
        return if found.to_str().is_ok_and(right) { Ok(request) } else { Err(Problem::forged()) };
    }
    let form = visit::text(request.headers(), header::CONTENT_TYPE)
        .is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    if !form {
        return Err(Problem::forged());
    }
    let (parts, body) = request.into_parts();
    let limit = gate.app.system.config.limits.request_body;
    let bytes = to_bytes(body, limit).await.map_err(|_| Problem::of(StatusCode::PAYLOAD_TOO_LARGE))?;
    let found = form_urlencoded::parse(&bytes).find(|(name, _)| name == "form_token");
    if found.is_some_and(|(_, found)| right(&found)) {
        Ok(Request::from_parts(parts, Body::from(bytes)))
    } else {
        Err(Problem::forged())
    }
}
