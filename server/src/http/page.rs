//! How a page comes to be: data loaded through `Reads`, then the page's own `title` and `view` inside the frame.

use super::caller::Caller;
use super::problem::Problem;
use super::visit::Visit;
use super::{App, cookies, flash, render};
use crate::kept::Kept;
use app::context::PageContext;
use app::layout;
use app::model::{Fault, Lang, Role, Signs, Theme, Viewer};
use app::reads::Reads;
use app::ui::Zone;
use axum::Extension;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use leptos::prelude::{AnyView, IntoAny};
use leptos::tachys::html::InertElement;
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
        match loaded {
            Ok(data) => self.inside(source, |ctx| (title(ctx, &data), view(ctx, &data))).await,
            Err(fault) => Problem::from(fault).into_response(),
        }
    }

    /// The same for a page that is one for all of a role: it is put together once a second, and each gets it in a frame of
    /// their own. Who has just done something sees what is there now.
    pub async fn answer_all<D: Send + Sync + 'static>(
        self,
        source: String,
        load: impl Future<Output = Result<D, Fault>> + Send,
        title: fn(&PageContext, &D) -> String,
        view: fn(&PageContext, &D) -> AnyView,
    ) -> Response {
        if self.flash.is_some() {
            return self.answer(Some(source), load.await, title, view).await;
        }
        let app = self.app.clone();
        let key = (self.visit.url.clone(), self.visit.lang, self.caller.role);
        let put_together = async {
            let data = load.await?;
            let anybody = app.blanks.viewer(self.visit.lang, self.caller.role);
            let ctx = context(&app, anybody, &self.visit.url, Some(source.clone()), None).await;
            let ctx = PageContext { operation_id: app.blanks.operation_id.clone(), ..ctx };
            Ok(Arc::new(Shared { title: title(&ctx, &data), main: render::html(None, || view(&ctx, &data)) }))
        };
        match app.pages.get(key, || app.system.clock.instant(), put_together).await {
            Ok(shared) => {
                let main = |ctx: &PageContext| InertElement::new(app.blanks.filled(&shared.main, ctx)).into_any();
                self.inside(Some(source.clone()), |ctx| (shared.title.clone(), main(ctx))).await
            }
            Err(fault) => Problem::from(fault).into_response(),
        }
    }

    /// What stands in the frame: its title, and its view.
    async fn inside(self, source: Option<String>, shown: impl FnOnce(&PageContext) -> (String, AnyView)) -> Response {
        let Self { app, visit, caller, flash } = self;
        let viewer = Viewer {
            form_token: caller.form_token().to_owned(),
            name: caller.name,
            role: caller.role,
            lang: visit.lang,
            theme: visit.theme,
        };
        let flashed = flash.is_some();
        let ctx = context(&app, viewer, &visit.url, source, flash).await;
        let mut response = render::response(render::html(Some(&visit.nonce), || {
            let (title, view) = shown(&ctx);
            layout::document(&ctx, &title, view, app.leptos.clone()).into_any()
        }));
        if flashed {
            cookies::add(&mut response, &cookies::gone(&app, cookies::FLASH));
        }
        response
    }
}

/// The inside of a page that many look at.
pub(super) struct Shared {
    title: String,
    main: String,
}

pub(super) type SharedPages = Kept<(String, Lang, Role), Result<Arc<Shared>, Fault>>;

/// What stands in a shared page where each viewer's own goes. Nobody can guess it, so nobody's record can hold it.
pub(super) struct Blanks {
    form_token: String,
    operation_id: String,
}

impl Default for Blanks {
    fn default() -> Self {
        Self { form_token: Uuid::new_v4().to_string(), operation_id: Uuid::new_v4().to_string() }
    }
}

impl Blanks {
    fn viewer(&self, lang: Lang, role: Role) -> Viewer {
        Viewer { form_token: self.form_token.clone(), name: String::new(), role, lang, theme: Theme::System }
    }

    fn filled(&self, main: &str, ctx: &PageContext) -> String {
        main.replace(&self.form_token, &ctx.viewer.form_token).replace(&self.operation_id, &ctx.operation_id)
    }
}

/// The source's; else that of all sources, where they agree.
fn zone(app: &App, source: Option<&str>) -> Zone {
    let zones = &app.zones;
    let of = match source {
        Some(source) => zones.get(source),
        None => zones.values().next().filter(|first| zones.values().all(|other| other == *first)),
    };
    of.cloned().unwrap_or_else(Zone::utc)
}

async fn context(
    app: &App,
    viewer: Viewer,
    url: &str,
    source: Option<String>,
    flash: Option<app::model::Flash>,
) -> PageContext {
    let signs = match &source {
        // What the page itself could not load was said by then; the numbers beside the navigation may be missing.
        Some(source) => app.reads.signs(source).await.unwrap_or_default(),
        None => Signs::default(),
    };
    PageContext {
        viewer,
        sources: app.reads.sources().await,
        signs,
        now: app.system.clock.now(),
        zone: zone(app, source.as_deref()),
        source,
        url: url.to_owned(),
        operation_id: Uuid::now_v7().to_string(),
        flash,
    }
}

/// A page in the frame of sign-in, links and errors.
pub(super) fn bare<D>(
    visit: &Visit,
    status: StatusCode,
    data: &D,
    title: fn(Lang, &D) -> String,
    view: fn(Lang, &D) -> AnyView,
) -> Response {
    let (lang, theme) = (visit.lang, visit.theme);
    let page = || layout::bare(lang, theme, &title(lang, data), &visit.url, view(lang, data)).into_any();
    let mut response = render::response(render::html(Some(&visit.nonce), page));
    *response.status_mut() = status;
    response
}
