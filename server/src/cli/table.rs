//! Aligned columns for people.

use std::borrow::Cow;
use std::io::{self, Write};

/// Longer cells are cut: the whole text is in `--json`.
const WIDEST: usize = 60;
const NOTHING: &str = "-";

/// Prints rows under their heads. A cell that is `None` was not there.
pub(super) fn print<const N: usize>(
    out: &mut dyn Write,
    heads: [&str; N],
    rows: &[[Option<String>; N]],
) -> io::Result<()> {
    let heads = heads.map(str::to_uppercase);
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| std::array::from_fn(|at| row[at].as_deref().map_or(NOTHING.to_owned(), cell))).collect();
    let widths: [usize; N] =
        std::array::from_fn(|at| rows.iter().chain([&heads]).map(|row| width(&row[at])).max().unwrap_or(0));
    for row in [&heads].into_iter().chain(&rows) {
        let mut line = String::new();
        for (text, column) in row.iter().zip(widths) {
            line.push_str(text);
            line.push_str(&" ".repeat(column - width(text) + 2));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn cell(text: &str) -> String {
    let text = plain(text);
    if width(&text) <= WIDEST {
        return text.into_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        if width(&cut) + wide(c) >= WIDEST {
            break;
        }
        cut.push(c);
    }
    cut + "…"
}

/// Control characters as escapes: a key from a table must not move the cursor or set the terminal's title.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if text.chars().any(char::is_control) {
        text.chars()
            .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() })
            .collect::<String>()
            .into()
    } else {
        text.into()
    }
}

fn width(text: &str) -> usize {
    text.chars().map(wide).sum()
}

/// East Asian characters and emoji take two cells.
fn wide(c: char) -> usize {
    let two = matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}');
    if two { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::print;

    #[test]
    fn columns_stand_under_their_heads_whatever_is_in_them() {
        let mut out = Vec::new();
        let some = |text: &str| Some(text.to_owned());
        let rows = [
            [some("1"), some("订单"), None],
            [some("1000"), some("a\u{1b}[2Jb"), some("x")],
            [None, Some("k".repeat(70)), some("y")],
        ];
        print(&mut out, ["id", "key", "error"], &rows).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r#"
        ID    KEY                                                           ERROR
        1     订单                                                          -
        1000  a\u{1b}[2Jb                                                   x
        -     kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk…  y
        "#);
    }
}
