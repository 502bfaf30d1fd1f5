//! The documentation of the keys is the program's own.

use server::config::{Environment, from_toml, print, reference};

const BEGIN: &str = "<!-- the keys, as `oncewatch config print` knows them -->\n";
const END: &str = "\n<!-- end of the keys -->";

/// With `UPDATE_DOCS=1` it writes what it misses.
#[test]
#[expect(clippy::disallowed_methods, reason = "whoever runs the test says so")]
fn the_documentation_names_every_key() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/configuration.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the beginning is marked");
    let (found, after) = rest.split_once(END).expect("the end is marked");
    let wanted = reference();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).unwrap();
    } else {
        assert_eq!(found, wanted, "run this test with UPDATE_DOCS=1");
    }
}

/// Whoever takes the marks away from what is printed has a configuration.
#[test]
fn what_is_not_set_is_printed_as_a_comment_that_could_be_set() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("oncewatch.toml");
    std::fs::write(&file, "").unwrap();
    let printed = print(Some(&file), &Environment::default()).unwrap();
    // A sentence may hold an equals sign as well.
    let is_key = |rest: &&str| {
        rest.split_once(" = ")
            .is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
    };
    let set: String = printed
        .lines()
        .map(|line| line.strip_prefix("# ").filter(|rest| rest.starts_with('[') || is_key(rest)).unwrap_or(line))
        // Two ways to say the state are one too many, and a broker is of one kind.
        .filter(|line| {
            !["exists =", "rules =", "streams =", "group =", "key = { field", "type = { field"]
                .iter()
                .any(|key| line.starts_with(key))
        })
        .map(|line| {
            format!(
                "{}\n",
                line.replace("${POINTS_PW}", "x")
                    .replace("${OPS_PW}", "x")
                    .replace("${MQ_PW}", "x")
                    .replace("${HOOK_SECRET}", "x")
            )
        })
        .collect();
    let config = from_toml(&set, &Environment::default()).unwrap_or_else(|error| panic!("{error}\n{set}"));
    assert_eq!(config.sources.len(), 1);
}
