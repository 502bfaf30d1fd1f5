//! One folder for each page, and in each the same four things in the same order: the query that stands in its URL,
//! `load` (asks [`crate::reads::Reads`], async, outside the view), `title`, and `view` (data in, HTML out).
//! The server's handler of the same name calls them in that order.

pub mod archive;
pub mod audit;
pub mod brokers;
pub mod fault;
pub mod link;
pub mod locks;
pub mod lookup;
pub mod operation;
pub mod operations;
pub mod overview;
pub mod records;
pub mod settings;
pub mod signin;
