//! JSON pointers, as RFC 6901 has them: `/Headers/cap-msg-id`, `/items/0`, with `~1` for `/` and `~0` for `~`.

use std::fmt::{self, Display, Formatter};

/// The way to a value inside a JSON document; without a step it is the document itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer(Vec<String>);

impl Pointer {
    /// `None`: it is no pointer.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(Vec::new()));
        }
        text.strip_prefix('/')?.split('/').map(unescaped).collect::<Option<_>>().map(Self)
    }

    /// Names of members, or indexes of elements.
    #[must_use]
    pub fn steps(&self) -> &[String] {
        &self.0
    }
}

/// `~` stands before 0 and 1 only.
fn unescaped(step: &str) -> Option<String> {
    let mut text = String::with_capacity(step.len());
    let mut chars = step.chars();
    while let Some(c) = chars.next() {
        text.push(match c {
            '~' => match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            c => c,
        });
    }
    Some(text)
}

impl Display for Pointer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| write!(f, "/{}", step.replace('~', "~0").replace('/', "~1")))
    }
}

#[cfg(test)]
mod tests {
    use super::Pointer;

    #[test]
    fn a_pointer_is_read_and_written_the_same() {
        let owned = |steps: &[&str]| steps.iter().map(|step| (*step).to_owned()).collect::<Vec<_>>();
        for (text, steps) in [
            ("", vec![]),
            ("/", vec![""]),
            ("/Headers/cap-msg-id", vec!["Headers", "cap-msg-id"]),
            ("/a~1b/m~0n/~01/0", vec!["a/b", "m~n", "~1", "0"]),
            ("//x y/\"", vec!["", "x y", "\""]),
        ] {
            let pointer = Pointer::parse(text).unwrap();
            assert_eq!((pointer.steps(), pointer.to_string().as_str()), (&owned(&steps)[..], text));
        }
        for text in ["a", "Headers/id", "$.Headers", "/~", "/~2", "/a/~x"] {
            assert_eq!(Pointer::parse(text), None, "{text}");
        }
    }
}
