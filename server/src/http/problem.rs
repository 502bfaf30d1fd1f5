//! The one place where errors become answers: an RFC 9457 problem document for programs, the fault page for people.
//!
//! Handlers return a [`Problem`]; it travels in the response's extensions as far as [`super::spoken`], which knows the language
//! and the request's id. Whatever else answers with an error (axum's own refusals, for example) passes there too and
//! loses its words, so that nothing is said that was not written here.

use crate::ports::state::StateError;
use app::model::{Fault, Layer, Role, WhyNot};
use app::pages::fault;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

#[derive(Debug, Clone)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    title: &'static str,
    detail: Option<String>,
    // Boxed, so that a result that may be a problem stays small.
    fault: Option<Box<Fault>>,
    why: Option<Box<WhyNot>>,
    needed: Option<Role>,
    /// For the log alone.
    cause: Option<String>,
}

/// RFC 9457. `code` is stable; `title` and `detail` are for people.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProblemDocument {
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub status: u16,
    pub code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What is wrong with a system that Oncewatch reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// Why an operation is not allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<WhyNot>,
    /// Under which the server's log knows this request.
    pub request_id: String,
}

impl Problem {
    pub fn new(status: StatusCode, code: &'static str, title: &'static str) -> Self {
        Self { status, code, title, detail: None, fault: None, why: None, needed: None, cause: None }
    }

    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    pub fn not_found() -> Self {
        Self::of(StatusCode::NOT_FOUND)
    }

    pub fn internal(cause: impl Into<String>) -> Self {
        Self { cause: Some(cause.into()), ..Self::of(StatusCode::INTERNAL_SERVER_ERROR) }
    }

    pub fn unauthorized() -> Self {
        let needs = "send a session cookie, or a token as Authorization: Bearer ow_…";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", "Not signed in").detail(needs)
    }

    pub fn role(needed: Role) -> Self {
        let mut problem = Self::new(StatusCode::FORBIDDEN, "role", "The role does not allow this");
        problem.needed = Some(needed);
        problem.why = Some(Box::new(WhyNot::Role { needed }));
        problem
    }

    pub fn scope(only: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "scope", "The token does not allow this")
            .detail(format!("it is for source {only} only"))
    }

    pub fn forged() -> Self {
        let needs = "the form token of the session is missing or wrong; nothing was done";
        Self::new(StatusCode::FORBIDDEN, "forged", "The form did not come from Oncewatch").detail(needs)
    }

    pub fn not_allowed(why: WhyNot) -> Self {
        let mut problem =
            Self::new(StatusCode::CONFLICT, "not_allowed", "The operation is not allowed as things stand");
        problem.why = Some(Box::new(why));
        problem
    }

    /// For refusals that have nothing more to say than their status.
    pub fn of(status: StatusCode) -> Self {
        let (code, title) = match status {
            StatusCode::NOT_FOUND => ("not_found", "There is nothing here"),
            StatusCode::METHOD_NOT_ALLOWED => ("method_not_allowed", "This address does not take that method"),
            StatusCode::PAYLOAD_TOO_LARGE => ("too_large", "The request is too large"),
            StatusCode::MISDIRECTED_REQUEST => ("unknown_host", "This server does not answer under that host name"),
            StatusCode::GATEWAY_TIMEOUT => ("timed_out", "The request took too long and was given up"),
            StatusCode::TOO_MANY_REQUESTS => ("too_many", "Too many at the same time"),
            status if status.is_client_error() => ("bad_request", "The request cannot be read"),
            _ => ("internal", "Something broke inside Oncewatch"),
        };
        Self::new(status, code, title)
    }

    pub(super) fn status(&self) -> StatusCode {
        self.status
    }

    pub(super) fn document(&self, request_id: &str) -> ProblemDocument {
        ProblemDocument {
            kind: format!("urn:oncewatch:problem:{}", self.code),
            title: self.title.into(),
            status: self.status.as_u16(),
            code: self.code.into(),
            detail: self.detail.clone(),
            fault: self.fault.as_deref().cloned(),
            why: self.why.as_deref().cloned(),
            request_id: request_id.into(),
        }
    }

    pub(super) fn for_people(&self, request_id: &str) -> fault::Data {
        match (&self.fault, self.needed, self.status) {
            (Some(fault), _, _) => fault::Data::Fault(Fault::clone(fault)),
            (_, Some(needed), _) => fault::Data::Forbidden { needed },
            (_, _, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => fault::Data::NotFound,
            (_, _, StatusCode::PAYLOAD_TOO_LARGE) => fault::Data::TooLarge,
            (_, _, status) if status.is_client_error() => fault::Data::Fault(Fault::BadInput {
                what: self.title.into(),
                detail: self.detail.clone().unwrap_or_else(|| self.code.into()),
            }),
            _ => fault::Data::Fault(Fault::Internal { request_id: request_id.into() }),
        }
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        let (status, code, title) = match &fault {
            Fault::NoSource { .. } => (StatusCode::NOT_FOUND, "no_source", "There is no such source"),
            Fault::NotConfigured { .. } => (StatusCode::NOT_FOUND, "not_configured", "Not configured for this source"),
            Fault::BadInput { .. } => (StatusCode::BAD_REQUEST, "bad_input", "The request cannot be read"),
            Fault::BadSearch { .. } => (StatusCode::BAD_REQUEST, "bad_search", "The search cannot be read"),
            Fault::BadRange { .. } => (StatusCode::BAD_REQUEST, "bad_range", "The time cannot be read"),
            Fault::Internal { .. } => return Self::internal(fault.to_string()),
            _ => (
                StatusCode::SERVICE_UNAVAILABLE,
                "source_trouble",
                "A system that is read here does not answer as it should",
            ),
        };
        let mut problem = Self::new(status, code, title);
        // What the caller got wrong is said in words too: it is the caller who mends it.
        if let Fault::BadInput { .. } | Fault::BadSearch { .. } | Fault::BadRange { .. } = &fault {
            problem.detail = Some(fault.to_string());
        }
        Self { fault: Some(Box::new(fault)), ..problem }
    }
}

/// The state database's own words stay in the log: they may name files and hosts.
impl From<StateError> for Problem {
    fn from(error: StateError) -> Self {
        let mut problem =
            Self::new(StatusCode::SERVICE_UNAVAILABLE, "state", "Oncewatch's own database does not answer");
        problem.fault = Some(Box::new(Fault::Unreachable { layer: Layer::State, detail: "see the log".into() }));
        problem.cause = Some(error.to_string());
        problem
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Says in the log what the answer keeps to itself.
pub(super) fn log(response: &Response) {
    let Some(problem) = response.extensions().get::<Problem>() else { return };
    if let Some(cause) = &problem.cause {
        tracing::error!(status = problem.status.as_u16(), code = problem.code, cause, "a request failed");
    }
}
