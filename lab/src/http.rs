//! The client for RabbitMQ's management API.

use anyhow::Context;
use std::sync::LazyLock;
use std::time::Duration;

static CLIENT: LazyLock<reqwest::Result<reqwest::Client>> = LazyLock::new(build);

pub fn client() -> anyhow::Result<reqwest::Client> {
    match &*CLIENT {
        Ok(client) => Ok(client.clone()),
        Err(error) => Err(anyhow::anyhow!("make an HTTP client: {error}")),
    }
}

#[expect(clippy::disallowed_methods, reason = "telemetry::http_client belongs to the server, which uses this crate")]
fn build() -> reqwest::Result<reqwest::Client> {
    // The client needs a provider of cryptography even where it only speaks plain HTTP.
    // An error means that the program has chosen one already.
    let _already_chosen = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .no_proxy()
        .timeout(Duration::from_secs(10))
        .pool_max_idle_per_host(0) // tests each have their own runtime, and a pooled connection dies with it
        .build()
}

/// Sends, and turns an error status into an error that shows the body.
pub async fn send(request: reqwest::RequestBuilder) -> anyhow::Result<reqwest::Response> {
    let response = request.send().await.context("ask RabbitMQ's management API")?;
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let body = response.text().await.unwrap_or_else(|error| error.to_string());
    anyhow::bail!("RabbitMQ's management API says {status}: {body}")
}
