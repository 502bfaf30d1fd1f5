//! Idempotent message consumption, for brokers that deliver at least once.
//!
//! What is here so far is the first layer: [`lease`], the lock and done marker in Redis that stops two workers inside
//! the concurrency window and answers duplicates of finished work without the database. It is never the last line: a
//! lock can expire under its holder and Redis can lose it, so the record table's unique index stays behind it.

pub mod lease;
