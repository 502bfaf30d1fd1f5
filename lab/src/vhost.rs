//! A fresh and empty RabbitMQ vhost for each test.

use crate::{database::fresh_name, http, shared};
use anyhow::Context;

/// Empty when handed out.
#[derive(Debug, Clone)]
pub struct Vhost {
    pub name: String,
    /// The management API of the whole broker, with user and password.
    pub management_url: String,
    /// With user, password and vhost.
    pub amqp_url: String,
}

/// # Errors
/// When RabbitMQ is not installed, does not come up, or refuses.
pub async fn vhost(prefix: &str) -> anyhow::Result<Vhost> {
    let (management_url, amqp_url) = shared::rabbitmq().await?;
    let name = fresh_name(prefix)?;
    create(management_url, &name).await.with_context(|| format!("create the vhost {name}"))?;
    Ok(Vhost { management_url: management_url.to_owned(), amqp_url: format!("{amqp_url}/{name}"), name })
}

async fn create(management_url: &str, name: &str) -> anyhow::Result<()> {
    let client = http::client()?;
    http::send(client.put(format!("{management_url}/api/vhosts/{name}")).json(&serde_json::json!({}))).await?;
    let everything = serde_json::json!({ "configure": ".*", "write": ".*", "read": ".*" });
    http::send(client.put(format!("{management_url}/api/permissions/{name}/guest")).json(&everything)).await?;
    Ok(())
}
