//! One cell of a foreign table as it was stored, before the mapping says what it means.

use super::catalogue::{Column, Kind};
use app::model::Pk;
use serde::{Deserialize, Serialize};

/// A stored value. It goes into cursors and comes back as a bound parameter, so it keeps every digit.
/// Booleans and bits are integers, times are the engine's own text; the column's [`Kind`] tells them apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Raw {
    Null,
    #[serde(with = "digits")]
    Int(i128),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

mod digits {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(value: &i128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&value.to_string())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i128, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl Raw {
    /// From the text that [`super::dialect::Dialect::readable`] asked the engine for.
    pub fn from_text(kind: Kind, text: Option<String>) -> Result<Self, String> {
        let Some(text) = text else { return Ok(Self::Null) };
        let unexpected = |text: &str| format!("{text:?} where {kind:?} was expected");
        match kind {
            Kind::Int | Kind::Presence => text.parse().map(Self::Int).map_err(|_| unexpected(&text)),
            // With a fraction, also one of zeros, it is shown as it is written.
            Kind::Decimal => Ok(text.parse().map_or(Self::Text(text), Self::Int)),
            Kind::Bool => match text.as_str() {
                "true" | "t" | "1" => Ok(Self::Int(1)),
                "false" | "f" | "0" => Ok(Self::Int(0)),
                _ => Err(unexpected(&text)),
            },
            Kind::Bits => i128::from_str_radix(&text, 2).map(Self::Int).map_err(|_| unexpected(&text)),
            Kind::Bytes | Kind::DocumentBytes => hex::decode(&text).map(Self::Bytes).map_err(|_| unexpected(&text)),
            Kind::Text
            | Kind::Uuid
            | Kind::Wall
            | Kind::Instant
            | Kind::Date
            | Kind::Other
            | Kind::Loose
            | Kind::Document => Ok(Self::Text(text)),
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// As pages, keys and owners show it: bytes in lower-case hex, NULL as nothing.
    pub fn show(&self, kind: Kind) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Int(number) if kind == Kind::Bool => Some((*number != 0).to_string()),
            Self::Int(number) => Some(number.to_string()),
            // With its point, as the database shows it.
            Self::Real(number) => Some(format!("{number:?}")),
            Self::Text(text) => Some(text.clone()),
            Self::Bytes(bytes) => Some(hex::encode(bytes)),
        }
    }

    /// Without the spaces that its column filled it up with.
    pub fn unpadded(self, column: &Column) -> Self {
        match self {
            Self::Text(text) if text.ends_with(' ') && column.is_padded() => {
                Self::Text(text.trim_end_matches(' ').into())
            }
            raw => raw,
        }
    }

    /// As a number, also where a text column holds digits.
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Self::Int(number) => Some(*number),
            Self::Text(text) => whole(text.trim()),
            Self::Real(number) => whole(&number.to_string()),
            Self::Null | Self::Bytes(_) => None,
        }
    }
}

/// `12` and `12.00`, not `12.5`.
fn whole(text: &str) -> Option<i128> {
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if zeros.bytes().all(|byte| byte == b'0') => digits,
        Some(_) => return None,
        None => text,
    };
    digits.parse().ok()
}

impl From<&Raw> for Pk {
    fn from(raw: &Raw) -> Self {
        match raw {
            Raw::Null => Self::Null,
            Raw::Int(number) => Self::Int(*number),
            Raw::Real(number) => Self::Text(number.to_string()),
            Raw::Text(text) => Self::Text(text.clone()),
            Raw::Bytes(bytes) => Self::Bytes(bytes.clone()),
        }
    }
}

/// The parts of a primary key, one for each column of the identity.
pub fn parts(pk: &Pk) -> Vec<Raw> {
    match pk {
        Pk::Int(number) => vec![Raw::Int(*number)],
        Pk::Text(text) => vec![Raw::Text(text.clone())],
        Pk::Bytes(bytes) => vec![Raw::Bytes(bytes.clone())],
        Pk::Null => vec![Raw::Null],
        Pk::Composite(pks) => pks.iter().flat_map(parts).collect(),
    }
}
