//! `SHOW GRANTS` of MySQL and MariaDB. The privileges' own tables leave out what is granted to everybody and to roles,
//! and want a join over four of them.

/// Privileges with which rows can be changed.
const CHANGING: [&str; 8] =
    ["ALL PRIVILEGES", "SUPER", "INSERT", "UPDATE", "DELETE", "DROP", "ALTER", "DELETE HISTORY"];

/// All that an account was granted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Grants {
    grants: Vec<Grant>,
    /// Some come by a role, and are not listed.
    pub has_roles: bool,
}

#[derive(Debug, PartialEq, Eq)]
struct Grant {
    privilege: String,
    /// Empty: all of them.
    columns: Vec<String>,
    /// A pattern with `%` and `_`; `None`: every database.
    database: Option<String>,
    /// `None`: every table.
    table: Option<String>,
}

impl Grants {
    pub fn parse<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut grants = Self::default();
        for line in lines {
            let mut text = Text(line);
            if !text.eat("GRANT ") {
                continue;
            }
            let privileges = text.privileges();
            // A role, or the right to act for another: neither names a table.
            if !text.eat(" ON ") {
                grants.has_roles |= !privileges.is_empty();
                continue;
            }
            let database = text.name();
            let table = if text.eat(".") { text.name() } else { None };
            grants.grants.extend(privileges.into_iter().map(|(privilege, columns)| Grant {
                privilege,
                columns,
                database: database.clone(),
                table: table.clone(),
            }));
        }
        grants
    }

    fn of<'a>(&'a self, database: &'a str, table: &'a str) -> impl Iterator<Item = &'a Grant> {
        self.grants.iter().filter(move |grant| {
            grant.database.as_deref().is_none_or(|pattern| like(pattern, database))
                && grant.table.as_deref().is_none_or(|named| named.eq_ignore_ascii_case(table))
        })
    }

    /// The columns that may be read; `None`: all of them.
    pub fn readable(&self, database: &str, table: &str) -> Option<Vec<String>> {
        let reading = |grant: &&Grant| matches!(grant.privilege.as_str(), "SELECT" | "ALL PRIVILEGES");
        let mut columns = Vec::new();
        for grant in self.of(database, table).filter(reading) {
            if grant.columns.is_empty() {
                return None;
            }
            columns.extend(grant.columns.iter().cloned());
        }
        Some(columns)
    }

    /// Privileges with which rows of the table can be changed, each once.
    pub fn changing(&self, database: &str, table: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for grant in self.of(database, table) {
            if CHANGING.contains(&grant.privilege.as_str()) && !found.contains(&grant.privilege) {
                found.push(grant.privilege.clone());
            }
        }
        found
    }

    /// Whether it holds for the whole table. Of `UPDATE` some columns are enough: which ones are written is known later.
    pub fn has(&self, database: &str, table: &str, privilege: &str) -> bool {
        let enough = |grant: &Grant| grant.columns.is_empty() || privilege == "UPDATE";
        let holds = |grant: &Grant| enough(grant) && [privilege, "ALL PRIVILEGES"].contains(&&*grant.privilege);
        self.of(database, table).any(holds)
    }
}

/// `'user'@'host'` of `user@host`.
pub fn quoted_account(account: &str) -> String {
    let (user, host) = account.rsplit_once('@').unwrap_or((account, "%"));
    let quote = |part: &str| format!("'{}'", part.replace('\'', "''"));
    format!("{}@{}", quote(user), quote(host))
}

/// The rest of a line.
struct Text<'a>(&'a str);

impl Text<'_> {
    fn eat(&mut self, word: &str) -> bool {
        match self.0.strip_prefix(word) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    /// `SELECT, INSERT (`a`, `b`), DELETE`, up to ` ON `.
    fn privileges(&mut self) -> Vec<(String, Vec<String>)> {
        let mut privileges = Vec::new();
        loop {
            let end = self.0.find([',', '(']).unwrap_or(self.0.len());
            let on = self.0.find(" ON ").unwrap_or(self.0.len());
            let (word, rest) = self.0.split_at(end.min(on));
            self.0 = rest;
            let mut columns = Vec::new();
            if self.eat("(") {
                while !self.eat(")") {
                    match self.name() {
                        Some(column) => columns.push(column),
                        None => return privileges,
                    }
                    self.eat(",");
                    self.eat(" ");
                }
            }
            privileges.push((word.trim().to_ascii_uppercase(), columns));
            if !self.eat(",") {
                return privileges;
            }
            self.eat(" ");
        }
    }

    /// A quoted name, or a bare one; `None` for `*`.
    fn name(&mut self) -> Option<String> {
        if self.eat("*") {
            return None;
        }
        if !self.eat("`") {
            let end = self.0.find([',', ')', '.', ' ']).unwrap_or(self.0.len());
            let (name, rest) = self.0.split_at(end);
            self.0 = rest;
            return (!name.is_empty()).then(|| name.to_owned());
        }
        let mut name = String::new();
        while let Some((before, after)) = self.0.split_once('`') {
            name.push_str(before);
            self.0 = after;
            if !self.eat("`") {
                break;
            }
            name.push('`');
        }
        Some(name)
    }
}

/// A database's name against a pattern of a grant: `%` any text, `_` one character, `\` takes the next as it is.
fn like(pattern: &str, name: &str) -> bool {
    let mut pattern_chars = pattern.chars();
    match pattern_chars.next() {
        None => name.is_empty(),
        Some('%') => {
            let rest = pattern_chars.as_str();
            name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| like(rest, &name[at..]))
        }
        Some(wanted) => {
            let (literal, rest) = match wanted {
                '\\' => (pattern_chars.next(), pattern_chars.as_str()),
                '_' => (None, pattern_chars.as_str()),
                other => (Some(other), pattern_chars.as_str()),
            };
            let mut name_chars = name.chars();
            let met = name_chars.next().is_some_and(|c| literal.is_none_or(|wanted| wanted.eq_ignore_ascii_case(&c)));
            met && like(rest, name_chars.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Grants, quoted_account};

    fn grants(lines: &[&str]) -> Grants {
        Grants::parse(lines.iter().copied())
    }

    #[test]
    fn what_may_be_read_and_changed() {
        let reader = grants(&[
            "GRANT USAGE ON *.* TO `console`@`%` IDENTIFIED BY PASSWORD '*8A'",
            r"GRANT SELECT, INSERT (`note`), UPDATE ON `points\_prod`.`idempotent_record` TO `console`@`%`",
        ]);
        assert_eq!(reader.readable("points_prod", "idempotent_record"), None);
        assert_eq!(reader.changing("points_prod", "idempotent_record"), ["INSERT", "UPDATE"]);
        assert_eq!(reader.readable("pointsXprod", "idempotent_record"), Some(Vec::new()));
        assert_eq!(reader.readable("points_prod", "other"), Some(Vec::new()));
    }

    #[test]
    fn columns_databases_and_everything() {
        let columns = grants(&["GRANT SELECT (`biz_id`, `odd``name`), INSERT ON `points`.`t` TO `a`@`b`"]);
        assert_eq!(columns.readable("points", "t"), Some(vec!["biz_id".to_owned(), "odd`name".to_owned()]));
        assert_eq!(grants(&["GRANT SELECT ON `team_%`.* TO `a`@`b`"]).readable("team_points", "t"), None);
        let root = grants(&["GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION"]);
        assert_eq!((root.readable("x", "t"), root.changing("x", "t")), (None, vec!["ALL PRIVILEGES".to_owned()]));
        assert!(grants(&["GRANT `reader` TO `a`@`b`"]).has_roles);
        assert!(!grants(&["GRANT PROXY ON ''@'%' TO 'root'@'localhost' WITH GRANT OPTION"]).has_roles);
    }

    #[test]
    fn an_account_is_quoted_in_both_parts() {
        assert_eq!(quoted_account("o'neil@10.0.%"), "'o''neil'@'10.0.%'");
    }
}
