//! The run that waits, is at work or stands still.

use crate::context::PageContext;
use crate::model::{Archive, ArchiveNote, ArchiveRun, Role};
use crate::ui::{Icon, Tone, cut, pill, small_icon};
use crate::words::{archiving as word, measure, measure::grouped};
use leptos::prelude::*;

pub(super) fn look(run: &ArchiveRun) -> (Tone, Icon) {
    match (run.state.as_str(), &run.note) {
        ("done", _) => (Tone::Ok, Icon::Ok),
        ("failed", _) => (Tone::Crit, Icon::Failed),
        ("paused", _) | ("running", Some(_)) => (Tone::Warn, Icon::Pause),
        ("running", None) => (Tone::Busy, Icon::Busy),
        ("stopped", _) => (Tone::Mute, Icon::Stop),
        _ => (Tone::Mute, Icon::Clock),
    }
}

/// Moved in a second, over all of its time.
pub(super) fn per_second(ctx: &PageContext, run: &ArchiveRun) -> Option<u64> {
    let took = run.ended_at.unwrap_or(ctx.now) - run.begun_at;
    let seconds = u64::try_from(took.num_seconds()).ok().filter(|seconds| *seconds > 0)?;
    (run.moved > 0).then(|| run.moved.div_ceil(seconds))
}

pub(super) fn view(ctx: &PageContext, run: &ArchiveRun) -> AnyView {
    let lang = ctx.viewer.lang;
    let (tone, shape) = look(run);
    let percent = run.planned.filter(|planned| *planned > 0).map(|planned| (run.moved * 100 / planned).min(100));
    let of = match (run.planned, percent) {
        (Some(planned), Some(percent)) => word::of_planned(lang, grouped(planned), percent),
        _ => word::moved(lang).to_owned(),
    };
    let rate = per_second(ctx, run).filter(|_| run.state == "running");
    let left = rate.zip(run.planned).and_then(|(rate, planned)| {
        let seconds = i64::try_from(planned.checked_sub(run.moved)?.checked_div(rate)?).ok()?;
        Some(word::left_about(lang, measure::age(lang, seconds.saturating_mul(1_000))))
    });
    let bar = percent.map(|percent| {
        let width = percent * 10;
        view! {
            <svg class="progress__bar" viewBox="0 0 1000 16" preserveAspectRatio="none" role="img" aria-label=word::bar(lang, percent)>
                <rect class="f-line" width="1000" height="16"></rect>
                <rect class="f-ok" width=width height="16"></rect>
            </svg>
        }
    });
    let chunks = match &run.table {
        Some(table) => word::chunks_in(lang, grouped(run.chunks), table),
        None => word::chunks(lang, grouped(run.chunks)),
    };
    let mut foot = vec![word::by(lang, word::actor_of(lang, run), ctx.clock().short(run.begun_at))];
    if run.polite {
        foot.push(word::polite(lang).into());
    }
    foot.push(word::because(lang, cut(&run.reason, 300)));
    let foot = foot.join(if lang == crate::model::Lang::En { " " } else { "" });
    view! {
        <section class="panel" aria-label=word::now(lang, run.number)>
            <div class="panel__body progress">
                <div class="progress__line">
                    {pill(tone, shape, state_of(ctx, run))}
                    <span class="big">{grouped(run.moved)}</span>
                    <span class="t2">{of}</span>
                    {rate.map(|rate| view! { <span class="t2">{word::per_second(lang, grouped(rate))}</span> })}
                    {left.map(|left| view! { <span class="t2">{left}</span> })}
                    <span class="t3 s12">{chunks}</span>
                </div>
                {bar}
                {why(ctx, run).map(|why| view! { <p class="s13 t2 break">{why}</p> })}
            </div>
            <footer class="panel__foot">
                <span class="break">{foot}</span>
                <a href=audit_of(run)>{word::in_audit(lang)}</a>
            </footer>
        </section>
    }
    .into_any()
}

pub(super) fn audit_of(run: &ArchiveRun) -> String {
    format!("/audit?q={}", crate::ui::encoded(&format!("plan:{}", run.id)))
}

pub(super) fn state_of(ctx: &PageContext, run: &ArchiveRun) -> &'static str {
    let lang = ctx.viewer.lang;
    match (run.state.as_str(), &run.note) {
        ("done", _) => word::done(lang),
        ("failed", _) => word::failed(lang),
        ("paused", _) => word::paused(lang),
        ("running", Some(ArchiveNote::Lag { .. })) => word::waiting(lang),
        ("running", Some(_)) => word::resting(lang),
        ("running", None) => word::running(lang),
        ("stopped", Some(ArchiveNote::WindowEnded)) => word::window_ended(lang),
        ("stopped", _) => word::stopped(lang),
        _ => word::waiting(lang),
    }
}

/// What it waits for.
fn why(ctx: &PageContext, run: &ArchiveRun) -> Option<String> {
    let lang = ctx.viewer.lang;
    let wish = match run.wish.as_deref() {
        Some("pause") => Some(word::will_pause(lang)),
        Some("stop") => Some(word::will_stop(lang)),
        _ => None,
    };
    if let Some(wish) = wish.filter(|_| run.state == "running") {
        return Some(wish.to_owned());
    }
    let detail = word::detail_of(lang, run);
    let says = match run.state.as_str() {
        "waiting" => word::waits_for_runner(lang).to_owned(),
        "paused" if detail.is_empty() => word::paused_why(lang).to_owned(),
        _ => word::whole_sentence(lang, &detail),
    };
    (!says.is_empty()).then_some(says)
}

/// Pause, go on, stop.
pub(super) fn buttons(ctx: &PageContext, archive: &Archive) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let run = archive.current.as_ref()?;
    let again = view! { <a class="btn btn--bare" href=format!("/s/{}/archive", archive.source)>{small_icon(Icon::Retry, "")}{word::look_again(lang)}</a> };
    if ctx.viewer.role < Role::Operator {
        return Some(again.into_any());
    }
    let form = |wish: &'static str, class: &'static str, shape: Icon, says: String| {
        view! {
            <form method="post" action=format!("/s/{}/archive/{wish}", archive.source)>
                <input type="hidden" name="form_token" value=ctx.viewer.form_token.clone()/>
                <input type="hidden" name="run" value=run.id.clone()/>
                <button class=class type="submit">{small_icon(shape, "")}{says}</button>
            </form>
        }
    };
    let first = if run.state == "paused" {
        form("resume", "btn btn--main", Icon::Next, word::resume(lang).into())
    } else {
        form("pause", "btn", Icon::Pause, word::pause(lang).into())
    };
    let stop = form("stop", "btn btn--crit", Icon::Stop, word::stop(lang, grouped(run.moved)));
    Some(view! { {again}{first}{stop} }.into_any())
}
