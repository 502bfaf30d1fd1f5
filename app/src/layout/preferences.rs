//! Language and theme: buttons of a plain form that sets a cookie and comes back to the same page.

use crate::model::{Lang, Theme};
use crate::ui::{Icon, icon, small_icon};
use crate::words::frame;
use leptos::prelude::*;

pub(super) fn menu(lang: Lang, theme: Theme, back: &str) -> AnyView {
    let pick = |chosen: bool, shape: Icon| icon(if chosen { Icon::Check } else { shape });
    let language =
        [(Lang::En, "en", "English", "en"), (Lang::Zh, "zh", "简体中文", "zh-CN")].map(|(of, value, word, tag)| {
            let chosen = of == lang;
            view! {
                <button class="pickone" type="submit" name="lang" value=value aria-pressed=chosen.to_string()>
                    {pick(chosen, Icon::Globe)}<span lang=tag>{word}</span>
                </button>
            }
        });
    let themes = [
        (Theme::System, "system", frame::theme_system(lang), Icon::Theme),
        (Theme::Light, "light", frame::theme_light(lang), Icon::Sun),
        (Theme::Dark, "dark", frame::theme_dark(lang), Icon::Moon),
    ]
    .map(|(of, value, word, shape)| {
        let chosen = of == theme;
        view! {
            <button class="pickone" type="submit" name="theme" value=value aria-pressed=chosen.to_string()>
                {pick(chosen, shape)}<span>{word}</span>
            </button>
        }
    });
    view! {
        <details class="menu menu--end">
            <summary class="btn btn--bare">
                {icon(Icon::Theme)}<span class="sr">{frame::language_theme(lang)}</span><span class="wide">{small_icon(Icon::Down, "")}</span>
            </summary>
            <div class="menu__list">
                <form method="post" action="/preferences">
                    <input type="hidden" name="back" value=back.to_owned()/>
                    <p class="menu__head">{frame::language(lang)}</p>
                    {language.collect_view()}
                    <hr/>
                    <p class="menu__head">{frame::theme(lang)}</p>
                    {themes.collect_view()}
                </form>
            </div>
        </details>
    }
    .into_any()
}
