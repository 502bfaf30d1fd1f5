//! The guide shows the very files that the tests run.

use super::client::FILES;
use std::fs::read_to_string;

const SHOWN: [(&str, &str, [&str; 2]); 2] =
    [("php.md", "php", ["oncewatch.php", "consumer.php"]), ("python.md", "python", ["oncewatch.py", "consumer.py"])];

fn text(file: &str) -> String {
    read_to_string(format!("{FILES}/{file}")).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The fenced blocks of a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("\n```{language}\n");
    page.split(&fence).skip(1).map(|rest| &rest[..=rest.find("\n```\n").expect("the fence ends")]).collect()
}

#[test]
fn the_guide_shows_the_files_that_are_run() {
    for (page, language, files) in SHOWN {
        let shown = text(page);
        let shown = blocks(&shown, language);
        assert_eq!(shown.len(), files.len(), "{page} shows {files:?} and nothing else");
        for (block, file) in shown.into_iter().zip(files) {
            assert!(block == text(file), "{page} does not show {file} as it is: copy the file into its fence");
        }
    }
}

#[test]
fn every_client_completes_with_the_library_s_script() {
    let script = read_to_string(format!("{FILES}/../../consumer/src/lease/complete.lua")).unwrap();
    let script: String =
        script.lines().filter(|line| !line.starts_with("--")).map(|line| format!("{line}\n")).collect();
    for file in ["consumer.php", "consumer.py"] {
        assert!(text(file).contains(&script), "{file} has another script than consumer/src/lease/complete.lua");
    }
}
