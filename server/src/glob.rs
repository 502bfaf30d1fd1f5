//! `*` and `?` in names that a person writes.

/// `*`: any text, `?`: any one character.
pub fn matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut g, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match glob.get(g) {
            Some('*') => {
                star = Some((g, n));
                g += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (g, n) = (g + 1, n + 1),
            _ => match star {
                // The last star takes one character more.
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (g, n) = (at + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

/// Whether it may match more than one name.
pub fn has_wildcard(glob: &str) -> bool {
    glob.contains(['*', '?'])
}
