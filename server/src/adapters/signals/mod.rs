//! Where consumers leave what they report.

mod field;
pub mod redis;
