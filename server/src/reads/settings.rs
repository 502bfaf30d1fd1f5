//! How each source is read and why, and the sources in the bar's menu.

use super::LiveReads;
use crate::clock::millis;
use crate::config::{Code, Condition, Rule, Signals, StatusColumn, Test, span_text};
use crate::ports::records::Description;
use crate::system::SourceSystem;
use app::model::{
    Health, Layer, LocksPanel, Panel, Problem, RecordsPanel, Settings, SignalsSettings, SourceHead, SourceSettings,
    Status,
};
use futures::future::join_all;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The engine behind an address, more exactly than its scheme says it, once the catalogue was read.
#[derive(Default)]
pub(super) struct Engines(Mutex<HashMap<String, String>>);

impl Engines {
    fn remember(&self, source: &str, engine: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(source.to_owned(), engine.to_owned());
    }

    fn of(&self, source: &SourceSystem) -> String {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&source.config.name).cloned();
        known.unwrap_or_else(|| by_scheme(source.config.records.url.expose()).to_owned())
    }
}

fn by_scheme(url: &str) -> &'static str {
    match url.split(':').next() {
        Some("mysql") => "MySQL",
        Some("mariadb") => "MariaDB",
        Some("postgres" | "postgresql") => "PostgreSQL",
        _ => "SQLite",
    }
}

impl LiveReads {
    pub(super) fn head(&self, source: &SourceSystem) -> SourceHead {
        let now = self.system.clock.now();
        let panel = |panel: &str| {
            let head = self.system.board.head(&source.config.name, panel);
            head.unwrap_or_else(|| Panel::waiting(self.period_ms()))
        };
        let records = panel("records");
        let locks = source.locks.as_ref().map(|_| panel("locks"));
        let signals = source.config.signals.is_some().then(|| panel("signals"));
        let brokers = (0..source.brokers.len()).map(|at| panel(&format!("brokers/{at}")));
        SourceHead {
            name: source.config.name.clone(),
            engine: self.engines.of(source),
            records: records.freshness(now).into(),
            locks: locks.map_or(Health::NotConfigured, |panel| match &panel.trouble {
                // Redis may well answer; what is known of its locks is old.
                Some(trouble) if trouble.fault.layer() == Some(Layer::Records) => Health::Stale,
                _ => panel.freshness(now).into(),
            }),
            broker: brokers
                .map(|panel| panel.freshness(now).into())
                .max_by_key(|health| badness(*health))
                .unwrap_or(Health::NotConfigured),
            signals: signals.map_or(Health::NotConfigured, |panel| panel.freshness(now).into()),
        }
    }

    pub(super) async fn all_settings(&self) -> Settings {
        let config = &self.system.config;
        let sources = join_all(self.system.sources.iter().map(|source| self.settings_of(source))).await;
        Settings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            config_path: config.path.as_ref().map(|path| path.display().to_string()),
            sources,
        }
    }

    async fn settings_of(&self, source: &SourceSystem) -> SourceSettings {
        let described = self.within(Layer::Records, source.records.describe()).await;
        let mut problems = Vec::new();
        let description = match described {
            Ok(description) => {
                self.engines.remember(&source.config.name, engine_name(&description));
                problems.extend(description.problems.iter().cloned());
                Some(description)
            }
            Err(fault) => {
                problems.push(Problem::Fault { fault });
                None
            }
        };
        let records: Panel<RecordsPanel> = self.panel(source, "records");
        let met = records.body.iter().flat_map(|body| &body.problems);
        problems.extend(met.map(|fault| Problem::Fault { fault: fault.clone() }));
        problems.extend(self.lock_problems(source));
        problems.extend(
            self.broker_panels(source)
                .into_iter()
                .filter_map(|panel| panel.body)
                .flat_map(|body| body.unmatched)
                .map(|glob| Problem::QueueNotFound { glob }),
        );
        let locks = source.config.locks.as_ref();
        SourceSettings {
            head: self.head(source),
            table: source.config.records.table.to_string(),
            database_version: description.as_ref().map(|description| description.version.clone()),
            timezone: source.config.timezone.name().to_owned(),
            strategy: description.as_ref().map(|description| description.choice.clone()),
            estimated_rows: description.as_ref().and_then(|description| description.estimated_rows),
            capabilities: description.map(|description| description.capabilities).unwrap_or_default(),
            problems,
            codes: codes(&source.config.records.status),
            lock_pattern: locks.map(|locks| locks.pattern.clone()),
            lock_ttl_ms: locks.and_then(|locks| locks.ttl).map(millis),
            retry_after_ms: millis(source.config.retry.after),
            signals: self.signals(source, &records),
            records,
        }
    }

    /// Types that the table has and nobody reports are missing: as far as its newest records and its locks name them.
    fn signals(&self, source: &SourceSystem, records: &Panel<RecordsPanel>) -> Option<SignalsSettings> {
        let prefix = match source.config.signals.as_ref()? {
            Signals::Redis { prefix, .. } => Some(prefix.clone()),
            Signals::Http => None,
        };
        let panel = self.signals_panel(source)?;
        let locks = self.locks_panel(source).and_then(|panel| panel.body);
        let handled = locks.iter().flat_map(|body| &body.fits).filter_map(|fit| fit.r#type.as_deref());
        let open = records.body.iter().flat_map(|body| &body.oldest).filter_map(|row| row.record.r#type.as_deref());
        let missing = panel.body.as_ref().map(|body| body.unreported(handled.chain(open))).unwrap_or_default();
        Some(SignalsSettings { prefix, missing, panel })
    }

    fn lock_problems(&self, source: &SourceSystem) -> Vec<Problem> {
        let Some(body) = self.locks_panel(source).and_then(|panel: Panel<LocksPanel>| panel.body) else {
            return Vec::new();
        };
        let shared = body.shared_owner.map(|owner| Problem::SharedLockOwner { owner });
        let eternal = (body.eternal.value > 0).then_some(Problem::LockWithoutTtl { count: body.eternal.value });
        let met = body.problems.into_iter().map(|fault| Problem::Fault { fault });
        shared.into_iter().chain(eternal).chain(met).collect()
    }
}

/// `MariaDB` of `MariaDB 10.11.11`.
fn engine_name(description: &Description) -> &str {
    description.engine.split(' ').next().unwrap_or(&description.engine)
}

/// With several brokers the worst one stands for the layer.
fn badness(health: Health) -> u8 {
    match health {
        Health::NotConfigured => 0,
        Health::Reachable => 1,
        Health::Waiting => 2,
        Health::Stale => 3,
        Health::Unreachable => 4,
    }
}

fn codes(status: &StatusColumn) -> Vec<(String, Vec<String>)> {
    let (rules, codes): (&[Rule], &[(Code, Status)]) = match status {
        StatusColumn::Exists(status) => return vec![(status.as_str().to_owned(), vec!["exists".to_owned()])],
        StatusColumn::Column(of) => (&[], &of.codes),
        StatusColumn::Rules { rules, otherwise } => (rules, otherwise.as_ref().map_or(&[], |of| of.codes.as_slice())),
    };
    let of = |status| {
        let rules = rules.iter().filter(move |rule| rule.status == status).map(rule);
        let codes = codes.iter().filter(move |(_, of)| *of == status).map(|(code, _)| code.to_string());
        rules.chain(codes).collect::<Vec<_>>()
    };
    let all = Status::ALL.into_iter().map(|status| (status.as_str().to_owned(), of(status)));
    all.filter(|(_, codes)| !codes.is_empty()).collect()
}

/// As the configuration would write it.
fn rule(rule: &Rule) -> String {
    match rule.when.as_slice() {
        [] => "always".to_owned(),
        conditions => conditions.iter().map(condition).collect::<Vec<_>>().join(", "),
    }
}

fn condition(Condition { column, test }: &Condition) -> String {
    match test {
        Test::Equals(code) => format!("{column} = {code}"),
        Test::NotEquals(code) => format!("{column} ≠ {code}"),
        Test::In(codes) => format!("{column} ∈ {}", codes.iter().map(Code::to_string).collect::<Vec<_>>().join(", ")),
        Test::IsNull => format!("{column} is_null"),
        Test::NotNull => format!("{column} not_null"),
        Test::OlderThan(age) => format!("{column} older_than {}", span_text(*age)),
        Test::NewerThan(age) => format!("{column} newer_than {}", span_text(*age)),
        Test::GreaterThanColumn(other) => format!("{column} > {other}"),
    }
}
