//! The groups of the streams, and what their pending entries say.

use super::RedisStreams;
use super::discovery::{MOST_STREAMS, Streams};
use super::entry::EntryId;
use crate::glob;
use ::redis::{FromRedisValue, Pipeline, RedisResult, Value, from_redis_value};
use app::model::{BrokerKind, BrokerPanel, Fault, Layer, Queue};
use std::collections::HashMap;

/// Pending entries that are looked at of one group, and of all groups together: they are read with each panel.
const PENDING_OF_GROUP: usize = 1_000;
const PENDING_OF_ALL: usize = 10_000;

/// One group of one stream that matches.
pub(super) struct Group {
    pub stream: String,
    pub name: String,
    length: u64,
    consumers: u64,
    pub pending: u64,
    /// What comes after it waits.
    pub last_delivered: EntryId,
    /// `None`: Redis does not know it (before 7.0; entries were deleted; the group began in the middle).
    lag: Option<u64>,
}

/// What is there.
pub(super) struct Overview {
    pub groups: Vec<Group>,
    /// `None`: none is configured.
    dead_letter: Option<DeadLetter>,
    version: Option<String>,
    unmatched: Vec<String>,
    searching: bool,
}

struct DeadLetter {
    name: String,
    length: u64,
    /// A stream is made by the first entry that is put into it.
    exists: bool,
}

/// One line of `XPENDING`: id, consumer, milliseconds since the last delivery, deliveries.
pub(super) type Pending = (String, Vec<u8>, u64, u64);

impl RedisStreams {
    pub(super) async fn panel(&self) -> Result<BrokerPanel, Fault> {
        let Overview { groups, dead_letter, version, unmatched, searching } = self.overview().await?;
        let pending = self.pending_of(&groups).await?;
        let mut queues: Vec<Queue> = groups.into_iter().zip(&pending).map(|(group, of)| group.queue(of)).collect();
        queues.sort_by_cached_key(Queue::full_name);
        queues.extend(dead_letter.map(DeadLetter::queue));
        Ok(BrokerPanel {
            kind: BrokerKind::RedisStreams,
            address: self.redis.address.clone(),
            vhost: None,
            version,
            unmatched,
            searching,
            queues,
        })
    }

    /// All groups that match, with one pipeline for all streams.
    pub(super) async fn overview(&self) -> Result<Overview, Fault> {
        let Streams { names, mut unmatched, searching } = self.discovery.streams(&self.redis).await?;
        if names.len() > MOST_STREAMS {
            return Err(self.unreadable(format!(
                "{} streams match, at most {MOST_STREAMS} are read: narrow `streams`",
                names.len()
            )));
        }
        let mut pipeline = Pipeline::new();
        pipeline.ignore_errors();
        pipeline.cmd("INFO").arg("server");
        for name in &names {
            pipeline.cmd("XLEN").arg(name).cmd("XINFO").arg("GROUPS").arg(name);
        }
        // Last: an entry that is given up meanwhile is then counted here, and never nowhere.
        if let Some(name) = &self.dead_letter {
            pipeline.cmd("XLEN").arg(name).cmd("EXISTS").arg(name);
        }
        let mut connection = self.redis.connection().await?;
        let answer: RedisResult<Vec<RedisResult<Value>>> = pipeline.query_async(&mut connection).await;
        let mut answers = self.redis.kept(answer).await?.into_iter();
        let mut next = || answers.next().ok_or_else(|| self.unreadable("fewer answers than questions"));
        let version = version(next()?);
        let mut groups = Vec::new();
        for name in &names {
            let length = self.length(name, next()?).await?;
            match next()? {
                Err(error) if error.detail() == Some("no such key") => {
                    // One that a search found and that is gone since is no complaint.
                    unmatched.extend(self.discovery.is_exact(name).then(|| name.clone()));
                }
                answer => {
                    let found = self.groups_of(name, length, answer).await?;
                    let missing = found.is_empty() && self.discovery.is_exact(name);
                    unmatched.extend(missing.then(|| format!("{name}/{}", self.group)));
                    groups.extend(found);
                }
            }
        }
        // A wildcard may match streams of others: it is only told when none of them has the group.
        let with_group = |glob: &str| groups.iter().any(|group| glob::matches(glob, &group.stream));
        let without = |glob: &&str| names.iter().any(|name| glob::matches(glob, name)) && !with_group(glob);
        unmatched.extend(self.discovery.globs().filter(without).map(|glob| format!("{glob}/{}", self.group)));
        let dead_letter = match self.dead_letter.clone() {
            None => None,
            Some(name) => {
                let length = self.length(&name, next()?).await?;
                let exists = self.read(self.redis.kept(next()?).await?)?;
                Some(DeadLetter { name, length, exists })
            }
        };
        Ok(Overview { groups, dead_letter, version, unmatched, searching })
    }

    async fn length(&self, name: &str, answer: RedisResult<Value>) -> Result<u64, Fault> {
        match answer {
            Err(error) if error.code() == Some("WRONGTYPE") => {
                Err(self.unreadable(format!("the key {name:?} holds no stream: correct `streams` or `dead_letter`")))
            }
            answer => self.read(self.redis.kept(answer).await?),
        }
    }

    async fn groups_of(&self, stream: &str, length: u64, answer: RedisResult<Value>) -> Result<Vec<Group>, Fault> {
        let lines: Vec<HashMap<String, Value>> = self.read(self.redis.kept(answer).await?)?;
        let groups = lines.into_iter().map(|line| self.group(stream, length, &line));
        let groups: Vec<Group> = groups.collect::<Result<_, _>>()?;
        Ok(groups.into_iter().filter(|group| glob::matches(&self.group, &group.name)).collect())
    }

    fn group(&self, stream: &str, length: u64, line: &HashMap<String, Value>) -> Result<Group, Fault> {
        let field = |name: &str| {
            line.get(name).cloned().ok_or_else(|| self.unreadable(format!("XINFO GROUPS of {stream:?} has no {name}")))
        };
        let last_delivered: String = self.read(field("last-delivered-id")?)?;
        // Before 7.0 there is no such field; it is nil where Redis cannot count.
        let lag = line.get("lag").cloned().map(|lag| self.read::<Option<u64>>(lag)).transpose()?.flatten();
        Ok(Group {
            stream: stream.to_owned(),
            name: self.read(field("name")?)?,
            length,
            consumers: self.read(field("consumers")?)?,
            pending: self.read(field("pending")?)?,
            last_delivered: EntryId::parse(&last_delivered)
                .ok_or_else(|| self.unreadable(format!("{last_delivered:?} is no entry's id")))?,
            lag,
        })
    }

    /// The oldest pending entries of each group, in its order.
    async fn pending_of(&self, groups: &[Group]) -> Result<Vec<Vec<Pending>>, Fault> {
        if groups.is_empty() {
            return Ok(Vec::new());
        }
        let count = (PENDING_OF_ALL / groups.len()).clamp(10, PENDING_OF_GROUP);
        let mut pipeline = Pipeline::new();
        for group in groups {
            pipeline.cmd("XPENDING").arg(&group.stream).arg(&group.name).arg("-").arg("+").arg(count);
        }
        let mut connection = self.redis.connection().await?;
        let answer = pipeline.query_async(&mut connection).await;
        self.redis.kept(answer).await
    }

    pub(super) fn read<T: FromRedisValue>(&self, value: Value) -> Result<T, Fault> {
        from_redis_value(value).map_err(|error| self.unreadable(error.to_string()))
    }

    pub(super) fn unreadable(&self, detail: impl std::fmt::Display) -> Fault {
        Fault::Unreadable { layer: Layer::Broker, detail: format!("{}: {detail}", self.redis.address) }
    }
}

impl Overview {
    /// All streams and groups that are configured were found.
    pub(super) fn is_whole(&self) -> bool {
        self.unmatched.is_empty() && !self.searching
    }
}

impl Group {
    /// As [`Queue::full_name`] has it.
    pub(super) fn full_name(&self) -> String {
        format!("{}/{}", self.stream, self.name)
    }

    fn queue(self, pending: &[Pending]) -> Queue {
        let mut by_deliveries = [0; 5];
        for (.., deliveries) in pending {
            // An entry that was claimed without being handed out counts 0; it is pending all the same.
            let part = app::model::Group::DELIVERIES_FROM.iter().rposition(|from| deliveries >= from).unwrap_or(0);
            by_deliveries[part] += 1;
        }
        let group = app::model::Group {
            name: self.name,
            length: self.length,
            looked_at: pending.len() as u64,
            by_deliveries,
            most_deliveries: pending.iter().map(|(.., deliveries)| *deliveries).max(),
            oldest_idle_ms: pending.first().map(|(_, _, idle_ms, _)| *idle_ms),
            longest_idle_ms: pending.iter().map(|(_, _, idle_ms, _)| *idle_ms).max(),
        };
        Queue {
            ready: self.lag,
            unacked: Some(self.pending),
            consumers: Some(self.consumers),
            group: Some(group),
            ..queue(self.stream, Some("stream"))
        }
    }
}

impl DeadLetter {
    /// Nothing is handed out of it: what lies there is all that its length says.
    fn queue(self) -> Queue {
        let kind = self.exists.then_some("stream");
        Queue { ready: Some(self.length), unacked: Some(0), dead_letter: true, ..queue(self.name, kind) }
    }
}

fn queue(name: String, kind: Option<&str>) -> Queue {
    Queue {
        name,
        kind: kind.map(str::to_owned),
        ready: None,
        unacked: None,
        consumers: None,
        in_per_second: None,
        acked_per_second: None,
        redelivered_per_second: None,
        dead_letter: false,
        delivery_limit: None,
        consumer_timeout_ms: None,
        group: None,
    }
}

/// `None` also where an ACL forbids INFO.
fn version(info: RedisResult<Value>) -> Option<String> {
    let info: String = from_redis_value(info.ok()?).ok()?;
    let version = info.lines().find_map(|line| line.strip_prefix("redis_version:"))?;
    Some(version.trim().to_owned())
}
