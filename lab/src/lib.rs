//! Private services on free ports for tests, the demo, drills and benches.
//!
//! ```no_run
//! # async fn example() -> anyhow::Result<()> {
//! let points = lab::mariadb_database("points").await?; // fresh and empty, on a server shared by the whole run
//! let broker = lab::vhost("points").await?; // fresh and empty, on a RabbitMQ shared by the whole run
//! let locks = lab::redis().await?; // shared: use keys that no other test uses
//! let own = lab::services::redis::start().await?; // one to stop and to start again
//! # drop((points, broker, locks, own)); Ok(()) }
//! ```
//!
//! Under `lab run -- CMD` the shared services are those of the outer run, so that they start once for many test
//! programs. Otherwise each process starts what it asks for, when it first asks. Whatever way the process ends, its
//! services end too and their folders are removed ([`guard`]).

pub mod cases;
mod database;
mod environment;
pub mod generator;
pub mod guard;
mod http;
mod program;
mod proxy;
pub mod run;
pub mod services;
mod shared;
mod vhost;

pub use database::{Database, mariadb_database, postgres_database, sqlite_database};
pub use program::Program;
pub use proxy::Proxy;
pub use shared::{Redis, redis};
pub use vhost::{Vhost, vhost};
