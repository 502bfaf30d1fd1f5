//! Puts the house together. The only file that names adapters.

use crate::adapters::webhook::{self, Guarded};
use crate::adapters::{brokers, locks, records, signals, state};
use crate::clock::{Clock, SystemClock};
use crate::config::{Config, RetryMode, Signals, Source, without_password};
use crate::ports::survey::Survey;
use crate::system::{SourceSystem, System};
use crate::telemetry;
use anyhow::Context;
use app::model::AuditBreak;
use std::sync::Arc;

/// Who opens the state database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The only one on an SQLite file.
    Server,
    /// A command: shares the file with a server.
    Cli,
    /// A command that only reads sources: it must work while the state is down, and leaves no file behind.
    Reader,
}

/// The machine's clocks.
#[must_use]
pub fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

/// Everything, on the machine's clocks.
pub async fn system(config: Config, role: Role) -> anyhow::Result<System> {
    system_at(config, role, clock()).await
}

/// Everything, on these clocks.
pub async fn system_at(config: Config, role: Role, clock: Arc<dyn Clock>) -> anyhow::Result<System> {
    let sources = sources(&config, &clock)?;
    let opened = state(&config, role, &clock).await?;
    Ok(System {
        clock,
        state: opened.stores.clone(),
        sources,
        board: Arc::default(),
        open_sets: Arc::default(),
        lock_rows: Arc::default(),
        pokes: Arc::default(),
        state_lock: Box::new(opened),
        config,
    })
}

/// Oncewatch's own database alone, migrated. Keep it for as long as the stores are used.
pub async fn state(config: &Config, role: Role, clock: &Arc<dyn Clock>) -> anyhow::Result<state::Opened> {
    let (url, clock) = (&config.state.url, clock.clone());
    let opened = match role {
        Role::Server => state::open_for_server(url, clock).await,
        Role::Cli => state::open_for_cli(url, clock).await,
        Role::Reader => state::open_untouched(url, clock),
    };
    opened.with_context(|| format!("state.url is {}", without_password(url.expose())))
}

/// Whether the state database answers, and where its audit was tampered with; it is left as it is.
pub async fn check_state(config: &Config, clock: &Arc<dyn Clock>) -> anyhow::Result<Option<AuditBreak>> {
    let url = &config.state.url;
    state::check(url, clock.clone()).await.with_context(|| format!("state.url is {}", without_password(url.expose())))
}

/// The stores of all sources. Nothing connects yet: a source that is down is down, not absent.
pub fn sources(config: &Config, clock: &Arc<dyn Clock>) -> anyhow::Result<Vec<SourceSystem>> {
    telemetry::install_tls();
    let limits = &config.limits;
    let http =
        telemetry::http_client(limits.connect_timeout, limits.statement_timeout).context("make the HTTP client")?;
    let hooks = telemetry::http_client_by(Arc::new(Guarded), limits.connect_timeout, limits.statement_timeout)
        .context("make the HTTP client of webhooks")?;
    let source = |source: &Source| {
        let redelivery = match &source.retry.mode {
            RetryMode::Webhook(webhook) => {
                Some(webhook::connect(&source.name, webhook, limits, hooks.clone(), clock.clone())?)
            }
            mode => brokers::redelivery(&source.brokers, mode, limits, &http, clock.clone())?,
        };
        let brokers = source.brokers.iter().map(|broker| brokers::connect(broker, limits, &http));
        let (records, audit) = records::audited(source, limits, clock.clone())?;
        anyhow::Ok(SourceSystem {
            records,
            audit,
            changes: records::changes(source, limits, clock.clone())?,
            archiver: records::archiver(source, limits, clock.clone())?,
            archive: records::archive(source, limits, clock.clone())?,
            locks: source.locks.as_ref().map(|config| locks::redis::connect(config, limits)).transpose()?,
            signals: match &source.signals {
                Some(Signals::Redis { url, prefix }) => {
                    Some(signals::redis::connect(&source.name, url, prefix, limits)?)
                }
                Some(Signals::Http) | None => None,
            },
            brokers: brokers.collect::<Result<_, _>>()?,
            redelivery,
            config: source.clone(),
        })
    };
    let named = |config: &Source| source(config).with_context(|| format!("source {}", config.name));
    config.sources.iter().map(named).collect()
}

/// The database of the only source, for whoever looks for its table. Nothing connects yet.
pub fn survey(config: &Config, clock: &Arc<dyn Clock>) -> anyhow::Result<Arc<dyn Survey>> {
    telemetry::install_tls();
    let source = config.sources.first().context("there is no source")?;
    Ok(records::survey(source, &config.limits, clock.clone())?)
}
