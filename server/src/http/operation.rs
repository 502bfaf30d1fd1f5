use super::App;
use super::caller::{By, Caller};
use super::problem::Problem;
use crate::action::{self, Actor, Outcome, Refused, Request};
use crate::auth::AuthError;
use crate::ports::state::StateError;
use crate::telemetry::task;
use app::model::Fault;
use axum::http::StatusCode;
use std::net::IpAddr;

/// Runs an operation to its end, also when the browser goes away in the middle: a request's future is dropped then, and
/// the audit would hold an entry that was begun and never ended.
pub(super) async fn run(app: &App, request: Request) -> Result<Outcome, Refused> {
    let system = app.system.clone();
    let running = task::spawn(request.operation.name(), async move { action::run(&system, request).await });
    running.await.map_err(|error| StateError::Failed(format!("an operation ended early: {error}")))?
}

impl Caller {
    pub(super) fn actor(&self, from: IpAddr) -> Actor {
        let origin = match self.by {
            By::Session { .. } => format!("browser {from}"),
            By::Token => format!("token {from}"),
        };
        Actor { name: self.name.clone(), role: self.role, origin }
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        let (status, code, title) = match refused {
            Refused::Role { needed } => return Self::role(needed),
            Refused::NotAllowed(why) => return Self::not_allowed(why),
            Refused::Fault(fault) => return fault.into(),
            Refused::State(error) => return error.into(),
            Refused::Reason => (StatusCode::UNPROCESSABLE_ENTITY, "reason", "Every operation needs a reason"),
            Refused::Unfinished => {
                (StatusCode::CONFLICT, "unfinished", "This operation was begun before and has not ended")
            }
            Refused::NoPlan => (StatusCode::NOT_FOUND, "no_plan", "There is no such operation"),
            Refused::Over => (StatusCode::CONFLICT, "over", "It is not running"),
            Refused::NotOver => (StatusCode::CONFLICT, "not_over", "It has not ended yet: stop it first"),
            Refused::Expired => (StatusCode::CONFLICT, "expired", "The plan is too old: make a new one"),
            Refused::Phrase { phrase } => {
                let title = "This plan is confirmed by its phrase";
                return Self::new(StatusCode::UNPROCESSABLE_ENTITY, "phrase", title).detail(phrase);
            }
            Refused::IdTaken => (StatusCode::CONFLICT, "operation_id", "This operation id was used for something else"),
        };
        Self::new(status, code, title)
    }
}

impl From<AuthError> for Problem {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::State(error) => error.into(),
            AuthError::Hashing(words) => Self::internal(words),
            AuthError::LinkClosed => Self::of(StatusCode::GONE),
            refused @ (AuthError::BadName { .. }
            | AuthError::ShortPassword { .. }
            | AuthError::LongPassword { .. }
            | AuthError::PasswordChanged { .. }
            | AuthError::NoOperator { .. }) => {
                Fault::BadInput { what: "sign-in".into(), detail: refused.to_string() }.into()
            }
        }
    }
}
