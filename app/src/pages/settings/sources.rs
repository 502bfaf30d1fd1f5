use super::{all_seen, none};
use crate::context::PageContext;
use crate::layout::layers;
use crate::model::{Settings, SourceSettings, Strategy};
use crate::ui::{Icon, Tone, csv_link, pill, small_icon};
use crate::words::{self, measure, settings as word};
use leptos::prelude::*;

pub(super) fn view(ctx: &PageContext, data: &Settings) -> AnyView {
    let lang = ctx.viewer.lang;
    let body = if data.sources.is_empty() { none(ctx) } else { table(ctx, data) };
    let from = match &data.config_path {
        Some(path) => word::config_from(lang, path),
        None => word::config_defaults(lang).into(),
    };
    let csv = csv_link(word::sources(lang), super::csv("sources", None));
    view! {
        <section class="panel panel--flush">
            <header class="panel__head"><h2>{word::sources(lang)}</h2><span class="t3 s12">{word::as_check(lang)}</span>{csv}</header>
            {body}
            <footer class="panel__foot"><span class="break">{from}</span></footer>
        </section>
    }
    .into_any()
}

fn table(ctx: &PageContext, data: &Settings) -> AnyView {
    let lang = ctx.viewer.lang;
    let lines = data.sources.iter().map(|source| line(ctx, source)).collect_view();
    view! {
        <div class="tablebox">
            <table class="table table--cards">
                <thead>
                    <tr>
                        <th scope="col">{word::source(lang)}</th>
                        <th scope="col" class="optional-2">{word::database(lang)}</th>
                        <th scope="col">{word::read_by(lang)}</th>
                        <th scope="col">{word::seen(lang)}</th>
                        <th scope="col" class="optional">{word::locks(lang)}</th>
                        <th scope="col">{word::problems(lang)}</th>
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn line(ctx: &PageContext, source: &SourceSettings) -> AnyView {
    let lang = ctx.viewer.lang;
    let database = match &source.database_version {
        Some(version) => format!("{} {version}", source.head.engine),
        None => source.head.engine.clone(),
    };
    let locks = match (&source.lock_pattern, source.lock_ttl_ms) {
        (None, _) => measure::none(lang).to_owned(),
        (Some(_), Some(ttl_ms)) => measure::limit(lang, ttl_ms),
        (Some(pattern), None) => crate::ui::cut(pattern, 40),
    };
    let (tone, shape, problems) = match source.problems.len() {
        0 if !all_seen(source) => ("mute", Icon::Unknown, measure::not_known(lang).to_owned()),
        0 => ("ok", Icon::Ok, "0".to_owned()),
        more => ("warn", Icon::Warn, more.to_string()),
    };
    view! {
        <tr>
            <td class="lead"><a href=format!("#{}", source.head.name)><strong>{source.head.name.clone()}</strong></a></td>
            <td class="t2 s12 nowrap optional-2" data-h=word::database(lang)>{database}</td>
            <td data-h=word::read_by(lang)>{strategy(ctx, source)}</td>
            <td class="s12">{layers(lang, &source.head)}</td>
            <td class="s12 t2 optional nowrap">{locks}</td>
            <td class="aside nowrap s12"><span class=format!("with-icon {tone}")>{small_icon(shape, "")}{problems}</span></td>
        </tr>
    }
    .into_any()
}

fn strategy(ctx: &PageContext, source: &SourceSettings) -> AnyView {
    let lang = ctx.viewer.lang;
    match &source.strategy {
        None => pill(Tone::Mute, Icon::Unknown, measure::not_known(lang)),
        Some(choice) => match choice.strategy {
            Strategy::StatusIndex | Strategy::Tail | Strategy::TimeIndex => {
                pill(Tone::Ok, Icon::Ok, words::strategy(lang, choice.strategy))
            }
            Strategy::Walk | Strategy::Bounded => pill(Tone::Warn, Icon::Warn, words::strategy(lang, choice.strategy)),
        },
    }
}
