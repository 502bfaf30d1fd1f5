//! The services that everything in a run shares: those of the outer `lab run`, else our own, started when first asked.

use crate::environment;
use crate::services::{self, Running, rabbitmq::RabbitMq};
use std::future::Future;
use tokio::sync::OnceCell;

static REDIS: OnceCell<Shared> = OnceCell::const_new();
static MARIADB: OnceCell<Shared> = OnceCell::const_new();
static POSTGRES: OnceCell<Shared> = OnceCell::const_new();
static RABBITMQ: OnceCell<SharedRabbitMq> = OnceCell::const_new();

/// A static is never dropped, but its guard notices the end of the process.
struct Shared {
    url: String,
    _own: Option<Running>,
}

struct SharedRabbitMq {
    management_url: String,
    amqp_url: String,
    _own: Option<RabbitMq>,
}

/// A Redis that others use too.
#[derive(Debug, Clone)]
pub struct Redis {
    pub url: String,
}

/// # Errors
/// When it is not installed, or does not come up.
pub async fn redis() -> anyhow::Result<Redis> {
    Ok(Redis { url: shared(&REDIS, environment::REDIS_URL, services::redis::start()).await? })
}

pub(crate) async fn mariadb() -> anyhow::Result<String> {
    shared(&MARIADB, environment::MARIADB_URL, services::mariadb::start()).await
}

pub(crate) async fn postgres() -> anyhow::Result<String> {
    shared(&POSTGRES, environment::POSTGRES_URL, services::postgres::start()).await
}

async fn shared(
    cell: &OnceCell<Shared>,
    variable: &str,
    start: impl Future<Output = anyhow::Result<Running>>,
) -> anyhow::Result<String> {
    let shared = cell.get_or_try_init(async || match environment::read_url(variable)? {
        Some(url) => anyhow::Ok(Shared { url, _own: None }),
        None => start.await.map(|own| Shared { url: own.url().to_owned(), _own: Some(own) }),
    });
    Ok(shared.await?.url.clone())
}

/// The URLs of the management API and of AMQP, in this order.
pub(crate) async fn rabbitmq() -> anyhow::Result<(&'static str, &'static str)> {
    let shared = RABBITMQ.get_or_try_init(async || {
        let management = environment::read_url(environment::RABBITMQ_URL)?;
        let amqp = environment::read_url(environment::RABBITMQ_AMQP)?;
        if let (Some(management_url), Some(amqp_url)) = (management, amqp) {
            return Ok(SharedRabbitMq { management_url, amqp_url, _own: None });
        }
        let own = services::rabbitmq::start().await?;
        anyhow::Ok(SharedRabbitMq { management_url: own.url().to_owned(), amqp_url: own.amqp_url(), _own: Some(own) })
    });
    let shared = shared.await?;
    Ok((&shared.management_url, &shared.amqp_url))
}
