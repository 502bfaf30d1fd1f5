//! Which locks are wrong, who holds them, does the TTL fit?

mod filter;
mod fit;
mod release;
mod rows;

pub(crate) use release::{Release, release_form, release_refused};

use crate::context::PageContext;
use crate::model::{Count, Fault, Freshness, Lang, Layer, LockState, LocksFilter, LocksPanel, LocksQuery, Panel};
use crate::reads::Reads;
use crate::ui::{
    Explained, Icon, State, Tone, classed, encoded, explain, fresh, lock_look, note, unreachable, waiting,
};
use crate::words::{self, explain as about, lock as word, measure};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    pub source: String,
    pub query: LocksQuery,
    /// `None`: the source has no locks configured. Its rows are those that were asked for.
    pub panel: Option<Panel<LocksPanel>>,
}

pub async fn load(reads: &dyn Reads, source: &str, query: LocksQuery) -> Result<Data, Fault> {
    Ok(Data { source: source.to_owned(), panel: reads.lock_list(source, &query).await?, query })
}

/// The page with this filter.
fn address(source: &str, filter: &LocksFilter) -> String {
    let query = query(filter);
    let between = if query.is_empty() { "" } else { "?" };
    format!("/s/{source}/locks{between}{query}")
}

/// What of the page is a table, as CSV.
fn csv(data: &Data, table: &str) -> String {
    let query = query(&data.query.filter);
    let between = if query.is_empty() { "" } else { "&" };
    format!("/api/sources/{}/locks.csv?table={table}{between}{query}", data.source)
}

fn query(filter: &LocksFilter) -> String {
    let parts = [
        filter.state.map(|state| format!("state={}", state.as_str())),
        filter.r#type.as_ref().map(|of| format!("type={}", encoded(of))),
        filter.text.as_ref().map(|text| format!("q={}", encoded(text))),
    ];
    parts.into_iter().flatten().collect::<Vec<String>>().join("&")
}

#[must_use]
pub fn title(ctx: &PageContext, _: &Data) -> String {
    word::locks(ctx.viewer.lang).into()
}

#[must_use]
pub fn view(ctx: &PageContext, data: &Data) -> AnyView {
    let lang = ctx.viewer.lang;
    let store = data.panel.as_ref().and_then(|panel| panel.body.as_ref()).map(|body| {
        view! { <p class="page__sub break">{word::store(lang, &body.store, &body.pattern)}</p> }
    });
    let age = data.panel.as_ref().map(|panel| view! { <div class="row">{fresh(&ctx.clock(), panel)}</div> });
    let body = match &data.panel {
        None => {
            let state =
                State::new(Tone::Mute, Icon::Info, word::not_configured(lang)).line(word::not_configured_why(lang));
            view! { <section class="panel">{state.view()}</section> }.into_any()
        }
        Some(panel) => seen(ctx, data, panel),
    };
    view! {
        <header class="page__head"><h1>{word::locks(lang)}</h1>{store}{age}</header>
        {body}
    }
    .into_any()
}

fn seen(ctx: &PageContext, data: &Data, panel: &Panel<LocksPanel>) -> AnyView {
    let lang = ctx.viewer.lang;
    match (&panel.trouble, &panel.body) {
        (Some(trouble), _) => {
            // Locks are judged with their records: it may be the database that is away.
            let layer = trouble.fault.layer().unwrap_or(Layer::Lock);
            let state = unreachable(&ctx.clock(), layer, trouble).view();
            view! { {tiles(ctx, data, panel, None)}<section class="panel">{state}</section> }.into_any()
        }
        (None, None) => {
            let state = waiting(lang, Layer::Lock).view();
            view! { {tiles(ctx, data, panel, None)}<section class="panel">{state}</section> }.into_any()
        }
        (None, Some(body)) => {
            let shared = body.shared_owner.as_ref().map(|owner| {
                note(
                    Tone::Crit,
                    Icon::Crit,
                    word::shared_title(lang, crate::ui::cut(owner, 64)),
                    word::shared_why(lang),
                )
            });
            let ownerless = matches!(body.kind.as_str(), "marker" | "counter")
                .then(|| note(Tone::Busy, Icon::Info, word::ownerless_title(lang), word::ownerless_why(lang)));
            let problems = body
                .problems
                .iter()
                .map(|fault| note(Tone::Warn, Icon::Warn, word::problem_title(lang), words::fault(lang, fault)));
            view! {
                {tiles(ctx, data, panel, Some(body))}
                {problems.collect_view()}
                {shared}
                {ownerless}
                {scan(ctx, body)}
                {filter::view(ctx, data, body)}
                {rows::view(ctx, data, panel, body)}
                {fit::view(ctx, data, body)}
            }
            .into_any()
        }
    }
}

/// Until the first search of the key space has ended, what has no record may be missing.
fn scan(ctx: &PageContext, body: &LocksPanel) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    if let Some(took) = body.scan_slow_ms {
        let title = word::slow_title(lang, measure::limit(lang, took));
        return Some(note(Tone::Warn, Icon::Clock, title, word::slow_why(lang)));
    }
    let pass = body.scan.as_ref().filter(|pass| pass.complete_as_of.is_none())?;
    let title = match pass.estimated {
        Some(all) if all > 0 => word::scan_title(lang, pass.walked.saturating_mul(100) / all),
        _ => word::scan_unknown(lang).into(),
    };
    Some(note(Tone::Busy, Icon::Scan, title, word::scan_why(lang, measure::grouped(pass.walked))))
}

type Word = fn(Lang) -> &'static str;

/// One figure: its name, the line below it, what it is, and how it is worked out.
type Tile = (LockState, [Word; 4]);

const TILES: [Tile; 5] = [
    (LockState::Eternal, [word::tile_eternal, word::sub_eternal, about::eternal, about::eternal_how]),
    (
        LockState::Unprotected,
        [word::tile_unprotected, word::sub_unprotected, about::unprotected, about::unprotected_how],
    ),
    (LockState::Orphan, [word::tile_orphan, word::sub_orphan, about::orphan, about::orphan_how]),
    (LockState::Expiring, [word::tile_expiring, word::sub_expiring, about::expiring, about::expiring_how]),
    (LockState::Held, [word::tile_held, word::sub_held, about::locks_held, about::locks_held_how]),
];

/// What no figure of locks can see.
pub(crate) fn blind(lang: Lang, configured: bool) -> Vec<&'static str> {
    vec![if configured { about::locks_blind(lang) } else { about::no_locks_here(lang) }]
}

fn tiles(ctx: &PageContext, data: &Data, panel: &Panel<LocksPanel>, body: Option<&LocksPanel>) -> AnyView {
    let lang = ctx.viewer.lang;
    let tiles = TILES.map(|(state, [name, sub, what, how])| {
        let explained = Explained {
            id: state.as_str(),
            figure: name(lang),
            what: what(lang),
            how: how(lang).into(),
            blind: blind(lang, true),
        };
        let face = match body.and_then(|body| body.count(state)) {
            Some(count) => figure(ctx, data, panel, state, [name(lang), sub(lang)], count),
            None => missing(ctx, panel, name(lang)),
        };
        view! { <div class="tilebox">{face}{explain(lang, explained)}</div> }
    });
    view! { <section class="tiles tiles--5" aria-label=word::by_state(lang)>{tiles.collect_view()}</section> }
        .into_any()
}

fn figure(
    ctx: &PageContext,
    data: &Data,
    panel: &Panel<LocksPanel>,
    state: LockState,
    [name, sub]: [&'static str; 2],
    count: Count,
) -> AnyView {
    let lang = ctx.viewer.lang;
    let stale = panel.freshness(ctx.now) == Freshness::Stale;
    let (tone, shape) = lock_look(state);
    // A state that is fine, or that nothing is in, lights nothing.
    let lit = count.value > 0 && matches!(tone, Tone::Crit | Tone::Warn) && !stale;
    let tile = if lit { tone.class("tile") } else { "tile".into() };
    let mark = if count.value > 0 { tone.word() } else { "mute" };
    let value = if stale { "tile__value t3" } else { "tile__value" };
    // Only what is counted leads to its rows; the other filters stay behind.
    let href = address(&data.source, &LocksFilter { state: Some(state), ..LocksFilter::default() });
    view! {
        <a class=tile href=href>
            <span class="tile__name">{classed(shape, &format!("icon {mark}"))}{name}</span>
            <span class=value>{words::count(lang, count)}</span>
            <span class="tile__sub">{sub}</span>
        </a>
    }
    .into_any()
}

/// A figure that nobody has read: never a zero.
fn missing(ctx: &PageContext, panel: &Panel<LocksPanel>, name: &'static str) -> AnyView {
    let lang = ctx.viewer.lang;
    let gone = panel.trouble.is_some();
    let (shape, tone, sub) = match panel.read_at {
        _ if !gone => (Icon::Clock, "mute", words::state::not_read_yet(lang).to_owned()),
        Some(at) => (Icon::Off, "crit", words::state::last_seen(lang, ctx.clock().short(at))),
        None => (Icon::Off, "crit", words::state::never_seen(lang).to_owned()),
    };
    let said = measure::not_known(lang);
    view! {
        <div class="tile">
            <span class="tile__name">{classed(shape, &format!("icon {tone}"))}{name}</span>
            <span class="tile__value dashval"><span aria-hidden="true">"—"</span><span class="sr">{said}</span></span>
            <span class=format!("tile__sub {tone}")>{sub}</span>
        </div>
    }
    .into_any()
}
