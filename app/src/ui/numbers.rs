use crate::charts::Table;
use crate::model::Lang;
use crate::words::overview as word;
use leptos::prelude::*;

/// The numbers of a chart as rows, for those who cannot see it. `title` is the chart's: a page has several.
pub(crate) fn numbers(lang: Lang, title: &str, table: Table) -> AnyView {
    let mut lines = table.lines.into_iter();
    let head = table.head.into_iter().enumerate().map(|(at, word)| {
        // For what reads the chart: see `plot`.
        let line = lines.next().filter(|classes| !classes.is_empty());
        view! { <th scope="col" class=(at > 0).then_some("num") data-line=line>{word}</th> }
    });
    let rows = table.rows.into_iter().map(|row| {
        let cells =
            row.into_iter().enumerate().map(|(at, cell)| view! { <td class=(at > 0).then_some("num")>{cell}</td> });
        view! { <tr>{cells.collect_view()}</tr> }
    });
    view! {
        <details class="numbers">
            <summary>{word::table_of_chart(lang)}</summary>
            <div class="numbers__box" tabindex="0" role="region" aria-label=word::numbers_of(lang, title)>
                <table class="table table--tight">
                    <thead><tr>{head.collect_view()}</tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}
