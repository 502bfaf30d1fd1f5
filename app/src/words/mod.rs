//! Every word that people read, in both languages. A noun for each file; an entry is a function that takes the reader's
//! [`Lang`] and, where it has parameters, what stands in their place.
//!
//! An entry without one of its languages does not compile, and one that nobody uses is an error (`dead_code`), so nothing
//! here is `pub` but what the command line and alerts say too.
//!
//! Chinese: full-width punctuation, a space between Chinese and Latin or digits; terms such as TTL and ack stay.

// The browser's half compiles few pages, so only the server's half can tell what is unused.
#![cfg_attr(not(feature = "ssr"), allow(dead_code, unused_macros, unused_imports))]

/// `name: "English", "中文";` or, with parameters, `name(a, b): "{a} of {b}", "{b} 中的 {a}";`.
macro_rules! words {
    ($($name:ident $(($($arg:ident),+))?: $en:literal, $zh:literal;)+) => {
        $(word! { $name [$($($arg),+)?] $en $zh })+
    };
}

/// With a number: English has two forms. `name(n, …): "one", "many", "中文";`, where `n` is a `u64`.
macro_rules! counted {
    ($($name:ident ($n:ident $(, $arg:ident)*): $one:literal, $many:literal, $zh:literal;)+) => {
        $(pub(crate) fn $name(lang: crate::model::Lang, $n: u64 $(, $arg: impl std::fmt::Display)*) -> String {
            let one = $n == 1;
            let $n = crate::words::measure::grouped($n);
            match lang {
                crate::model::Lang::En if one => format!($one),
                crate::model::Lang::En => format!($many),
                crate::model::Lang::Zh => format!($zh),
            }
        })+
    };
}

macro_rules! word {
    ($name:ident [] $en:literal $zh:literal) => {
        pub(crate) fn $name(lang: crate::model::Lang) -> &'static str {
            match lang {
                crate::model::Lang::En => $en,
                crate::model::Lang::Zh => $zh,
            }
        }
    };
    ($name:ident [$($arg:ident),+] $en:literal $zh:literal) => {
        pub(crate) fn $name(lang: crate::model::Lang, $($arg: impl std::fmt::Display),+) -> String {
            match lang {
                crate::model::Lang::En => format!($en),
                crate::model::Lang::Zh => format!($zh),
            }
        }
    };
}

pub(crate) mod act;
pub mod archive;
pub(crate) mod archiving;
pub(crate) mod broker;
pub(crate) mod clock;
pub(crate) mod entry;
pub(crate) mod explain;
mod fault;
pub(crate) mod frame;
pub(crate) mod live;
pub(crate) mod lock;
pub(crate) mod lookup;
pub(crate) mod measure;
#[cfg(feature = "hydrate")]
pub(crate) mod newer;
mod note;
pub mod operate;
pub(crate) mod overview;
#[cfg(feature = "hydrate")]
pub(crate) mod pick;
pub(crate) mod plan;
mod problem;
pub(crate) mod range;
pub(crate) mod reason;
pub(crate) mod record;
pub(crate) mod run;
mod search;
pub(crate) mod settings;
pub(crate) mod state;
pub(crate) mod trace;
pub(crate) mod trail;
pub(crate) mod verdict;

pub use broker::group;
pub use fault::{fault, layer};
pub(crate) use fault::{layer_object, layer_subject};
pub use lock::{lock_state, why_not};
pub use measure::{ago, count, duration};
pub use note::note;
pub use problem::problem;
pub use record::status;
pub use settings::{capability, strategy, strategy_why};
pub use verdict::{evidence, verdict_text, verdict_title};

/// What begins a line: English with a capital letter.
pub(crate) fn begun(lang: crate::model::Lang, text: &str) -> String {
    let mut letters = text.chars();
    match (lang, letters.next()) {
        (crate::model::Lang::En, Some(first)) => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// Sentences one after the other; Chinese needs no space between them. Empty ones are left out.
pub(crate) fn join(lang: crate::model::Lang, sentences: &[&str]) -> String {
    let between = match lang {
        crate::model::Lang::En => " ",
        crate::model::Lang::Zh => "",
    };
    let said: Vec<&str> = sentences.iter().copied().filter(|sentence| !sentence.is_empty()).collect();
    said.join(between)
}
