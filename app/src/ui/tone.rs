/// What a colour means; a shape and a word always go with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Completed, healthy.
    Ok,
    /// Being worked on.
    Busy,
    /// Over a line, or comes back by itself.
    Warn,
    /// Lost, wrong, not seen.
    Crit,
    /// Unknown, or nothing to say.
    Mute,
}

impl Tone {
    /// 0 is the worst; what is fine comes last.
    #[cfg(feature = "ssr")]
    pub(crate) fn rank(self) -> u8 {
        match self {
            Self::Crit => 0,
            Self::Warn => 1,
            Self::Busy => 2,
            Self::Mute => 3,
            Self::Ok => 4,
        }
    }

    /// The class that colours text, and the ending of `pill--`, `note--` and their like.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Busy => "busy",
            Self::Warn => "warn",
            Self::Crit => "crit",
            Self::Mute => "mute",
        }
    }

    /// `pill pill--warn`; what is mute has no ending.
    pub(crate) fn class(self, block: &str) -> String {
        match self {
            Self::Mute => block.to_owned(),
            tone => format!("{block} {block}--{}", tone.word()),
        }
    }
}
