use reqwest::ClientBuilder;
use reqwest::dns::Resolve;
use std::sync::Arc;
use std::time::Duration;

/// Chooses the provider of TLS for the process. Harmless when it is chosen already.
pub fn install_tls() {
    // The error says that there is one, which is what was asked for.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// A client with both time-outs. It follows no redirect (credentials and requests stay with the host that was configured)
/// and asks no proxy of the environment (brokers are inside the team's network).
pub fn http_client(connect: Duration, total: Duration) -> Result<reqwest::Client, reqwest::Error> {
    builder(connect, total).build()
}

/// The same, with names found by `resolver` only.
pub fn http_client_by(
    resolver: Arc<impl Resolve + 'static>,
    connect: Duration,
    total: Duration,
) -> Result<reqwest::Client, reqwest::Error> {
    builder(connect, total).dns_resolver(resolver).build()
}

#[expect(clippy::disallowed_methods, reason = "the one place that makes HTTP clients")]
fn builder(connect: Duration, total: Duration) -> ClientBuilder {
    install_tls();
    reqwest::Client::builder()
        .connect_timeout(connect)
        .timeout(total)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .user_agent(concat!("oncewatch/", env!("CARGO_PKG_VERSION")))
}

/// "connection refused" instead of "error sending request".
pub fn innermost(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
