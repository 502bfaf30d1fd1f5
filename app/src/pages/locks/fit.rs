//! Lock TTL against handling time, by type: too short lets duplicates run beside their first, too long makes them wait
//! for a worker that is dead.

use super::{Data, csv};
use crate::context::PageContext;
use crate::model::{Fit, Lang, LocksPanel, Measured, TtlFit};
use crate::ui::{Explained, Icon, csv_link, cut_text, explain, small_icon};
use crate::words::{explain as about, lock as word, measure};
use leptos::prelude::*;

/// Characters of a type.
const TYPE: usize = 56;
/// What is advised is a multiple of this.
const STEP_MS: u64 = 5_000;

/// Nothing where no type's handling times are known.
pub(super) fn view(ctx: &PageContext, data: &Data, body: &LocksPanel) -> Option<AnyView> {
    if body.fits.is_empty() {
        return None;
    }
    let lang = ctx.viewer.lang;
    let lines = body.fits.iter().map(|fit| line(ctx, fit)).collect_view();
    let head = |class, text: &'static str| view! { <th scope="col" class=class>{text}</th> };
    Some(
        view! {
            <section class="panel panel--flush">
                <header class="panel__head"><h2>{word::fit(lang)}</h2>{explain(lang, explained(lang))}<span class="t3 s12">{word::fit_sub(lang)}</span>{csv_link(word::fit(lang), csv(data, "fits"))}</header>
                <div class="tablebox">
                    <table class="table table--tight table--cards">
                        <thead>
                            <tr>
                                {head("", word::r#type(lang))}
                                {head("num", word::ttl(lang))}
                                {head("num optional", word::p50(lang))}
                                {head("num", word::p99(lang))}
                                {head("num optional", word::longest(lang))}
                                {head("", word::fit_verdict(lang))}
                            </tr>
                        </thead>
                        <tbody>{lines}</tbody>
                    </table>
                </div>
            </section>
        }
        .into_any(),
    )
}

fn explained(lang: Lang) -> Explained {
    Explained {
        id: "fit",
        figure: word::fit(lang),
        what: about::fit(lang),
        how: about::fit_how(lang).into(),
        blind: vec![about::fit_blind(lang)],
    }
}

fn line(ctx: &PageContext, fit: &TtlFit) -> AnyView {
    let lang = ctx.viewer.lang;
    let time = |ms| measure::limit(lang, ms);
    let estimated = fit.measured == Measured::Estimated;
    let about = |ms| if estimated { measure::about(lang, time(ms)) } else { time(ms) };
    let handled = measure::grouped(fit.handled);
    let from = if estimated { word::fit_estimated(lang, handled) } else { word::fit_reported(lang, handled) };
    let ttl = fit.ttl_ms.map_or_else(|| measure::not_known(lang).to_owned(), time);
    let (tone, shape, says) = match fit.fit() {
        Some(Fit::TooShort) => {
            let enough = fit.p99_ms.saturating_mul(2).div_ceil(STEP_MS) * STEP_MS;
            ("crit", Icon::Crit, word::fit_short(lang, time(enough)))
        }
        Some(Fit::Tight) => ("warn", Icon::Warn, word::fit_tight(lang, time(fit.longest_ms))),
        Some(Fit::Fits) => ("ok", Icon::Ok, word::fit_good(lang).to_owned()),
        Some(Fit::TooLong) => ("warn", Icon::Warn, word::fit_long(lang, ttl.clone())),
        None => ("t3", Icon::Info, word::fit_unknown(lang).to_owned()),
    };
    let of = match &fit.r#type {
        Some(of) => cut_text(of, TYPE),
        None => view! { <span class="t3">{word::no_type(lang)}</span> }.into_any(),
    };
    view! {
        <tr>
            <td class="lead s12 clip">{of}<span class="under t3">{from}</span></td>
            <td class="num" data-h=word::ttl(lang)>{ttl}</td>
            <td class="num optional">{about(fit.p50_ms)}</td>
            <td class="num" data-h=word::p99(lang)>{about(fit.p99_ms)}</td>
            <td class="num optional">{about(fit.longest_ms)}</td>
            <td class=format!("{tone} full")><span class="with-icon s12">{small_icon(shape, "")}{says}</span></td>
        </tr>
    }
    .into_any()
}
