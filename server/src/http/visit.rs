use super::cookies;
use app::model::{Lang, Theme};
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, header};
use leptos::nonce::Nonce;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use uuid::Uuid;

/// What is known of a request before anybody looks who sent it.
#[derive(Debug, Clone)]
pub(super) struct Visit {
    /// Stands in the log, in the header `x-request-id` and in every problem document.
    pub id: String,
    /// Of the one inline script that a page may have.
    pub nonce: Nonce,
    pub from: IpAddr,
    pub lang: Lang,
    pub theme: Theme,
    /// Path and query.
    pub url: String,
    pub speaks: Speaks,
}

/// How the answer is written when there is no page or document to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaks {
    /// To a person.
    Html,
    /// To a program: a problem document.
    Json,
}

/// Whether something stands before the console that says for whom it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proxy {
    None,
    OnThisMachine,
}

impl Visit {
    pub fn of(request: &Request, proxy: Proxy) -> Self {
        let headers = request.headers();
        let path = request.uri().path();
        let program = ["/api/", "/pkg/", "/healthz", "/readyz", "/metrics"].iter().any(|start| path.starts_with(start));
        let html = text(headers, header::ACCEPT).is_some_and(|accept| accept.contains("text/html"));
        Self {
            id: Uuid::now_v7().to_string(),
            nonce: Nonce::new(),
            from: from(request, proxy),
            lang: cookies::lang(headers)
                .unwrap_or_else(|| spoken(text(headers, header::ACCEPT_LANGUAGE).unwrap_or_default())),
            theme: cookies::theme(headers).unwrap_or(Theme::System),
            url: request.uri().path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string),
            speaks: if html && !program { Speaks::Html } else { Speaks::Json },
        }
    }
}

/// The peer; behind a proxy on this machine, whom the proxy saw. Without one, or from farther away, the header could be
/// anybody's invention.
fn from(request: &Request, proxy: Proxy) -> IpAddr {
    let peer =
        request.extensions().get::<ConnectInfo<SocketAddr>>().map_or(Ipv4Addr::LOCALHOST.into(), |peer| peer.0.ip());
    let last_hop = || {
        let hops = request.headers().get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
        hops.rsplit(',').next()?.trim().parse().ok()
    };
    if proxy == Proxy::OnThisMachine && peer.is_loopback() { last_hop().unwrap_or(peer) } else { peer }
}

/// The first language of the browser's list that there is; English when there is none.
fn spoken(accept_language: &str) -> Lang {
    let weight = |entry: &str| entry.split_once(";q=").map_or(1.0, |(_, q)| q.trim().parse().unwrap_or(0.0_f32));
    let mut wanted: Vec<(f32, Lang)> = accept_language
        .split(',')
        .filter_map(|entry| {
            let tag = entry.trim().to_ascii_lowercase();
            let lang = if tag.starts_with("zh") {
                Lang::Zh
            } else if tag.starts_with("en") {
                Lang::En
            } else {
                return None;
            };
            Some((weight(&tag), lang))
        })
        .collect();
    // Stable, so that of equal weights the first stays first.
    wanted.sort_by(|one, other| other.0.total_cmp(&one.0));
    wanted.first().map_or(Lang::En, |(_, lang)| *lang)
}

pub(super) fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::{Lang, spoken};

    #[test]
    fn the_browsers_order_decides() {
        for (header, lang) in [
            ("", Lang::En),
            ("zh-CN,zh;q=0.9,en;q=0.8", Lang::Zh),
            ("en-US,zh;q=0.9", Lang::En),
            ("zh;q=0.3, en;q=0.7", Lang::En),
            ("fr, de;q=0.9, zh;q=0.1", Lang::Zh),
            ("fr;q=nonsense", Lang::En),
        ] {
            assert_eq!(spoken(header), lang, "{header}");
        }
    }
}
