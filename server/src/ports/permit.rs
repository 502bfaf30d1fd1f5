//! The right to call one mutating port method. The audit gives it out when an operation has begun, and `action` is the
//! only caller of the audit: whoever holds one came through both.

/// Passed to mutating port methods; proves that the operation was begun in the audit.
#[derive(Debug)]
pub struct Permit {
    operation_id: String,
}

impl Permit {
    /// Only for [`super::state::Audit::begin`]; the lint on disallowed methods keeps everybody else off.
    pub(crate) fn begun(operation_id: String) -> Self {
        Self { operation_id }
    }

    /// The stable id under which the audit knows this operation.
    #[must_use]
    pub fn operation_id(&self) -> &str {
        &self.operation_id
    }
}
