//! Idempotent message consumption.
