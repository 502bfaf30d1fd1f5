//! What a column's name says: `msg_uniq_key`, `msgUniqKey` and `MsgUniqKey` are the same three words.

/// Its words in lower case.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let chars: Vec<char> = name.chars().collect();
    let mut word = String::new();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| chars[before]);
        let next_is_lower = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        // `messageId` and, at the end of an abbreviation, `IDValue`.
        let begins = c.is_uppercase() && before.is_some_and(|before| before.is_lowercase() || next_is_lower);
        if (begins || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// A name or comment in its words, to be asked.
pub(super) struct Said {
    words: Vec<String>,
    comment: String,
}

impl Said {
    pub(super) fn of(name: &str, comment: Option<&str>) -> Self {
        Self { words: words(name), comment: comment.unwrap_or_default().to_lowercase() }
    }

    pub(super) fn any(&self, of: &[&str]) -> bool {
        self.words.iter().any(|word| of.contains(&word.as_str()))
    }

    pub(super) fn is(&self, one: &str) -> bool {
        self.words == [one]
    }

    pub(super) fn last(&self, of: &[&str]) -> bool {
        self.words.last().is_some_and(|word| of.contains(&word.as_str()))
    }

    /// The comment holds one of these.
    pub(super) fn comment(&self, of: &[&str]) -> bool {
        of.iter().any(|part| self.comment.contains(part))
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_in_every_spelling() {
        for (name, expected) in [
            ("msg_uniq_key", "msg uniq key"),
            ("msgUniqKey", "msg uniq key"),
            ("MessageID", "message id"),
            ("IDValue", "id value"),
            ("GMT_CREATE", "gmt create"),
            ("create-time", "create time"),
            ("key", "key"),
            ("状态", "状态"),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }
}
