use super::problem::Problem;
use app::model::Fault;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// The parameters behind the question mark. What cannot be read is named, where axum's own refusal loses its words.
pub struct Asked<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(asked)) => Ok(Self(asked)),
            Err(refused) => Err(Problem::from(bad_parameter(&refused.body_text()))),
        }
    }
}

/// `Failed to deserialize query string: limit: invalid digit found in string`, taken apart.
fn bad_parameter(refused: &str) -> Fault {
    let said = refused.split_once("query string: ").map_or(refused, |(_, said)| said);
    let (what, detail) = match said.split_once(": ") {
        Some((name, detail)) if !name.contains(' ') => (name, detail),
        // One that is missing or given twice is named inside the sentence.
        _ => (said.split('`').nth(1).unwrap_or("query"), said),
    };
    Fault::BadInput { what: format!("parameter {what}"), detail: detail.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::bad_parameter;
    use app::model::Fault;

    #[test]
    fn the_parameter_is_named() {
        let of = |refused: &str| match bad_parameter(refused) {
            Fault::BadInput { what, detail } => (what, detail),
            other => panic!("{other:?}"),
        };
        let before = "Failed to deserialize query string: ";
        let (what, detail) = of(&format!("{before}limit: invalid digit found in string"));
        assert_eq!((&*what, &*detail), ("parameter limit", "invalid digit found in string"));
        let (what, detail) = of(&format!("{before}missing field `key`"));
        assert_eq!((&*what, &*detail), ("parameter key", "missing field `key`"));
        let (what, _) = of(&format!("{before}duplicate field `status`"));
        assert_eq!(what, "parameter status");
    }
}
