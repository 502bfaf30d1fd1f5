//! JSON for islands and scripts: one file for each noun, as in `pages`. Handlers ask `Reads` and answer what it gives;
//! errors are problem documents.

pub(super) mod archive;
pub(super) mod audit;
pub(super) mod brokers;
pub(super) mod events;
pub(super) mod ingest;
pub(super) mod locks;
pub(super) mod lookup;
pub mod openapi;
pub(super) mod operations;
pub(super) mod overview;
pub(super) mod record;
pub(super) mod records;
pub(super) mod settings;
pub(super) mod sources;

use super::problem::Problem;
use app::model::Fault;
use axum::Json;

type Answer<T> = Result<Json<T>, Problem>;

fn answer<T>(read: Result<T, Fault>) -> Answer<T> {
    Ok(Json(read?))
}
