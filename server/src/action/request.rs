use crate::ports::state::StateError;
use app::model::{Fault, Role, WhyNot};
use serde::{Deserialize, Serialize};

/// Longer reasons are cut by nobody and read by nobody.
const LONGEST_REASON: usize = 1_000;
const LONGEST_ID: usize = 128;

/// One operation that somebody wants.
#[derive(Debug, Clone)]
pub struct Request {
    /// From the form, or chosen by the caller: the same id runs once.
    pub operation_id: String,
    pub source: String,
    pub operation: Operation,
    pub actor: Actor,
    pub reason: String,
}

/// Who wants it, for the check and for the audit.
#[derive(Debug, Clone)]
pub struct Actor {
    pub name: String,
    pub role: Role,
    /// `browser 10.0.0.7`, `token 10.0.0.7`, `cli root@host`.
    pub origin: String,
}

/// What is to be done, with the values that were shown when it was asked for. Serialised as the audit's target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case")]
pub enum Operation {
    ReleaseLock(Target),
}

/// A lock as it was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The full Redis key.
    pub key: String,
    pub owner: String,
    /// Of the record that it stands for.
    pub r#type: Option<String>,
    pub biz_key: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    Released,
    /// Somebody else holds it now; nothing was deleted.
    OwnerChanged {
        owner: String,
    },
    /// It was gone already.
    Gone,
}

#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("the role {needed:?} is needed")]
    Role { needed: Role },
    #[error("every operation needs a reason, of at most {LONGEST_REASON} characters, none of them a control character")]
    Reason,
    #[error("it is not allowed as things stand: {0:?}")]
    NotAllowed(WhyNot),
    /// There is no such plan.
    #[error("there is no plan of this id")]
    NoPlan,
    /// It has ended, or was not confirmed yet.
    #[error("it is not running")]
    Over,
    #[error("it has not ended yet")]
    NotOver,
    /// It was not confirmed in time.
    #[error("the plan is too old: make a new one")]
    Expired,
    #[error("type the phrase {phrase:?} to confirm")]
    Phrase { phrase: String },
    #[error("it was begun before under this id and has not ended; the audit shows it as unfinished")]
    Unfinished,
    #[error("this operation id was used for something else")]
    IdTaken,
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error(transparent)]
    State(#[from] StateError),
}

impl Request {
    /// What can be refused without reading anything.
    pub(super) fn checked(mut self) -> Result<Self, Refused> {
        let needed = self.operation.needs();
        if self.actor.role < needed {
            return Err(Refused::Role { needed });
        }
        self.reason = checked_reason(&self.reason)?;
        checked_id(&self.operation_id)?;
        Ok(self)
    }
}

/// Without the space around it.
pub(super) fn checked_reason(reason: &str) -> Result<String, Refused> {
    let reason = reason.trim();
    let unprintable = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if reason.is_empty() || reason.chars().count() > LONGEST_REASON || reason.chars().any(unprintable) {
        return Err(Refused::Reason);
    }
    Ok(reason.to_owned())
}

pub(super) fn checked_id(id: &str) -> Result<(), Refused> {
    if id.is_empty() || id.len() > LONGEST_ID || !id.chars().all(|c| c.is_ascii_graphic()) {
        let detail = format!("1 to {LONGEST_ID} letters, digits and signs are accepted");
        return Err(Fault::BadInput { what: "operation_id".into(), detail }.into());
    }
    Ok(())
}

/// Every operation on rows needs the role operator.
pub(super) fn needs(actor: &Actor) -> Result<(), Refused> {
    let needed = Role::Operator;
    if actor.role < needed { Err(Refused::Role { needed }) } else { Ok(()) }
}

impl Operation {
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ReleaseLock(_) => "release_lock",
        }
    }

    #[must_use]
    pub fn needs(&self) -> Role {
        match self {
            Self::ReleaseLock(_) => Role::Operator,
        }
    }
}

impl Outcome {
    /// As it stands in the audit.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Released => "released",
            Self::OwnerChanged { .. } => "owner_changed",
            Self::Gone => "gone",
        }
    }
}
