use crate::config;
use crate::http::App;
use crate::http::problem::Problem;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;

/// The names under which this server answers.
#[derive(Debug)]
pub struct Hosts {
    names: Vec<String>,
    /// Listening on all addresses, it cannot know them all. A bare address is no name that an attacker could point here.
    any_address: bool,
}

impl Hosts {
    pub fn of(server: &config::Server) -> Self {
        let listen = server.listen.ip();
        let mut names = vec!["localhost".to_owned(), "127.0.0.1".into(), "::1".into(), listen.to_string()];
        names.extend(
            server.public_url.as_ref().and_then(|url| url.host_str()).map(|host| bare(host).to_ascii_lowercase()),
        );
        Self { names, any_address: listen.is_unspecified() }
    }

    fn know(&self, host: &str) -> bool {
        let host = bare(host).to_ascii_lowercase();
        self.names.contains(&host) || (self.any_address && host.parse::<IpAddr>().is_ok())
    }
}

/// Without the port, and without the brackets of IPv6.
fn bare(host: &str) -> &str {
    match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((v6, _)) => v6,
        None => host.rsplit_once(':').filter(|(name, _)| !name.contains(':')).map_or(host, |(name, _)| name),
    }
}

/// `Host` and port as the browser asked for them; in HTTP/2 they stand in the address.
pub(in crate::http) fn asked_host(request: &Request) -> Option<&str> {
    match request.headers().get(header::HOST) {
        Some(host) => host.to_str().ok(),
        None => request.uri().authority().map(Authority::as_str),
    }
}

pub(in crate::http) async fn known_host(State(app): State<App>, request: Request, next: Next) -> Response {
    match asked_host(&request) {
        Some(host) if app.hosts.know(host) => next.run(request).await,
        _ => Problem::of(StatusCode::MISDIRECTED_REQUEST)
            .detail("set server.public_url to the address that browsers use")
            .into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::Hosts;
    use crate::config::Server;

    fn hosts(listen: &str, public_url: Option<&str>) -> Hosts {
        Hosts::of(&Server { listen: listen.parse().unwrap(), public_url: public_url.map(|url| url.parse().unwrap()) })
    }

    #[test]
    fn only_our_own_names_are_known() {
        let hosts = hosts("127.0.0.1:8080", Some("https://ops.example.com/"));
        for ours in
            ["127.0.0.1:8080", "localhost:8080", "localhost", "[::1]:8080", "OPS.example.com", "ops.example.com:443"]
        {
            assert!(hosts.know(ours), "{ours}");
        }
        for foreign in ["", "evil.example", "ops.example.com.evil.example", "10.0.0.7:8080", "127.0.0.1.evil.example"] {
            assert!(!hosts.know(foreign), "{foreign}");
        }
    }

    #[test]
    fn listening_everywhere_every_address_is_ours_but_no_name() {
        let hosts = hosts("0.0.0.0:80", None);
        assert!(hosts.know("10.0.0.7:8080") && hosts.know("[fe80::1]:80"));
        assert!(!hosts.know("evil.example"));
    }
}
