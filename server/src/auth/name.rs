use super::AuthError;

/// An operator's name: 2 to 32 of `[a-z0-9.-]`. It is what the audit shows.
pub fn parse_name(text: &str) -> Result<String, AuthError> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
    if (2..=32).contains(&text.len()) && text.chars().all(allowed) {
        Ok(text.to_owned())
    } else {
        Err(AuthError::BadName { found: text.chars().take(64).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::parse_name;

    #[test]
    fn a_name_is_short_plain_and_lower_case() {
        for good in ["lin.wei", "ci-7", "42"] {
            assert!(parse_name(good).is_ok(), "{good}");
        }
        for bad in ["", "a", "Lin", "lin wei", "林", "a\nb", &"a".repeat(33)] {
            assert!(parse_name(bad).is_err(), "{bad}");
        }
    }
}
