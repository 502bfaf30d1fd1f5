use crate::auth::{AuthError, LinkState, MIN_CHARS, Opened, create_first_admin, look_at_link, sign_in_by_link};
use crate::http::page::bare;
use crate::http::problem::Problem;
use crate::http::visit::Visit;
use crate::http::{App, cookies};
use crate::ports::state::{LinkKind, StateError};
use app::pages::link::{self, Data, Failure, Link};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Form};
use serde::Deserialize;

/// Looking consumes nothing.
pub async fn show(State(app): State<App>, Extension(visit): Extension<Visit>, Path(secret): Path<String>) -> Response {
    page(&app, &visit, &secret, String::new(), None).await
}

/// Empty for a link that only signs in.
#[derive(Deserialize)]
pub struct Entry {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
}

pub async fn follow(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(secret): Path<String>,
    Form(entry): Form<Entry>,
) -> Response {
    let name = entry.name.trim().to_owned();
    let refused = match use_up(&app, &secret, &name, entry.password).await {
        Ok(opened) => {
            let mut response = Redirect::to("/").into_response();
            cookies::add(&mut response, &cookies::session(&app, &opened));
            return response;
        }
        Err(refused) => refused,
    };
    match refused {
        AuthError::BadName { .. } => page(&app, &visit, &secret, name, Some(Failure::BadName)).await,
        AuthError::ShortPassword { .. } | AuthError::LongPassword { .. } => {
            page(&app, &visit, &secret, name, Some(Failure::ShortPassword)).await
        }
        // Somebody was faster: the page says so.
        AuthError::LinkClosed | AuthError::State(StateError::Exists(_)) => {
            page(&app, &visit, &secret, name, None).await
        }
        other => Problem::from(other).into_response(),
    }
}

async fn use_up(app: &App, secret: &str, name: &str, password: String) -> Result<Opened, AuthError> {
    match look_at_link(&app.system, secret).await? {
        LinkState::Open(open) if open.kind == LinkKind::Setup => {
            create_first_admin(&app.system, &app.sign_in.passwords, secret, name, password).await
        }
        LinkState::Open(_) => sign_in_by_link(&app.system, secret).await,
        _ => Err(AuthError::LinkClosed),
    }
}

async fn page(app: &App, visit: &Visit, secret: &str, name: String, failed: Option<Failure>) -> Response {
    let state = match look_at_link(&app.system, secret).await {
        Ok(state) => state,
        Err(error) => return Problem::from(error).into_response(),
    };
    let action = format!("/link/{secret}");
    let (status, link) = match state {
        LinkState::Open(open) => match (open.kind, open.operator) {
            (LinkKind::SignIn, Some(operator)) => {
                (StatusCode::OK, Link::SignIn { action, expires_at: open.expires_at, operator })
            }
            (LinkKind::SignIn, None) => (StatusCode::NOT_FOUND, Link::Unknown),
            (LinkKind::Setup, _) => {
                let status = if failed.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
                (status, Link::Setup { action, expires_at: open.expires_at, min_password: MIN_CHARS, name, failed })
            }
        },
        LinkState::Used { at, operator } => (StatusCode::GONE, Link::Used { at, operator }),
        LinkState::Expired { at } | LinkState::SetUpAlready { at } => (StatusCode::GONE, Link::Expired { at }),
        LinkState::Unknown => (StatusCode::NOT_FOUND, Link::Unknown),
    };
    bare(visit, status, &Data { now: app.system.clock.now(), link }, link::title, link::view)
}
