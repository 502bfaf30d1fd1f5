use std::time::Duration;

/// Chooses the provider of TLS for the process. Harmless when it is chosen already.
pub fn install_tls() {
    // The error says that there is one, which is what was asked for.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// A client with both time-outs. It follows no redirect (credentials and requests stay with the host that was configured)
/// and asks no proxy of the environment (brokers are inside the team's network).
#[expect(clippy::disallowed_methods, reason = "the one place that makes HTTP clients")]
pub fn http_client(connect: Duration, total: Duration) -> Result<reqwest::Client, reqwest::Error> {
    install_tls();
    reqwest::Client::builder()
        .connect_timeout(connect)
        .timeout(total)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .user_agent(concat!("oncewatch/", env!("CARGO_PKG_VERSION")))
        .build()
}
