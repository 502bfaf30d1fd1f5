//! Every route, with what it needs. The router is built from this table and from nothing else, each handler behind its
//! check, so that no route can be reached that is not listed here; a test walks the table and demands a refusal of each.

use super::access::{self, Access, Entry, Gate, Scope};
use super::around::around;
use super::problem::Problem;
use super::security::{known_host, same_site};
use super::{App, api, assets, pages, probe, sheet};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::routing::{self, MethodRouter};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;

pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub access: Access,
    pub scope: Scope,
    handler: MethodRouter<App>,
}

#[rustfmt::skip]
#[must_use]
pub fn table() -> Vec<Route> {
    use Access::{Operator, Public, Viewer};
    vec![
        get("/", Viewer, routing::get(pages::home::show)),
        get("/s/{source}/overview", Viewer, routing::get(pages::overview::show)),
        get("/s/{source}/records", Viewer, routing::get(pages::records::show)),
        get("/s/{source}/records/{ref}", Viewer, routing::get(pages::record::show)),
        get("/s/{source}/lookup", Viewer, routing::get(pages::lookup::show)),
        get("/s/{source}/locks", Viewer, routing::get(pages::locks::show)),
        post("/s/{source}/locks/release", Operator, routing::post(pages::locks::release)),
        get("/s/{source}/operations", Viewer, routing::get(pages::operations::list)),
        post("/s/{source}/operations", Operator, routing::post(pages::operations::plan)),
        get("/s/{source}/operations/{id}", Viewer, routing::get(pages::operations::show)),
        post("/s/{source}/operations/{id}/confirm", Operator, routing::post(pages::operations::confirm)),
        post("/s/{source}/operations/{id}/undo", Operator, routing::post(pages::operations::undo)),
        post("/s/{source}/operations/{id}/{wish}", Operator, routing::post(pages::operations::wish)),
        get("/s/{source}/brokers", Viewer, routing::get(pages::brokers::show)),
        get("/s/{source}/archive", Viewer, routing::get(pages::archive::show)),
        get("/s/{source}/archive/plan", Operator, routing::get(pages::archive::plan)),
        post("/s/{source}/archive/run", Operator, routing::post(pages::archive::begin)),
        get("/s/{source}/archive/restore", Operator, routing::get(pages::archive::find)),
        post("/s/{source}/archive/restore", Operator, routing::post(pages::archive::restore)),
        post("/s/{source}/archive/{wish}", Operator, routing::post(pages::archive::wish)),
        get("/audit", Viewer, routing::get(pages::audit::show)),
        get("/audit/{number}", Viewer, routing::get(pages::audit::entry)),
        post("/audit/check", Operator, routing::post(pages::audit::check)),
        get("/settings", Viewer, routing::get(pages::settings::show)),
        get("/signin", Public, routing::get(pages::signin::show)),
        post("/signin", Public, routing::post(pages::signin::enter)),
        post("/signout", Viewer, routing::post(pages::signin::leave)),
        get("/link/{secret}", Public, routing::get(pages::link::show)),
        post("/link/{secret}", Public, routing::post(pages::link::follow)),
        post("/preferences", Public, routing::post(pages::preferences::choose)),

        get("/api/sources", Viewer, routing::get(api::sources::list)).narrowed(),
        get("/api/sources/{source}/overview", Viewer, routing::get(api::overview::read)),
        get("/api/sources/{source}/records", Viewer, routing::get(api::records::list)),
        get("/api/sources/{source}/records/{ref}", Viewer, routing::get(api::record::read)),
        get("/api/sources/{source}/lookup", Viewer, routing::get(api::lookup::read)),
        get("/api/sources/{source}/locks", Viewer, routing::get(api::locks::read)),
        post("/api/sources/{source}/locks/release", Operator, routing::post(api::locks::release)),
        get("/api/sources/{source}/brokers", Viewer, routing::get(api::brokers::read)),
        get("/api/sources/{source}/operations", Viewer, routing::get(api::operations::list)),
        post("/api/sources/{source}/operations", Operator, routing::post(api::operations::plan)),
        get("/api/sources/{source}/operations/{id}", Viewer, routing::get(api::operations::read)),
        get("/api/sources/{source}/operations/{id}/items", Viewer, routing::get(api::operations::items)),
        get("/api/sources/{source}/operations/{id}/items.csv", Viewer, routing::get(sheet::operations::items)),
        post("/api/sources/{source}/operations/{id}/confirm", Operator, routing::post(api::operations::confirm)),
        post("/api/sources/{source}/operations/{id}/undo", Operator, routing::post(api::operations::undo)),
        post("/api/sources/{source}/operations/{id}/{wish}", Operator, routing::post(api::operations::wish)),
        get("/api/sources/{source}/archive", Viewer, routing::get(api::archive::read)),
        post("/api/sources/{source}/archive", Operator, routing::post(api::archive::begin)),
        get("/api/sources/{source}/archive/plan", Operator, routing::get(api::archive::plan)),
        get("/api/sources/{source}/archive/restore", Operator, routing::get(api::archive::find)),
        post("/api/sources/{source}/archive/restore", Operator, routing::post(api::archive::restore)),
        post("/api/sources/{source}/archive/{wish}", Operator, routing::post(api::archive::wish)),
        get("/api/audit", Viewer, routing::get(api::audit::list)).narrowed(),
        get("/api/audit/{number}", Viewer, routing::get(api::audit::read)).narrowed(),
        post("/api/audit/check", Operator, routing::post(api::audit::check)),
        get("/api/audit.csv", Viewer, routing::get(sheet::audit::list)).narrowed(),
        get("/api/settings", Viewer, routing::get(api::settings::read)),
        get("/api/sources/{source}/overview.csv", Viewer, routing::get(sheet::overview::read)),
        get("/api/sources/{source}/records.csv", Viewer, routing::get(sheet::records::list)),
        get("/api/sources/{source}/lookup.csv", Viewer, routing::get(sheet::lookup::read)),
        get("/api/sources/{source}/locks.csv", Viewer, routing::get(sheet::locks::read)),
        get("/api/sources/{source}/brokers.csv", Viewer, routing::get(sheet::brokers::read)),
        get("/api/settings.csv", Viewer, routing::get(sheet::settings::read)),
        get("/api/events", Viewer, routing::get(api::events::stream)).narrowed(),
        post("/api/ingest", Viewer, routing::post(api::ingest::take)).narrowed(),
        get("/api/openapi.json", Viewer, routing::get(api::openapi::read)).narrowed(),

        get("/pkg/oncewatch.js", Public, routing::get(assets::script)),
        get("/pkg/oncewatch.wasm", Public, routing::get(assets::wasm)),
        get("/pkg/oncewatch.css", Public, routing::get(assets::style)),
        get("/healthz", Public, routing::get(probe::healthz)),
        get("/readyz", Public, routing::get(probe::readyz)),
        get("/metrics", Viewer, routing::get(probe::metrics)),
    ]
}

fn get(path: &'static str, access: Access, handler: MethodRouter<App>) -> Route {
    Route::new(Method::GET, path, access, handler)
}

fn post(path: &'static str, access: Access, handler: MethodRouter<App>) -> Route {
    Route::new(Method::POST, path, access, handler)
}

impl Route {
    fn new(method: Method, path: &'static str, access: Access, handler: MethodRouter<App>) -> Self {
        let scope = if path.contains("{source}") { Scope::Path } else { Scope::Everything };
        Self { method, path, access, scope, handler }
    }

    fn narrowed(self) -> Self {
        Self { scope: Scope::Handler, ..self }
    }

    /// Tokens are for programs: they open no page.
    #[must_use]
    pub fn takes_tokens(&self) -> bool {
        self.path.starts_with("/api/") || self.path == "/metrics"
    }
}

/// The whole of what `serve` answers.
pub fn router(app: &App) -> Router {
    // Rendering spawns; that another router was made before in this process is no error.
    let _ = any_spawner::Executor::init_tokio();
    let checked = table().into_iter().fold(Router::new(), |router, route| {
        let entry = if route.takes_tokens() { Entry::Api } else { Entry::Page };
        let gate = Gate { app: app.clone(), access: route.access, scope: route.scope, entry };
        router.route(route.path, route.handler.route_layer(from_fn_with_state(gate, access::check)))
    });
    // From the inside out.
    checked
        .fallback(async || Problem::not_found())
        .method_not_allowed_fallback(async || Problem::of(StatusCode::METHOD_NOT_ALLOWED))
        .layer(from_fn_with_state(app.clone(), same_site))
        .layer(from_fn_with_state(app.clone(), known_host))
        .layer(DefaultBodyLimit::disable())
        .layer(RequestBodyLimitLayer::new(app.system.config.limits.request_body))
        .layer(from_fn_with_state(app.clone(), around))
        // A page is made for one visit: what compressing it better would save is less than the time it takes.
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .with_state(app.clone())
}
