use super::{
    archive, audit, brokers, events, ingest, locks, lookup, operations, overview, record, records, settings, sources,
};
use crate::http::problem::ProblemDocument;
use crate::http::sheet;
use axum::Json;
use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};

#[derive(OpenApi)]
#[openapi(
    info(title = "Oncewatch", description = "What the console shows, as JSON and as CSV. Errors are RFC 9457 problem documents."),
    paths(
        sources::list,
        overview::read,
        records::list,
        record::read,
        lookup::read,
        locks::read,
        locks::release,
        brokers::read,
        operations::plan,
        operations::confirm,
        operations::list,
        operations::read,
        operations::items,
        operations::undo,
        operations::wish,
        settings::read,
        audit::list,
        audit::read,
        audit::check,
        archive::read,
        archive::plan,
        archive::begin,
        archive::wish,
        archive::find,
        archive::restore,
        sheet::audit::list,
        sheet::overview::read,
        sheet::records::list,
        sheet::lookup::read,
        sheet::locks::read,
        sheet::brokers::read,
        sheet::operations::items,
        sheet::settings::read,
        events::stream,
        ingest::take,
        read,
    ),
    components(schemas(ProblemDocument)),
    security(("token" = []), ("session" = [])),
    modifiers(&Entry)
)]
pub struct Document;

/// How callers prove who they are.
struct Entry;

impl utoipa::Modify for Entry {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_with(Default::default);
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("ow_…").build();
        components.add_security_scheme("token", SecurityScheme::Http(bearer));
        let cookie = ApiKeyValue::new(crate::http::cookies::SESSION);
        components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    }
}

/// This document.
#[utoipa::path(get, path = "/api/openapi.json", tag = "settings", responses((status = 200)))]
pub async fn read() -> Json<utoipa::openapi::OpenApi> {
    Json(Document::openapi())
}
