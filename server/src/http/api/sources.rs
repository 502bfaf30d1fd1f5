use crate::http::App;
use crate::http::caller::Caller;
use app::model::SourceHead;
use axum::extract::State;
use axum::{Extension, Json};
use serde::Serialize;

#[derive(Serialize, utoipa::ToSchema)]
pub struct Sources {
    items: Vec<SourceHead>,
    /// Always `null`: there is one page.
    next: Option<String>,
}

/// The configured sources and the health of their layers; for a token of one source, that one.
#[utoipa::path(get, path = "/api/sources", tag = "sources", responses((status = 200, body = Sources)))]
pub async fn list(State(app): State<App>, Extension(caller): Extension<Caller>) -> Json<Sources> {
    let mut items = app.reads.sources().await;
    items.retain(|head| caller.source.as_ref().is_none_or(|only| *only == head.name));
    Json(Sources { items, next: None })
}
