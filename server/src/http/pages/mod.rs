//! Pages: one file for each noun, as in `app::pages`. A handler loads, and hands data, title and view to [`super::page`].

pub(super) mod archive;
pub(super) mod audit;
pub(super) mod brokers;
pub(super) mod home;
pub(super) mod link;
pub(super) mod locks;
pub(super) mod lookup;
pub(super) mod operations;
pub(super) mod overview;
pub(super) mod preferences;
pub(super) mod record;
pub(super) mod records;
pub(super) mod settings;
pub(super) mod signin;

/// A path of this server, as forms and links give one back; anything else could lead a person to another site.
fn local_path(text: &str) -> Option<&str> {
    let inside =
        text.starts_with('/') && !text.starts_with("//") && !text.contains(['\\']) && !text.contains(char::is_control);
    inside.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::local_path;

    #[test]
    fn only_paths_of_this_server_are_followed() {
        for ours in ["/", "/s/points/records?type=a%2Fb&cursor=1"] {
            assert_eq!(local_path(ours), Some(ours));
        }
        for foreign in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/a\r\nb",
            "/\t/evil.example",
            "/a\u{1}",
            "/a\u{7f}",
        ] {
            assert_eq!(local_path(foreign), None, "{foreign}");
        }
    }
}
