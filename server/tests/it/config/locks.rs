//! `[source.locks]`: kinds, places, hash tags.

use super::{read, refused, source, with};
use server::config::LockKind;

const URL: &str = "redis://:s3cret@cache:6379/0";

#[test]
fn every_kind_is_read_and_string_is_the_default() {
    let kind = |lines: &str| {
        let text = with("done = [\"done:*\", \"2\"]", lines);
        source(&read(&text)).locks.as_ref().unwrap().kind
    };
    assert_eq!(kind(""), LockKind::String);
    for (name, wanted) in LockKind::ALL {
        assert_eq!(kind(&format!("kind = \"{name}\"")), wanted);
    }
}

#[test]
fn a_cluster_and_sentinels_are_read_and_what_cannot_be_is_told_without_its_password() {
    for url in [
        "redis+cluster://ops:s3cret@a:7001,b:7002",
        "rediss+cluster://a/0",
        "redis+sentinel://:s3cret@s1,s2:26380/3?master=mymaster&sentinel_password=s3cret",
    ] {
        assert_eq!(source(&read(&with(URL, url))).locks.as_ref().unwrap().url.expose(), url);
    }
    for (url, said) in [
        ("redis+cluster://:s3cret@a,b/1", "found redis+cluster://:[secret]@a,b/1, which names a database"),
        (
            "redis+sentinel://s1/0?master=m&db=s3cret",
            "found redis+sentinel://s1/0?[secret], which has an unknown option",
        ),
        ("redis+sentinel://s1/0", "which does not name the master"),
        ("redis+http://s1", "accepted: redis://"),
    ] {
        let refused = refused(&with(URL, url));
        assert!(refused.contains(said), "{refused}");
    }
}

#[test]
fn a_hash_tag_is_told_from_a_slip() {
    let pattern = "idem_lock:{type}:{key}";
    for tagged in ["idem_lock:{{type}}:{key}", "lock:{{key}}:{type}"] {
        assert_eq!(source(&read(&with(pattern, tagged))).locks.as_ref().unwrap().pattern, tagged);
    }
    let constant = with(pattern, "{points}:{type}:{key}");
    assert!(refused(&constant).contains("source[0].locks.pattern"));
    let in_cluster = constant.replace(URL, "redis+cluster://a,b");
    assert_eq!(source(&read(&in_cluster)).locks.as_ref().unwrap().pattern, "{points}:{type}:{key}");
}
