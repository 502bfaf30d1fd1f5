//! Text that somebody else wrote: keys, owners, errors. It is only ever text, and a long one is cut in lists.

#[cfg(feature = "ssr")]
use leptos::prelude::*;
#[cfg(feature = "ssr")]
use std::borrow::Cow;

#[cfg(feature = "ssr")]
/// The first `limit` characters; the whole of it stands on hover and on the record's page.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    let (shown, more) = match text.char_indices().nth(limit) {
        Some((at, _)) => (&text[..at], "…"),
        None => (text, ""),
    };
    shown.chars().map(visible).chain([Cow::Borrowed(more)]).collect()
}

#[cfg(feature = "ssr")]
/// Control characters and those that turn the direction of writing are named instead of obeyed: a key must not be able
/// to look like another.
fn visible(c: char) -> Cow<'static, str> {
    match c {
        '\u{200b}'..='\u{200c}'
        | '\u{200e}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => Cow::Owned(format!("⟨U+{:04X}⟩", u32::from(c))),
        c if c.is_control() => Cow::Owned(format!("⟨U+{:04X}⟩", u32::from(c))),
        c => Cow::Owned(c.into()),
    }
}

#[cfg(feature = "ssr")]
pub(crate) fn cut_text(text: &str, limit: usize) -> AnyView {
    let shown = cut(text, limit);
    let title = (shown != text).then(|| cut(text, 600));
    view! { <bdi title=title>{shown}</bdi> }.into_any()
}

#[cfg(feature = "ssr")]
/// For `inner_html` of a `<textarea>`, whose children Leptos writes as they are.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// One segment or value of a URL, percent-encoded.
pub(crate) fn encoded(text: &str) -> String {
    let mut url = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => url.push(char::from(byte)),
            _ => {
                url.push('%');
                url.push(char::from(b"0123456789ABCDEF"[usize::from(byte >> 4)]));
                url.push(char::from(b"0123456789ABCDEF"[usize::from(byte & 15)]));
            }
        }
    }
    url
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::{cut, encoded};

    #[test]
    fn keys_are_cut_between_characters() {
        assert_eq!(cut("订单🎉42", 3), "订单🎉…");
        assert_eq!(cut("a", 3), "a");
        assert_eq!(cut("a\u{202e}b\n", 9), "a⟨U+202E⟩b⟨U+000A⟩");
    }

    #[test]
    fn anything_fits_into_a_url() {
        assert_eq!(encoded("a b/&?#\"订"), "a%20b%2F%26%3F%23%22%E8%AE%A2");
    }
}
