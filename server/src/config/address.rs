//! URLs of stores. Their passwords are never shown.

use super::node::Node;
use super::{RedisUrl, Secret};

/// Which URLs one key takes.
pub(super) struct Schemes {
    pub accepted: &'static [&'static str],
    /// An example, for messages.
    pub example: &'static str,
}

pub(super) const STATE: Schemes = Schemes {
    accepted: &["sqlite", "postgres", "postgresql", "mysql", "mariadb"],
    example: "sqlite://oncewatch.db or postgres://user@host/database",
};
pub(super) const RECORDS: Schemes = Schemes {
    accepted: &["mysql", "mariadb", "postgres", "postgresql", "sqlite"],
    example: "mysql://console:${POINTS_PW}@db:3306/points",
};
pub(super) const LOCKS: Schemes = Schemes {
    accepted: &["redis", "rediss", "redis+cluster", "rediss+cluster", "redis+sentinel", "rediss+sentinel"],
    example: "redis://cache:6379/0, redis+cluster://a:6379,b:6379 or redis+sentinel://s1:26379,s2:26379/0?master=mymaster",
};
pub(super) const MANAGEMENT: Schemes =
    Schemes { accepted: &["http", "https"], example: "http://guest:${MQ_PW}@mq:15672" };
pub(super) const AMQP: Schemes = Schemes { accepted: &["amqp"], example: "amqp://operator:${MQ_PW}@mq:5672" };
pub(super) const WEBHOOK: Schemes =
    Schemes { accepted: &["https", "http"], example: "https://orders.example.com/again" };
pub(super) const STREAMS: Schemes = Schemes { accepted: &["redis", "rediss"], example: "redis://cache:6379/1" };

/// The URL at `node`'s key `url` (or in the file named by `url_file`), when its scheme is one of these.
pub(super) fn read(node: &Node<'_>, schemes: &Schemes) -> Option<Secret> {
    read_at(&node.secret("url"), schemes)
}

/// The same at this key.
pub(super) fn read_at(node: &Node<'_>, schemes: &Schemes) -> Option<Secret> {
    let accepted = || {
        let names: Vec<_> = schemes.accepted.iter().map(|scheme| format!("{scheme}://")).collect();
        format!("{}, for example {}", names.join(", "), schemes.example)
    };
    let text = node.secret_text(&accepted)?;
    let shown = without_password(&text);
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    if !scheme.is_some_and(|scheme| schemes.accepted.contains(&scheme)) {
        return node.problem(format!("found {shown}; accepted: {}", accepted()));
    }
    if scheme.is_some_and(|scheme| scheme.contains('+')) {
        // Several hosts, which no URL has.
        if let Err(says) = RedisUrl::parse(&text) {
            return node.problem(format!("found {shown}, which {says}; accepted: {}", accepted()));
        }
    } else if scheme != Some("sqlite") {
        let url = match url::Url::parse(&text) {
            Ok(url) => url,
            Err(error) => {
                return node.problem(format!(
                    "found {shown}, which is no URL ({error}; special characters of a password are written as %40); accepted: {}",
                    accepted()
                ));
            }
        };
        if !url.has_host() {
            return node.problem(format!("found {shown}, which names no host; accepted: {}", accepted()));
        }
        if matches!(scheme, Some("mysql" | "mariadb")) && url.path().len() < 2 {
            return node.problem(format!("found {shown}, which names no database; accepted: {}", accepted()));
        }
    }
    Some(Secret::new(text))
}

/// The URL with its password, and whatever else may be one, replaced by `[secret]`.
#[must_use]
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return "[secret]".to_owned();
    };
    if scheme == "sqlite" {
        return url.to_owned();
    }
    let (authority, tail) = rest.find(['/', '?', '#']).map_or((rest, ""), |end| rest.split_at(end));
    // An unescaped `/`, `?` or `#` tears a password apart: its start would pass for a port, its rest for a path.
    let is_no_port = |host: &str| {
        host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']') && port.parse::<u16>().is_err())
    };
    let has_many_hosts = scheme.contains('+');
    let port_is_none = || if has_many_hosts { authority.split(',').any(is_no_port) } else { is_no_port(authority) };
    if tail.contains('@') || (!authority.contains('@') && port_is_none()) {
        return format!("{scheme}://[secret]");
    }
    // The value of an option may be a password too.
    let tail = tail.find(['?', '#']).map_or(tail.to_owned(), |options| format!("{}?[secret]", &tail[..options]));
    match authority.rsplit_once('@') {
        None => format!("{scheme}://{authority}{tail}"),
        Some((user, host)) => match user.split_once(':') {
            Some((name, _)) => format!("{scheme}://{name}:[secret]@{host}{tail}"),
            None => format!("{scheme}://{user}@{host}{tail}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn no_part_of_a_password_is_shown() {
        for (url, shown) in [
            ("mysql://console:s3cret@db:3306/points", "mysql://console:[secret]@db:3306/points"),
            ("redis://:s3cret@cache:6379/0", "redis://:[secret]@cache:6379/0"),
            ("mysql://u:s3@cret@db/points", "mysql://u:[secret]@db/points"),
            ("mysql://u:s3/cret@db/points", "mysql://[secret]"),
            ("mysql://u:s3?cret@db/points", "mysql://[secret]"),
            ("mysql://u:s3#cret@db/points", "mysql://[secret]"),
            ("mysql://u:s3?c?ret@db/points", "mysql://[secret]"),
            ("postgres://db/points?password=s3cret", "postgres://db/points?[secret]"),
            ("mysql://console:s3cret", "mysql://[secret]"),
            ("s3cret", "[secret]"),
            ("redis://[::1]:6379", "redis://[::1]:6379"),
            ("redis+cluster://a:7001,b", "redis+cluster://a:7001,b"),
            ("redis+cluster://ops:s3,cret@a:7001,b", "redis+cluster://ops:[secret]@a:7001,b"),
            ("redis+cluster://ops:s3cret,b:1", "redis+cluster://[secret]"),
            ("redis+sentinel://a/0?master=m&sentinel_password=s3cret", "redis+sentinel://a/0?[secret]"),
            ("sqlite://oncewatch.db", "sqlite://oncewatch.db"),
            ("redis://cache:6379/0", "redis://cache:6379/0"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}
