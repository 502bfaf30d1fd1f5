//! What pages, `/api` and the command line are told: panels from the board, lists and look-ups from the source's own
//! stores. Every question to a store is bounded in time here as well as on the far side; a layer that does not answer
//! becomes *unseen*, not an empty page.

mod archive;
mod beside;
mod course;
mod lock_list;
mod lookup;
mod open_list;
mod operable;
mod operations;
mod overview;
mod settings;
mod trail;

use crate::clock::millis;
use crate::kept::Kept;
use crate::live::Body;
use crate::ports::state::StateError;
use crate::system::{SourceSystem, System};
use app::model::{
    Archive, AuditEntry, AuditPage, AuditQuery, Beside, BrokerPanel, Brokers, Fault, ItemsPage, ItemsQuery, Layer,
    LocksPanel, LocksQuery, Lookup, Operated, Operation, Overview, Panel, RecordRef, RecordsPage, RecordsQuery,
    RunsPage, Settings, SignalsPanel, Signs, SourceHead, TimeRange,
};
use app::reads::Reads;
use async_trait::async_trait;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// After this a page goes on without the layer, whatever the configured time-outs.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

pub struct LiveReads {
    system: Arc<System>,
    /// What the catalogues said when they were last asked, for the names of engines in the bar.
    engines: settings::Engines,
    courses: Kept<course::Key, course::Told>,
    /// Retries that nobody took up, of a source.
    retries: Kept<String, Option<u64>>,
    signs: Kept<String, Signs>,
    abilities: operable::Abilities,
}

impl LiveReads {
    #[must_use]
    pub fn new(system: Arc<System>) -> Self {
        Self {
            system,
            engines: settings::Engines::default(),
            courses: Kept::default(),
            retries: Kept::default(),
            signs: Kept::default(),
            abilities: operable::Abilities::default(),
        }
    }

    fn source(&self, name: &str) -> Result<&SourceSystem, Fault> {
        self.system.source(name).ok_or_else(|| Fault::NoSource { source_name: name.to_owned() })
    }

    fn period_ms(&self) -> u64 {
        millis(self.system.config.collect.period)
    }

    /// The panel as the board has it; one that waits, before the first collection.
    fn panel<T: Body>(&self, source: &SourceSystem, panel: &str) -> Panel<T> {
        self.system.board.panel(&source.config.name, panel).unwrap_or_else(|| Panel::waiting(self.period_ms()))
    }

    fn locks_panel(&self, source: &SourceSystem) -> Option<Panel<LocksPanel>> {
        source.locks.is_some().then(|| self.panel(source, "locks"))
    }

    fn signals_panel(&self, source: &SourceSystem) -> Option<Panel<SignalsPanel>> {
        source.config.signals.is_some().then(|| self.panel(source, "signals"))
    }

    fn broker_panels(&self, source: &SourceSystem) -> Vec<Panel<BrokerPanel>> {
        (0..source.brokers.len()).map(|at| self.panel(source, &format!("brokers/{at}"))).collect()
    }

    /// How long a question to a store may take before the page goes on without it.
    fn wait(&self) -> Duration {
        let limits = &self.system.config.limits;
        (limits.connect_timeout + limits.statement_timeout).min(LONGEST_WAIT)
    }

    async fn within<T>(&self, layer: Layer, question: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        let wait = self.wait();
        tokio::time::timeout(wait, question).await.unwrap_or(Err(Fault::TimedOut { layer, after_ms: millis(wait) }))
    }
}

#[async_trait]
impl Reads for LiveReads {
    async fn sources(&self) -> Vec<SourceHead> {
        self.system.sources.iter().map(|source| self.head(source)).collect()
    }

    async fn overview(&self, source: &str, range: TimeRange) -> Result<Overview, Fault> {
        Ok(self.overview_of(self.source(source)?, range).await)
    }

    async fn standing(&self, source: &str) -> Result<Overview, Fault> {
        Ok(self.standing_of(self.source(source)?))
    }

    async fn signs(&self, source: &str) -> Result<Signs, Fault> {
        let source = self.source(source)?;
        let now = || self.system.clock.instant();
        let look = async {
            // What is not known has no number.
            let runs = self.count_pressing(&source.config.name).await.ok();
            Signs { runs, ..Signs::of(&self.standing_of(source)) }
        };
        Ok(self.signs.get(source.config.name.clone(), now, look).await)
    }

    async fn records(&self, source: &str, query: &RecordsQuery) -> Result<RecordsPage, Fault> {
        self.list(self.source(source)?, query).await
    }

    async fn lookup(&self, source: &str, r#type: Option<&str>, key: &str) -> Result<Lookup, Fault> {
        Ok(self.look_up(self.source(source)?, r#type, key).await)
    }

    async fn record(&self, source: &str, reference: &RecordRef) -> Result<Option<Lookup>, Fault> {
        self.look_up_row(self.source(source)?, reference).await
    }

    async fn beside(&self, source: &str, lookup: &Lookup) -> Result<Beside, Fault> {
        Ok(self.beside_of(self.source(source)?, lookup))
    }

    async fn locks(&self, source: &str) -> Result<Option<Panel<LocksPanel>>, Fault> {
        Ok(self.locks_panel(self.source(source)?))
    }

    async fn lock_list(&self, source: &str, query: &LocksQuery) -> Result<Option<Panel<LocksPanel>>, Fault> {
        let source = self.source(source)?;
        Ok(self.locks_panel(source).map(|panel| self.listing(source, panel, query)))
    }

    async fn brokers(&self, source: &str) -> Result<Brokers, Fault> {
        Ok(Brokers { brokers: self.broker_panels(self.source(source)?) })
    }

    async fn operable(&self, source: &str) -> Result<Vec<Operation>, Fault> {
        Ok(self.ability(self.source(source)?).await.operations())
    }

    async fn runs(&self, source: &str, before: Option<i64>) -> Result<RunsPage, Fault> {
        self.source(source)?;
        self.list_runs(source, before).await
    }

    async fn operation(&self, source: &str, id: &str) -> Result<Option<Operated>, Fault> {
        self.source(source)?;
        self.operation_of(source, id).await
    }

    async fn items(&self, source: &str, id: &str, query: &ItemsQuery) -> Result<ItemsPage, Fault> {
        self.source(source)?;
        self.items_of(source, id, query).await
    }

    async fn settings(&self) -> Settings {
        self.all_settings().await
    }

    async fn audit(&self, query: &AuditQuery) -> Result<AuditPage, Fault> {
        self.audit_page(query).await
    }

    async fn audit_entry(&self, number: i64, after: Option<i64>, events: u32) -> Result<Option<AuditEntry>, Fault> {
        self.audit_entry_of(number, after, events).await
    }

    async fn archive(&self, source: &str, before: Option<i64>) -> Result<Archive, Fault> {
        self.archive_of(self.source(source)?, before).await
    }
}

fn state_fault(error: &StateError) -> Fault {
    Fault::Unreachable { layer: Layer::State, detail: error.to_string() }
}
