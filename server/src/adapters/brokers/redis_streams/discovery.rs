//! Which streams there are. Names without a wildcard are taken as they are; for the others the key space is searched,
//! a budget at a time: a search that is not at its end goes on with the next reading.

use crate::adapters::redis::Redis;
use crate::glob;
use app::model::Fault;
use std::collections::BTreeSet;
use tokio::sync::Mutex;

/// `SCAN … COUNT`: blocks Redis for about 1 ms a call.
const SCAN_COUNT: u64 = 1_000;

/// Calls of one reading. With the default period of 5 s that is 0.4 % of Redis's time.
const MOST_SCANS: u32 = 20;

/// Each is asked for its groups, and each group for what is pending.
pub(super) const MOST_STREAMS: usize = 200;

pub(super) struct Discovery {
    exact: Vec<String>,
    globs: Vec<String>,
    /// Never one of the streams.
    dead_letter: Option<String>,
    search: Mutex<Search>,
}

#[derive(Default)]
struct Search {
    /// 0: at the beginning.
    cursor: u64,
    found: BTreeSet<String>,
    /// What the last whole search found; `None`: none is at its end yet.
    whole: Option<BTreeSet<String>>,
}

/// Streams by name; those that are named exactly need not be there.
pub(super) struct Streams {
    pub names: Vec<String>,
    /// Globs that no stream of a whole search matches.
    pub unmatched: Vec<String>,
    /// No whole search is at its end yet.
    pub searching: bool,
}

impl Discovery {
    pub(super) fn new(streams: &[String], dead_letter: Option<&str>) -> Self {
        let (globs, exact) = streams.iter().cloned().partition(|name| glob::has_wildcard(name));
        Self { exact, globs, dead_letter: dead_letter.map(str::to_owned), search: Mutex::default() }
    }

    pub(super) async fn streams(&self, redis: &Redis) -> Result<Streams, Fault> {
        let mut names: BTreeSet<String> = self.exact.iter().cloned().collect();
        let mut unmatched = Vec::new();
        let mut searching = false;
        if !self.globs.is_empty() {
            let mut search = self.search.lock().await;
            if let Err(fault) = self.search(redis, &mut search).await {
                // Another Redis may answer the next time, to which this cursor says nothing.
                *search = Search::default();
                return Err(fault);
            }
            searching = search.whole.is_none();
            let found: BTreeSet<&String> = search.found.iter().chain(search.whole.iter().flatten()).collect();
            let is_unmatched = |glob: &&String| !found.iter().any(|name| glob::matches(glob, name));
            unmatched = self.globs.iter().filter(|_| !searching).filter(is_unmatched).cloned().collect();
            names.extend(found.into_iter().cloned());
        }
        Ok(Streams { names: names.into_iter().collect(), unmatched, searching })
    }

    /// Whether the configuration names it without a wildcard.
    pub(super) fn is_exact(&self, name: &str) -> bool {
        self.exact.iter().any(|exact| exact == name)
    }

    /// Names with a wildcard.
    pub(super) fn globs(&self) -> impl Iterator<Item = &str> {
        self.globs.iter().map(String::as_str)
    }

    async fn search(&self, redis: &Redis, search: &mut Search) -> Result<(), Fault> {
        let mut connection = redis.connection().await?;
        for _ in 0..MOST_SCANS {
            // By type and not by MATCH: Redis's patterns know signs that are plain text here.
            let mut scan = ::redis::cmd("SCAN");
            scan.arg(search.cursor).arg("COUNT").arg(SCAN_COUNT).arg("TYPE").arg("stream");
            let answer = scan.query_async::<(u64, Vec<Vec<u8>>)>(&mut connection).await;
            let (next, keys) = redis.kept(answer).await?;
            let names = keys.into_iter().filter_map(|key| String::from_utf8(key).ok());
            search.found.extend(names.filter(|name| self.wants(name)));
            search.cursor = next;
            if next == 0 {
                search.whole = Some(std::mem::take(&mut search.found));
                break;
            }
        }
        Ok(())
    }

    fn wants(&self, name: &str) -> bool {
        self.dead_letter.as_deref() != Some(name) && self.globs.iter().any(|glob| glob::matches(glob, name))
    }
}
