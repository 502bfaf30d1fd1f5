//! What a stored status code means.

use super::raw::Raw;
use crate::config::Code;
use app::model::Status;

/// The first code that matches; a code that nothing names is `Unmapped`.
pub fn classify(codes: &[(Code, Status)], raw: &Raw) -> Status {
    codes.iter().find(|(code, _)| matches(code, raw)).map_or(Status::Unmapped, |(_, status)| *status)
}

/// Numbers compare as numbers, text without case but with accents.
pub fn matches(code: &Code, raw: &Raw) -> bool {
    match (code, raw) {
        (Code::Null, _) => raw.is_null(),
        (_, Raw::Null) => false,
        (Code::Int(wanted), _) => raw.as_int() == Some(*wanted),
        (Code::Range(from, to), _) => raw.as_int().is_some_and(|found| (*from..=*to).contains(&found)),
        (Code::Text(wanted), Raw::Text(found)) => wanted.to_lowercase() == found.to_lowercase(),
        (Code::Text(wanted), Raw::Bytes(found)) => wanted.to_lowercase() == hex::encode(found),
        (Code::Text(wanted), _) => wanted.parse().is_ok_and(|wanted: i128| raw.as_int() == Some(wanted)),
        (Code::Bool(wanted), Raw::Text(found)) => match found.to_lowercase().as_str() {
            "true" | "t" | "1" => *wanted,
            "false" | "f" | "0" => !*wanted,
            _ => false,
        },
        (Code::Bool(wanted), _) => raw.as_int() == Some(i128::from(*wanted)),
    }
}

#[cfg(test)]
mod tests {
    use super::classify;
    use crate::adapters::records::raw::Raw;
    use crate::config::Code;
    use app::model::Status;

    fn text(word: &str) -> Raw {
        Raw::Text(word.into())
    }

    #[test]
    fn text_compares_without_case_but_with_accents_and_untrimmed() {
        let codes = [(Code::Text("Success".into()), Status::Completed), (Code::Text("DEAD".into()), Status::Dead)];
        assert_eq!(classify(&codes, &text("SUCCESS")), Status::Completed);
        assert_eq!(classify(&codes, &text("DeaD")), Status::Dead);
        for other in ["SÚCCESS", "", "success ", "sucess"] {
            assert_eq!(classify(&codes, &text(other)), Status::Unmapped, "{other:?}");
        }
        assert_eq!(classify(&codes, &Raw::Null), Status::Unmapped);
    }

    #[test]
    fn numbers_booleans_and_null() {
        let codes =
            [(Code::Null, Status::Processing), (Code::Int(1), Status::Completed), (Code::Bool(false), Status::Failed)];
        assert_eq!(classify(&codes, &Raw::Null), Status::Processing);
        assert_eq!(classify(&codes, &Raw::Int(1)), Status::Completed);
        assert_eq!(classify(&codes, &text("1")), Status::Completed);
        assert_eq!(classify(&codes, &Raw::Int(0)), Status::Failed);
        assert_eq!(classify(&codes, &Raw::Int(-1)), Status::Unmapped);
        let codes = [(Code::Range(400, 599), Status::Failed)];
        let found = [399, 400, 599, 600].map(|number| classify(&codes, &Raw::Int(number)));
        assert_eq!(found, [Status::Unmapped, Status::Failed, Status::Failed, Status::Unmapped]);
        assert_eq!(classify(&codes, &text("404")), Status::Failed);
    }
}
