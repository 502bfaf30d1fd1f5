//! `RecordRef`: the identity of one row, opaque in URLs. The joined key is for display and search, never identity.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A primary key value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Pk {
    #[serde(rename = "i", with = "int_text")]
    Int(i128),
    #[serde(rename = "t")]
    Text(String),
    #[serde(rename = "b")]
    Bytes(Vec<u8>),
    #[serde(rename = "c")]
    Composite(Vec<Pk>),
    /// A NULL part of a composite.
    #[serde(rename = "n")]
    Null,
}

mod int_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(value: &i128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&value.to_string())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i128, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Table and primary key of one row. `Display` and serde give the token that stands in URLs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordRef {
    /// The table's bare name, as the source's list of tables has it.
    pub table: String,
    pub pk: Pk,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a record reference: {0}")]
pub struct BadReference(pub String);

/// The longest token that is decoded; a 4 KB key fits.
const MAX_TOKEN: usize = 16 * 1024;

impl std::fmt::Display for RecordRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let json = serde_json::to_vec(&(&self.table, &self.pk)).map_err(|_| std::fmt::Error)?;
        for byte in json {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl std::str::FromStr for RecordRef {
    type Err = BadReference;

    fn from_str(token: &str) -> Result<Self, BadReference> {
        let bad = |why: &str| BadReference(why.to_owned());
        if token.len() > MAX_TOKEN || !token.len().is_multiple_of(2) || !token.is_ascii() {
            return Err(bad("wrong length"));
        }
        let bytes = (0..token.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&token[at..at + 2], 16))
            .collect::<Result<Vec<u8>, _>>()
            .map_err(|_| bad("not hexadecimal"))?;
        let (table, pk) = serde_json::from_slice(&bytes).map_err(|error| bad(&error.to_string()))?;
        Ok(Self { table, pk })
    }
}

impl Serialize for RecordRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RecordRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "ssr")]
impl utoipa::PartialSchema for RecordRef {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        String::schema()
    }
}

#[cfg(feature = "ssr")]
impl utoipa::ToSchema for RecordRef {}

#[cfg(test)]
mod tests {
    use super::{Pk, RecordRef};

    #[test]
    fn a_token_leads_back_to_its_row() {
        for pk in [
            Pk::Int(i128::from(u64::MAX)),
            Pk::Int(-1),
            Pk::Text("</script>\"订单 100%".into()),
            Pk::Bytes(vec![0, 255]),
            Pk::Composite(vec![Pk::Text("a:b".into()), Pk::Null, Pk::Int(7)]),
        ] {
            let reference = RecordRef { table: "idempotent_record".into(), pk };
            assert_eq!(reference.to_string().parse(), Ok(reference));
        }
    }

    #[test]
    fn garbage_is_refused() {
        for token in ["", "zz", "abc", "5b5d", "é"] {
            assert!(token.parse::<RecordRef>().is_err(), "{token}");
        }
    }
}
