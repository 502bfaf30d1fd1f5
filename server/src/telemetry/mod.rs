//! What the console says about itself: logs, metrics, named tasks; and the one HTTP client.

mod http_client;
pub mod log;
pub mod metric;
pub mod task;

pub use http_client::{http_client, http_client_by, innermost, install_tls};
