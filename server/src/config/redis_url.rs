//! Redis URLs: one server, a cluster by some of its nodes, or a master by its sentinels.

use super::Secret;

/// A Redis URL, taken apart.
#[derive(Debug, Clone)]
pub struct RedisUrl {
    pub topology: Topology,
    /// Its hosts, each as a `redis://` or `rediss://` URL of its own with credentials and database. Sentinels stand in
    /// for their servers: what is written before the `@` is the servers'.
    pub hosts: Vec<Secret>,
    /// `host:port` of each, without credentials.
    pub shown: Vec<String>,
    /// After the slash; empty where none is written.
    pub database: String,
}

#[derive(Debug, Clone)]
pub enum Topology {
    One,
    Cluster,
    Sentinel {
        /// The name under which the sentinels know it.
        master: String,
        /// The sentinels' own credentials.
        username: Option<String>,
        password: Option<Secret>,
    },
}

const CLUSTER_PORT: u16 = 6379;
const SENTINEL_PORT: u16 = 26379;

impl RedisUrl {
    /// # Errors
    /// What is wrong with it, in words that repeat no part of it: it may hold a password.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").ok_or("has no scheme")?;
        let (plain, port) = match scheme {
            "redis" | "rediss" => return Self::one(text),
            "redis+cluster" => ("redis", CLUSTER_PORT),
            "rediss+cluster" => ("rediss", CLUSTER_PORT),
            "redis+sentinel" => ("redis", SENTINEL_PORT),
            "rediss+sentinel" => ("rediss", SENTINEL_PORT),
            _ => return Err("has a scheme of another store".into()),
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (credentials, hosts) = match authority.rsplit_once('@') {
            Some((credentials, hosts)) => (format!("{credentials}@"), hosts),
            None => (String::new(), authority),
        };
        let topology = if scheme.ends_with("+cluster") { cluster(database, query) } else { sentinel(database, query) }?;
        let mut found = Self {
            topology,
            hosts: Vec::new(),
            shown: Vec::new(),
            database: database.trim_end_matches('/').to_owned(),
        };
        for host in hosts.split(',') {
            let shown = with_port(host, port)?;
            let path = if found.database.is_empty() { String::new() } else { format!("/{}", found.database) };
            found.hosts.push(Secret::new(format!("{plain}://{credentials}{shown}{path}")));
            found.shown.push(shown);
        }
        Ok(found)
    }

    fn one(text: &str) -> Result<Self, String> {
        let url = url::Url::parse(text).map_err(|error| error.to_string())?;
        let host = url.host_str().ok_or("names no host")?;
        Ok(Self {
            topology: Topology::One,
            hosts: vec![Secret::new(text.to_owned())],
            shown: vec![format!("{host}:{}", url.port().unwrap_or(CLUSTER_PORT))],
            database: url.path().trim_matches('/').to_owned(),
        })
    }
}

/// `host:port`; the host must be one.
fn with_port(host: &str, default: u16) -> Result<String, String> {
    let url =
        url::Url::parse(&format!("redis://{host}")).map_err(|error| format!("has a host that is none ({error})"))?;
    match url.host_str() {
        Some(name) if !name.is_empty() => Ok(format!("{name}:{}", url.port().unwrap_or(default))),
        _ => Err("names no host".into()),
    }
}

fn cluster(database: &str, query: &str) -> Result<Topology, String> {
    if !matches!(database, "" | "0" | "0/") {
        return Err("names a database: a cluster has only 0".into());
    }
    if !query.is_empty() {
        return Err("has options: a cluster's URL takes none".into());
    }
    Ok(Topology::Cluster)
}

fn sentinel(database: &str, query: &str) -> Result<Topology, String> {
    let number = database.trim_end_matches('/');
    if !number.is_empty() && number.parse::<u16>().is_err() {
        return Err("has something else than a database's number behind the slash".into());
    }
    let (mut master, mut username, mut password) = (None, None, None);
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let value = Some(value.into_owned()).filter(|value| !value.is_empty());
        match name.as_ref() {
            "master" => master = value,
            "sentinel_username" => username = value,
            "sentinel_password" => password = value.map(Secret::new),
            _ => return Err("has an unknown option: it takes master, sentinel_username, sentinel_password".into()),
        }
    }
    let master = master.ok_or("does not name the master: ?master=mymaster")?;
    Ok(Topology::Sentinel { master, username, password })
}

#[cfg(test)]
mod tests {
    use super::{RedisUrl, Topology};

    fn hosts(url: &str) -> Vec<String> {
        RedisUrl::parse(url).unwrap().hosts.iter().map(|host| host.expose().to_owned()).collect()
    }

    #[test]
    fn each_host_becomes_a_url_of_its_own() {
        assert_eq!(hosts("redis://:pw@cache:6380/3"), ["redis://:pw@cache:6380/3"]);
        assert_eq!(
            hosts("redis+cluster://ops:p%40w@a,b:7001,[::1]:7002/"),
            ["redis://ops:p%40w@a:6379", "redis://ops:p%40w@b:7001", "redis://ops:p%40w@[::1]:7002"]
        );
        assert_eq!(hosts("rediss+sentinel://s1,s2:26380/2?master=m"), ["rediss://s1:26379/2", "rediss://s2:26380/2"]);
    }

    #[test]
    fn sentinels_have_credentials_of_their_own() {
        let url = "redis+sentinel://:pw@s1/0?master=my%20master&sentinel_username=u&sentinel_password=p%26w";
        let Topology::Sentinel { master, username, password } = RedisUrl::parse(url).unwrap().topology else {
            panic!("{url}");
        };
        assert_eq!((master.as_str(), username.as_deref()), ("my master", Some("u")));
        assert_eq!(password.unwrap().expose(), "p&w");
    }

    #[test]
    fn what_cannot_be_is_told_without_its_password() {
        for (url, said) in [
            ("redis+cluster://:s3cret@a/1", "only 0"),
            ("redis+cluster://a?x=1", "takes none"),
            ("redis+cluster://:s3cret@", "host"),
            ("redis+sentinel://:s3cret@a", "?master="),
            ("redis+sentinel://a?master=", "?master="),
            ("redis+sentinel://a?master=m&passwort=s3cret", "unknown option"),
            ("redis+sentinel://a/s3cret?master=m", "number"),
            ("redis+cluster://a:port", "host"),
            ("http://a", "another store"),
        ] {
            let refused = RedisUrl::parse(url).unwrap_err();
            assert!(refused.contains(said) && !refused.contains("s3cret"), "{url}: {refused}");
        }
    }
}
