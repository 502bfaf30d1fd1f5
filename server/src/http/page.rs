//! How a page comes to be: data loaded through `Reads`, then the page's own `title` and `view` inside the frame.

use super::caller::Caller;
use super::problem::Problem;
use super::visit::Visit;
use super::{App, cookies, flash};
use app::context::{PageContext, Signs};
use app::layout;
use app::model::{Fault, Lang, Overview, Viewer};
use app::reads::Reads;
use app::ui::Zone;
use axum::Extension;
use axum::body::Body;
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use leptos::nonce::Nonce;
use leptos::prelude::{AnyView, IntoAny, provide_context};
use std::sync::Arc;
use uuid::Uuid;

/// A request for a page by somebody who may see it.
pub(super) struct Page {
    app: App,
    visit: Visit,
    caller: Caller,
    flash: Option<app::model::Flash>,
}

impl FromRequestParts<App> for Page {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let extension = |_| Problem::internal("a page stands outside the table of routes");
        let Extension(visit) = Extension::from_request_parts(parts, app).await.map_err(extension)?;
        let Extension(caller) = Extension::from_request_parts(parts, app).await.map_err(extension)?;
        Ok(Self { app: app.clone(), visit, caller, flash: flash::read(&parts.headers) })
    }
}

impl Page {
    /// At the address that a refused form belongs to: that of the form itself is no page.
    pub fn at(mut self, url: String) -> Self {
        self.visit.url = url;
        self
    }

    pub fn reads(&self) -> &dyn Reads {
        &*self.app.reads
    }

    /// The page, or why there is none. `source`: the one that it is about.
    pub async fn answer<D: Send + Sync + 'static>(
        self,
        source: Option<String>,
        loaded: Result<D, Fault>,
        title: fn(&PageContext, &D) -> String,
        view: fn(&PageContext, &D) -> AnyView,
    ) -> Response {
        let data = match loaded {
            Ok(data) => data,
            Err(fault) => return Problem::from(fault).into_response(),
        };
        let (app, nonce, url, flashed) =
            (self.app.clone(), self.visit.nonce.clone(), self.visit.url.clone(), self.flash.is_some());
        let context = self.context(source).await;
        let options = app.leptos.clone();
        let shown = Arc::new((context, data));
        let mut response = render(nonce, &url, move || {
            let (context, data) = &*shown;
            layout::document(context, &title(context, data), view(context, data), options.clone()).into_any()
        })
        .await;
        if flashed {
            add_cookie(&mut response, &cookies::gone(&app, cookies::FLASH));
        }
        response
    }

    async fn context(self, source: Option<String>) -> PageContext {
        let signs = match &source {
            // What the page itself could not load was said by then; the numbers beside the navigation may be missing.
            Some(source) => {
                let (standing, pressing) =
                    tokio::join!(self.app.reads.standing(source), self.app.reads.pressing(source));
                let signs = standing.as_ref().map(|overview: &Overview| Signs::of(overview)).unwrap_or_default();
                Signs { runs: pressing.ok(), ..signs }
            }
            None => Signs::default(),
        };
        PageContext {
            viewer: Viewer {
                form_token: self.caller.form_token().to_owned(),
                name: self.caller.name,
                role: self.caller.role,
                lang: self.visit.lang,
                theme: self.visit.theme,
            },
            sources: self.app.reads.sources().await,
            signs,
            now: self.app.system.clock.now(),
            zone: source.as_ref().and_then(|source| self.app.zones.get(source).cloned()).unwrap_or_else(Zone::utc),
            source,
            url: self.visit.url,
            operation_id: Uuid::now_v7().to_string(),
            flash: self.flash,
        }
    }
}

/// A page in the frame of sign-in, links and errors.
pub(super) async fn bare<D: Send + Sync + 'static>(
    visit: &Visit,
    status: StatusCode,
    data: D,
    title: fn(Lang, &D) -> String,
    view: fn(Lang, &D) -> AnyView,
) -> Response {
    let (lang, theme, back) = (visit.lang, visit.theme, visit.url.clone());
    let data = Arc::new(data);
    let mut response = render(visit.nonce.clone(), &visit.url, move || {
        layout::bare(lang, theme, &title(lang, &data), &back, view(lang, &data)).into_any()
    })
    .await;
    *response.status_mut() = status;
    response
}

pub(super) fn add_cookie(response: &mut Response, cookie: &axum_extra::extract::cookie::Cookie<'_>) {
    if let Ok(value) = HeaderValue::from_str(&cookie.encoded().to_string()) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

async fn render(nonce: Nonce, url: &str, view: impl Fn() -> AnyView + Clone + Send + Sync + 'static) -> Response {
    let request = match Request::builder().uri(url).body(Body::empty()) {
        Ok(request) => request,
        Err(error) => return Problem::internal(format!("{url:?} is no address: {error}")).into_response(),
    };
    // Leptos makes a nonce of its own; this one is the one that the header names.
    let handler = leptos_axum::render_app_async_with_context(move || provide_context(nonce.clone()), view);
    handler(request).await
}
