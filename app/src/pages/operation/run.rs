//! How far a confirmed plan is, how well it goes, and what may be done about it.
//!
//! Parts with `data-again` are looked at again by script while the run goes on, each replaced by what the server draws then.

use super::{Data, head, items, steer, undo, without_script};
use crate::context::PageContext;
use crate::model::{Lang, Run, RunNote};
use crate::ui::{Icon, Tone, cut, note, pill, small_icon};
use crate::words::{self, measure, plan, run as word};
use leptos::prelude::*;

/// Width of the bar in units of its own.
const BAR: u64 = 1_000;
/// Characters of a reason.
const REASON: usize = 300;
/// A rate over less says nothing.
const SHORTEST_MS: i64 = 2_000;

/// What the plan left alone was never part of the run.
fn skipped_in_run(run: &Run) -> u64 {
    run.skipped.saturating_sub(run.total.saturating_sub(run.eligible))
}

/// Of what was eligible, what has its outcome.
fn settled(run: &Run) -> u64 {
    run.done + run.failed + run.uncertain + skipped_in_run(run)
}

pub(super) fn again(run: &Run) -> Option<&'static str> {
    (!run.is_over()).then_some("run")
}

pub(super) fn view(ctx: &PageContext, data: &Data, run: &Run) -> AnyView {
    let lang = ctx.viewer.lang;
    let heading = plan::do_button(lang, run.operation, run.eligible);
    let steering =
        view! { <div class="row" id="run-steer" data-again=again(run)>{steer::view(ctx, data, run)}</div> }.into_any();
    view! {
        {head(ctx, data, run.selected.as_ref(), heading, Some(steering))}
        {progress(ctx, run)}
        <div class="stack" id="run-notes" data-again=again(run)>{notes(lang, run)}</div>
        <div class="split">
            {items::view(ctx, data, Some(run))}
            <div class="stack">
                {stops(lang, run)}
                {undo::view(ctx, data, run)}
            </div>
        </div>
        {(!run.is_over() && run.state != "paused").then(|| without_script(5))}
    }
    .into_any()
}

fn progress(ctx: &PageContext, run: &Run) -> AnyView {
    let lang = ctx.viewer.lang;
    let clock = ctx.clock();
    let (eligible, settled) = (run.eligible, settled(run));
    let percent = (settled * 100).checked_div(eligible).unwrap_or(100);
    let begun = run.begun_at.map(|at| clock.short(at)).unwrap_or_default();
    let by = word::by(lang, cut(&run.actor, 40), begun, cut(&run.reason, REASON));
    let audit = format!("/audit?q=plan:{}", crate::ui::encoded(&run.id));
    view! {
        <section class="panel" id="run-progress" data-again=again(run)>
            <div class="panel__body progress">
                <div class="progress__line">
                    {run_pill(lang, run)}
                    <span class="big">{measure::grouped(settled)}</span>
                    <span class="t2">{word::far(lang, measure::grouped(eligible), percent)}</span>
                    {speed(ctx, run, settled)}
                    <span class="fresh">{word::as_of(lang, clock.short(ctx.now))}</span>
                </div>
                {share_bar(lang, run, "progress__bar")}
                {legend(lang, run)}
            </div>
            <footer class="panel__foot"><span class="break">{by}</span><span class="row"><a href=audit>{word::audit(lang)}</a></span></footer>
        </section>
    }
    .into_any()
}

/// How long it took; while it runs, how long it still takes.
fn speed(ctx: &PageContext, run: &Run, settled: u64) -> Option<AnyView> {
    let lang = ctx.viewer.lang;
    let begun = run.begun_at?;
    if let Some(ended) = run.ended_at {
        let took = measure::duration(lang, (ended - begun).num_milliseconds());
        return Some(view! { <span class="t2">{word::took(lang, took)}</span> }.into_any());
    }
    let ms = (ctx.now - begun).num_milliseconds();
    if run.state != "running" || settled == 0 || ms < SHORTEST_MS {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "both are far below 2⁵²")]
    let (rate, left) = (settled as f64 * 1_000.0 / ms as f64, run.open as f64);
    #[expect(clippy::cast_possible_truncation, reason = "some hours at most")]
    let left = measure::duration(lang, (left / rate * 1_000.0) as i64);
    Some(view! { <span class="t2">{word::left_at(lang, left, measure::rate(rate))}</span> }.into_any())
}

/// What became of what was eligible; nothing is drawn of nothing.
pub(crate) fn share_bar(lang: Lang, run: &Run, class: &'static str) -> Option<AnyView> {
    let all = run.eligible;
    if all == 0 {
        return None;
    }
    let skipped = skipped_in_run(run);
    let label = word::bar(
        lang,
        measure::grouped(run.done),
        measure::grouped(run.failed),
        measure::grouped(run.uncertain),
        measure::grouped(skipped),
        measure::grouped(run.open),
    );
    let parts = [("f-ok", run.done), ("f-warn", run.failed), ("f-crit", run.uncertain), ("f-mute", skipped)];
    let mut from = 0;
    let parts = parts.map(|(class, count)| {
        let width = count * BAR / all;
        let x = from;
        from += width;
        (width > 0).then(|| view! { <rect class=class x=x width=width height="16"/> })
    });
    Some(
        view! {
            <svg class=class viewBox=format!("0 0 {BAR} 16") preserveAspectRatio="none" role="img" aria-label=label>
                <rect class="track" width=BAR height="16"/>
                {parts.into_iter().collect_view()}
            </svg>
        }
        .into_any(),
    )
}

fn legend(lang: Lang, run: &Run) -> AnyView {
    let parts = [
        (Icon::Ok, "ok", word::outcome_done(lang), run.done - run.undone),
        (Icon::Failed, "warn", word::outcome_failed(lang), run.failed),
        (Icon::Unknown, "crit", word::outcome_uncertain(lang), run.uncertain),
        (Icon::Pause, "mute", word::outcome_skipped(lang), skipped_in_run(run)),
        (Icon::Clock, "t3", word::outcome_open(lang), run.open),
        (Icon::Retry, "mute", word::outcome_undone(lang), run.undone),
    ];
    // Of these none is no news.
    let rare = [word::outcome_uncertain(lang), word::outcome_undone(lang)];
    let shown = parts.into_iter().filter(|(_, _, word, count)| *count > 0 || !rare.contains(word));
    let items = shown.map(|(shape, tone, word, count)| {
        view! { <li>{small_icon(shape, tone)}{word}" "<b>{measure::grouped(count)}</b></li> }
    });
    view! { <ul class="legend">{items.collect_view()}</ul> }.into_any()
}

fn notes(lang: Lang, run: &Run) -> AnyView {
    let stands = match (run.state.as_str(), &run.note) {
        ("paused", None) => Some(note(
            Tone::Busy,
            Icon::Pause,
            sentence(lang, word::paused_by_hand(lang)),
            word::paused_by_hand_why(lang),
        )),
        ("paused", Some(why)) => {
            let why = words::join(lang, &[&words::operate::note(lang, why), ways_on(lang, why)]);
            Some(note(Tone::Warn, Icon::Warn, sentence(lang, word::paused_by_itself(lang)), why))
        }
        (_, Some(why)) => {
            Some(note(Tone::Crit, Icon::Crit, sentence(lang, word::broke_off(lang)), words::operate::note(lang, why)))
        }
        (_, None) => None,
    };
    let uncertain = (run.uncertain > 0).then(|| {
        note(Tone::Crit, Icon::Unknown, sentence(lang, word::uncertain_title(lang)), word::uncertain_why(lang))
    });
    view! { {stands}{uncertain} }.into_any()
}

fn ways_on(lang: Lang, why: &RunNote) -> &'static str {
    match why {
        RunNote::FirstRefused | RunNote::LastRefused => word::look_then(lang),
        RunNote::NotMapped | RunNote::ModeChanged | RunNote::Fault { .. } => "",
    }
}

fn sentence(lang: Lang, text: &str) -> String {
    words::overview::sentence(lang, text)
}

/// What ends it before its records do, and how near that is.
fn stops(lang: Lang, run: &Run) -> AnyView {
    let refused = run.failed + run.uncertain;
    let too_many = matches!(run.note, Some(RunNote::FirstRefused | RunNote::LastRefused));
    let lost = matches!(run.note, Some(RunNote::Fault { .. }));
    let mark = |fired: bool| if fired { small_icon(Icon::Warn, "warn") } else { small_icon(Icon::Ok, "ok") };
    let now = word::refused_now(lang, measure::grouped(refused), measure::grouped(settled(run)));
    view! {
        <section class="panel" id="run-stops" data-again=again(run)>
            <header class="panel__head"><h2>{word::stops_when(lang)}</h2></header>
            <div class="panel__body">
                <table class="reasons"><caption class="sr">{word::stops_when(lang)}</caption><tbody>
                    <tr><td>{mark(too_many)}</td><td>{super::happens::stops(lang, &run.warnings)}</td><td class="t3">{now}</td></tr>
                    <tr><td>{mark(lost)}</td><td>{word::stops_lost(lang)}</td><td></td></tr>
                </tbody></table>
            </div>
        </section>
    }
    .into_any()
}

/// Pausing and stopping take a moment: what was asked for is said until it is so.
pub(super) fn state_text(lang: Lang, run: &Run) -> String {
    match run.asked.as_deref().filter(|_| !run.is_over() && run.state != "paused") {
        Some("pause") => word::pausing(lang).into(),
        Some("stop") => word::stopping(lang).into(),
        _ => word::state_word(lang, &run.state),
    }
}

pub(crate) fn run_pill(lang: Lang, run: &Run) -> AnyView {
    let (tone, shape) = match run.state.as_str() {
        "waiting" => (Tone::Mute, Icon::Clock),
        "running" => (Tone::Busy, Icon::Busy),
        "paused" => (Tone::Warn, Icon::Pause),
        "stopped" => (Tone::Mute, Icon::Stop),
        "done" if run.uncertain > 0 => (Tone::Crit, Icon::Unknown),
        "done" if run.failed > 0 => (Tone::Warn, Icon::Warn),
        "done" => (Tone::Ok, Icon::Ok),
        _ => (Tone::Crit, Icon::Crit),
    };
    pill(tone, shape, state_text(lang, run))
}
