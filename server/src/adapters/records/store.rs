//! One table as it was found: its shape, read when it is needed, and statements that run against it, over any engine.

use super::catalogue::{Catalogue, Kind};
use super::dialect::{Dialect, Statement};
use super::leading::Leading;
use super::readings::Readings;
use super::select::{Cells, Selection};
use super::shape::Shape;
use crate::clock::Clock;
use crate::config::{Limits, Source, TableName};
use app::model::{Fault, Layer, Row};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::RwLock;
use url::Url;

/// A clock drifts by milliseconds in this time.
const CLOCK_ASKED_EVERY: Duration = Duration::from_secs(60);

/// What went wrong with a statement.
#[derive(Debug)]
pub enum Failure {
    /// A table or column that the statement names is not there any more.
    Gone,
    Fault(Fault),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// One row of a `SHOW`: columns and what they hold.
pub type Shown = Vec<(String, Option<String>)>;

/// One database engine: runs a statement under its own time-out, and reads its catalogue.
#[async_trait]
pub trait Engine: Send + Sync {
    fn dialect(&self) -> Dialect;
    async fn fetch(&self, statement: &Statement) -> Result<Vec<Cells>, Failure>;
    /// The rows of a statement such as `SHOW GRANTS`, by column, for what no catalogue says. An engine without such has none.
    async fn shown(&self, _sql: &'static str) -> Result<Vec<Shown>, Failure> {
        Ok(Vec::new())
    }
    /// `Ok(None)`: there is no such table.
    async fn catalogue(&self, table: &TableName) -> Result<Option<Catalogue>, Failure>;
    /// Names of the schema's tables that begin so, at most 5,000; no views.
    async fn tables(&self, schema: Option<&str>, prefix: &str) -> Result<Vec<String>, Failure>;
}

pub struct Store {
    pub(super) engine: Arc<dyn Engine>,
    pub(super) source: Source,
    pub(super) statement_timeout: Duration,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) readings: Readings,
    pub(super) leading: Leading,
    /// How far the database's clock was ahead of ours, and when.
    ahead: std::sync::Mutex<Option<(TimeDelta, Instant)>>,
    /// Read on first use, by `describe`, and after the table has changed.
    shape: RwLock<Option<Arc<Shape>>>,
}

impl Store {
    pub fn new(engine: Arc<dyn Engine>, source: &Source, limits: &Limits, clock: Arc<dyn Clock>) -> Self {
        Self {
            engine,
            source: source.clone(),
            statement_timeout: limits.statement_timeout,
            clock,
            readings: Readings::default(),
            leading: Leading::default(),
            ahead: std::sync::Mutex::default(),
            shape: RwLock::new(None),
        }
    }

    /// By the database's clock, as far as it was asked.
    pub(super) fn now(&self) -> DateTime<Utc> {
        let ahead = *self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        self.clock.now() + ahead.map(|(ahead, _)| ahead).unwrap_or_default()
    }

    /// Rules that go by a row's age go by the database's clock.
    async fn know_the_time(&self) -> Result<(), Fault> {
        let asked = self.ahead.lock().unwrap_or_else(PoisonError::into_inner).map(|(_, at)| at);
        let now = self.clock.instant();
        if asked.is_none_or(|at| now.saturating_duration_since(at) > CLOCK_ASKED_EVERY) {
            self.ask_clock().await?;
        }
        Ok(())
    }

    pub(super) async fn ask_clock(&self) -> Result<DateTime<Utc>, Fault> {
        let rows = self.fetch(&self.engine.dialect().clock()).await?;
        let text = rows.first().and_then(|cells| cells.first()?.show(Kind::Instant));
        let now = text
            .as_deref()
            .and_then(|text| super::time::iso(text, Tz::UTC))
            .ok_or_else(|| Fault::Unreadable { layer: Layer::Records, detail: format!("the clock said {text:?}") })?;
        let ahead = (now - self.clock.now(), self.clock.instant());
        *self.ahead.lock().unwrap_or_else(PoisonError::into_inner) = Some(ahead);
        Ok(now)
    }

    /// Of times that name no other.
    pub(super) fn zone(&self) -> chrono_tz::Tz {
        self.source.timezone
    }

    pub(super) fn table(&self) -> &TableName {
        &self.source.records.table
    }

    pub(super) async fn shape(&self) -> Result<Arc<Shape>, Fault> {
        let known = self.shape.read().await.clone();
        let shape = match known {
            Some(shape) => shape,
            None => self.read_shape().await?,
        };
        if shape.goes_by_age() {
            self.know_the_time().await?;
        }
        Ok(shape)
    }

    /// Reads the catalogue.
    pub(super) async fn read_shape(&self) -> Result<Arc<Shape>, Fault> {
        let table = &self.source.records.table;
        let catalogue = match self.engine.catalogue(table).await {
            Ok(Some(catalogue)) => catalogue,
            Ok(None) | Err(Failure::Gone) => return Err(Fault::TableMissing { table: table.to_string() }),
            Err(Failure::Fault(fault)) => return Err(self.placed(fault)),
        };
        let shape = Shape::new(&self.source.records, self.source.timezone, catalogue, self.engine.dialect())?;
        let shape = Arc::new(shape);
        *self.shape.write().await = Some(Arc::clone(&shape));
        Ok(shape)
    }

    /// Runs a statement. When the table has changed under it, says what is missing.
    pub(super) async fn fetch(&self, statement: &Statement) -> Result<Vec<Cells>, Fault> {
        match self.engine.fetch(statement).await {
            Ok(rows) => Ok(rows),
            Err(Failure::Fault(fault)) => Err(self.placed(fault)),
            Err(Failure::Gone) => {
                *self.shape.write().await = None;
                self.readings.forget();
                self.leading.forget();
                self.read_shape().await?;
                let detail = "the table was being changed just then".to_owned();
                Err(Fault::Unreadable { layer: Layer::Records, detail })
            }
        }
    }

    pub(super) fn placed(&self, fault: Fault) -> Fault {
        placed(self.source.records.url.expose(), fault)
    }

    /// `None`: it is not of this source.
    pub(super) fn row(&self, shape: &Shape, selection: &Selection, cells: &Cells) -> Option<Row> {
        let mut row = selection.row(shape, &self.source.name, cells, self.now(), &self.readings)?;
        // Two tables may have the same number.
        if let Some(id) = row.record.id.as_mut().filter(|_| self.source.records.numbered) {
            *id = format!("{}/{id}", self.table().table);
        }
        Some(row)
    }

    /// Runs a statement over `selection` and reads the rows that are of this source.
    pub(super) async fn rows(
        &self,
        shape: &Shape,
        selection: &Selection,
        select: &sea_query::SelectStatement,
    ) -> Result<Vec<Row>, Fault> {
        let found = self.fetch(&selection.build(shape.dialect, select)).await?;
        Ok(found.iter().filter_map(|cells| self.row(shape, selection, cells)).collect())
    }
}

/// The names of a statement that gives nothing else.
pub fn names(rows: &[Cells]) -> Vec<String> {
    rows.iter().filter_map(|cells| cells.first()?.show(Kind::Text)).collect()
}

/// For `LIKE … ESCAPE '!'`.
pub fn beginning_with(prefix: &str) -> String {
    let mut pattern = prefix.replace('!', "!!").replace('%', "!%").replace('_', "!_");
    pattern.push('%');
    pattern
}

/// Says where nobody answers: the drivers do not.
pub fn placed(url: &str, fault: Fault) -> Fault {
    match fault {
        Fault::Unreachable { layer, detail } => {
            Fault::Unreachable { layer, detail: format!("{}: {detail}", address(url)) }
        }
        fault => fault,
    }
}

/// Without user and password; of a file its name.
fn address(url: &str) -> String {
    let Ok(parsed) = Url::parse(url) else { return String::new() };
    match (parsed.host_str(), parsed.port()) {
        (Some(host), Some(port)) if parsed.scheme() != "sqlite" => format!("{host}:{port}"),
        (Some(host), None) if parsed.scheme() != "sqlite" => host.to_owned(),
        _ => url.split('?').next().and_then(|path| path.rsplit(['/', ':']).next()).unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn an_address_has_no_password() {
        for (url, shown) in [
            ("mysql://console:s3cret@db:3306/points", "db:3306"),
            ("postgres://console:s3cret@[::1]/points?sslmode=disable", "[::1]"),
            ("sqlite://data/points.db?mode=ro", "points.db"),
            ("sqlite:///var/points.db", "points.db"),
        ] {
            assert_eq!(address(url), shown);
        }
    }
}
