//! The right to call one mutating port method. Only `action` can make one, so whoever holds it came through the audit.

/// Passed to mutating port methods; proves that the operation was begun in the audit.
#[derive(Debug)]
pub struct Permit {
    operation_id: String,
}

impl Permit {
    pub(super) fn new(operation_id: String) -> Self {
        Self { operation_id }
    }

    /// The stable id under which the audit knows this operation.
    #[must_use]
    pub fn operation_id(&self) -> &str {
        &self.operation_id
    }
}
