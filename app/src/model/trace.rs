use super::time;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What one consumer wrote down of one delivery. The words are the convention's; what a consumer left out is `null`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct TraceEntry {
    #[serde(with = "time::option", default)]
    pub at: Option<DateTime<Utc>>,
    #[serde(default)]
    pub worker: Option<String>,
    /// Which delivery of the message it was, from 1, or the broker's own mark of it.
    #[serde(default, deserialize_with = "text_or_number")]
    pub delivery: Option<String>,
    /// `taken`, `held`, `done` or `degraded`.
    #[serde(default)]
    pub lock: Option<String>,
    /// `inserted`, `exists` or `taken_over`.
    #[serde(default)]
    pub record: Option<String>,
    /// An outcome of a delivery, or `deferred`, `completed`, `failed`, `dead`, `fenced`, `leaked`.
    #[serde(default)]
    pub outcome: Option<String>,
}

fn text_or_number<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    Ok(match serde_json::Value::deserialize(input)? {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text),
        other => Some(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_consumer_left_out_is_null() {
        let full = r#"{"at":"2026-11-29T08:00:00Z","worker":"w-1","delivery":2,"lock":"held","record":"exists","outcome":"dup_index"}"#;
        let read: TraceEntry = serde_json::from_str(full).unwrap();
        assert_eq!((read.delivery.as_deref(), read.outcome.as_deref()), (Some("2"), Some("dup_index")));
        let bare: TraceEntry = serde_json::from_str(r#"{"delivery":"amq-7","more":1}"#).unwrap();
        assert_eq!((bare.delivery.as_deref(), bare.at, bare.lock), (Some("amq-7"), None, None));
        assert!(serde_json::from_str::<TraceEntry>(r#"{"at":"yesterday"}"#).is_err());
    }
}
