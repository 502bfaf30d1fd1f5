//! RabbitMQ's queues by its management API.
//!
//! One request for the queues: the server filters by name, so a vhost with ten thousand queues sends the few that
//! are asked for. Statistics of the management API are some seconds old and come field by field: a queue that was
//! declared a moment ago has no counts yet, and what is not there stays `None`.

use crate::clock::millis;
use crate::config;
use crate::glob;
use crate::ports::brokers::{BrokerStats, Oldest, Sighting};
use crate::telemetry;
use app::model::{BrokerKind, BrokerPanel, Fault, Layer, Queue};
use async_trait::async_trait;
use reqwest::{Client, Response, StatusCode};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// The management plug-in samples every five seconds.
const STATISTICS_LAG_MS: u64 = 5_000;

/// The management API's own maximum is 500.
const MOST_QUEUES: u32 = 500;

/// Only what is read below; a queue's full description is a hundred times as long.
const COLUMNS: &str = "name,type,messages_ready,messages_unacknowledged,consumers,\
message_stats.publish_details.rate,message_stats.ack_details.rate,message_stats.redeliver_details.rate,\
delivery_limit,arguments,effective_policy_definition";

/// Connects when it is first asked.
///
/// # Errors
/// [`Fault::BadInput`] for an address that is none; its text is not repeated, it holds a password.
pub fn connect(
    broker: &config::RabbitMq,
    limits: &config::Limits,
    http: Client,
) -> Result<Arc<dyn BrokerStats>, Fault> {
    let bad = |detail: &str| Fault::BadInput { what: "broker.url".into(), detail: detail.into() };
    let mut base = Url::parse(broker.url.expose()).map_err(|error| bad(&error.to_string()))?;
    if !matches!(base.scheme(), "http" | "https") {
        return Err(bad("the management API's address begins with http:// or https://"));
    }
    let host = base.host_str().ok_or_else(|| bad("there is no host in it"))?;
    let address = format!("{host}:{}", base.port_or_known_default().unwrap_or(15_672));
    let decode = |part: &str| percent_decoded(part).ok_or_else(|| bad("user or password is not UTF-8"));
    let user = decode(base.username())?;
    let password = base.password().map(decode).transpose()?.map(config::Secret::new);
    // The credentials leave the address, so that no message about it can show them.
    base.set_username("").and_then(|()| base.set_password(None)).map_err(|()| bad("it cannot carry a user"))?;
    Ok(Arc::new(RabbitMq {
        http,
        base,
        user,
        password,
        address,
        vhost: broker.vhost.clone(),
        globs: broker.queues.clone(),
        dead_letter: broker.dead_letter.clone(),
        timeout: limits.connect_timeout + limits.statement_timeout,
        version: Mutex::new(None),
    }))
}

struct RabbitMq {
    http: Client,
    base: Url,
    user: String,
    password: Option<config::Secret>,
    address: String,
    vhost: String,
    globs: Vec<String>,
    dead_letter: Option<String>,
    timeout: Duration,
    /// Asked once for each connection that works: it changes only with a restart, which shows as a failure.
    version: Mutex<Option<String>>,
}

#[async_trait]
impl BrokerStats for RabbitMq {
    async fn queues(&self) -> Result<BrokerPanel, Fault> {
        let read = self.read().await;
        if read.is_err() {
            *self.version.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        read
    }

    /// Searching by get and requeue would count as deliveries: quorum queues of RabbitMQ 4 drop a message after 20.
    async fn message(&self, _: Option<&str>, _: &str) -> Result<Sighting, Fault> {
        Ok(Sighting::Queue)
    }

    /// Its statistics know no ages.
    async fn oldest(&self) -> Result<Oldest, Fault> {
        Ok(Oldest::Unknown)
    }

    fn lag_ms(&self) -> u64 {
        STATISTICS_LAG_MS
    }
}

impl RabbitMq {
    async fn read(&self) -> Result<BrokerPanel, Fault> {
        let version = self.version().await?;
        let page: Page = self
            .get(
                &["api", "queues", &self.vhost],
                &[
                    ("page", "1"),
                    ("page_size", &MOST_QUEUES.to_string()),
                    ("use_regex", "true"),
                    ("name", &self.name_regex()),
                    ("columns", COLUMNS),
                ],
            )
            .await?;
        if page.filtered_count > u64::from(MOST_QUEUES) {
            let detail =
                format!("{} queues match, at most {MOST_QUEUES} are read: narrow `queues`", page.filtered_count);
            return Err(Fault::Unreadable { layer: Layer::Broker, detail });
        }
        Ok(self.panel(version, page.items))
    }

    async fn version(&self) -> Result<String, Fault> {
        if let Some(known) = self.version.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Ok(known);
        }
        let overview: Overview = self.get(&["api", "overview"], &[("columns", "rabbitmq_version")]).await?;
        *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(overview.rabbitmq_version.clone());
        Ok(overview.rabbitmq_version)
    }

    fn panel(&self, version: String, items: Vec<Item>) -> BrokerPanel {
        let mut queues: Vec<Queue> = items.into_iter().map(|item| item.queue(self.dead_letter.as_deref())).collect();
        queues.sort_by(|a, b| (a.dead_letter, &a.name).cmp(&(b.dead_letter, &b.name)));
        let names = || queues.iter().map(|queue| queue.name.as_str());
        let mut unmatched: Vec<String> =
            self.globs.iter().filter(|glob| !names().any(|name| glob::matches(glob, name))).cloned().collect();
        unmatched.extend(self.dead_letter.iter().filter(|dead| !names().any(|name| name == dead.as_str())).cloned());
        BrokerPanel {
            kind: BrokerKind::RabbitMq,
            address: self.address.clone(),
            vhost: Some(self.vhost.clone()),
            version: Some(version),
            unmatched,
            searching: false,
            queues,
        }
    }

    /// The globs and the dead letter as one regular expression, for the server to filter by.
    fn name_regex(&self) -> String {
        let dead_letter = self.dead_letter.iter().map(|name| escaped(name));
        let names: Vec<String> = self.globs.iter().map(|glob| glob_regex(glob)).chain(dead_letter).collect();
        format!("^(?:{})$", names.join("|"))
    }

    async fn get<T: DeserializeOwned>(&self, path: &[&str], query: &[(&str, &str)]) -> Result<T, Fault> {
        let mut url = self.base.clone();
        // `base` is http or https, which always has path segments.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url.query_pairs_mut().extend_pairs(query);
        let request = self
            .http
            .get(url)
            .basic_auth(&self.user, self.password.as_ref().map(config::Secret::expose))
            .timeout(self.timeout);
        let answer = request.send().await.map_err(|error| self.fault(error))?;
        self.accepted(answer)?.json().await.map_err(|error| self.fault(error))
    }

    fn accepted(&self, answer: Response) -> Result<Response, Fault> {
        let layer = Layer::Broker;
        match answer.status() {
            status if status.is_success() => Ok(answer),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Fault::Refused { layer }),
            StatusCode::NOT_FOUND => Err(Fault::Unreadable {
                layer,
                detail: format!("there is no vhost {:?}, or no management API at {}", self.vhost, self.address),
            }),
            status => Err(Fault::Unreadable { layer, detail: format!("{} answered {status}", self.address) }),
        }
    }

    fn fault(&self, error: reqwest::Error) -> Fault {
        let layer = Layer::Broker;
        if error.is_timeout() {
            return Fault::TimedOut { layer, after_ms: millis(self.timeout) };
        }
        let decoding = error.is_decode();
        let detail = format!("{}: {}", self.address, telemetry::innermost(&error.without_url()));
        if decoding { Fault::Unreadable { layer, detail } } else { Fault::Unreachable { layer, detail } }
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    // A form field's decoding differs from an address's in one sign only.
    let pair = format!("x={}", text.replace('+', "%2B"));
    let (_, value) = url::form_urlencoded::parse(pair.as_bytes()).next()?;
    (!value.contains(char::REPLACEMENT_CHARACTER)).then(|| value.into_owned())
}

fn escaped(literal: &str) -> String {
    literal.chars().fold(String::new(), |mut out, c| {
        if !c.is_alphanumeric() && c != '_' {
            out.push('\\');
        }
        out.push(c);
        out
    })
}

fn glob_regex(glob: &str) -> String {
    glob.chars().fold(String::new(), |mut out, c| {
        match c {
            '*' => out.push_str(".*"),
            '?' => out.push('.'),
            c => out.push_str(&escaped(c.encode_utf8(&mut [0; 4]))),
        }
        out
    })
}

#[derive(Deserialize)]
struct Overview {
    rabbitmq_version: String,
}

#[derive(Deserialize)]
struct Page {
    filtered_count: u64,
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    name: String,
    r#type: Option<String>,
    messages_ready: Option<u64>,
    messages_unacknowledged: Option<u64>,
    consumers: Option<u64>,
    message_stats: Option<Stats>,
    /// What is in force, of a version that tells it: a number, or a word for "none".
    delivery_limit: Option<Value>,
    arguments: Option<Arguments>,
    #[serde(default, deserialize_with = "policy")]
    effective_policy_definition: Option<Policy>,
}

/// What the queue was declared with. Values are the clients' own: any type may stand there.
#[derive(Deserialize)]
struct Arguments {
    #[serde(rename = "x-delivery-limit")]
    delivery_limit: Option<Value>,
    #[serde(rename = "x-consumer-timeout")]
    consumer_timeout: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Policy {
    delivery_limit: Option<Value>,
    consumer_timeout: Option<Value>,
}

/// An empty one is written as an empty list.
fn policy<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Policy>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    if value.is_object() { serde_json::from_value(value).map_err(D::Error::custom) } else { Ok(None) }
}

/// The stricter one holds where queue and policy both say it, as RabbitMQ has it. -1 is no limit.
fn strictest(said: [Option<&Value>; 2]) -> Option<u64> {
    said.into_iter().flatten().filter_map(Value::as_u64).min()
}

#[derive(Deserialize)]
struct Stats {
    publish_details: Option<Details>,
    ack_details: Option<Details>,
    redeliver_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    rate: Option<f64>,
}

impl Item {
    fn queue(self, dead_letter: Option<&str>) -> Queue {
        let rate = |pick: fn(&Stats) -> &Option<Details>| {
            self.message_stats.as_ref().and_then(|stats| pick(stats).as_ref()).and_then(|details| details.rate)
        };
        let (arguments, policy) = (self.arguments.as_ref(), self.effective_policy_definition.as_ref());
        let declared = [
            arguments.and_then(|arguments| arguments.delivery_limit.as_ref()),
            policy.and_then(|policy| policy.delivery_limit.as_ref()),
        ];
        let in_force = self.delivery_limit.as_ref().and_then(Value::as_u64);
        let timeout = [
            arguments.and_then(|arguments| arguments.consumer_timeout.as_ref()),
            policy.and_then(|policy| policy.consumer_timeout.as_ref()),
        ];
        Queue {
            delivery_limit: in_force.or_else(|| strictest(declared)),
            consumer_timeout_ms: strictest(timeout),
            group: None,
            in_per_second: rate(|stats| &stats.publish_details),
            acked_per_second: rate(|stats| &stats.ack_details),
            redelivered_per_second: rate(|stats| &stats.redeliver_details),
            dead_letter: dead_letter == Some(self.name.as_str()),
            name: self.name,
            kind: self.r#type,
            ready: self.messages_ready,
            unacked: self.messages_unacknowledged,
            consumers: self.consumers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{glob_regex, percent_decoded};
    use crate::glob;

    #[test]
    fn globs_match_whole_names() {
        for (glob, name, matches) in [
            ("points.*", "points.orders", true),
            ("points.*", "pointsXorders", false),
            ("*", "", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*.dlq", "a.b.dlq", true),
            ("*.dlq", "a.dlq.b", false),
            ("a*b*c", "aXbXbc", true),
            ("订单.*", "订单.完成", true),
        ] {
            assert_eq!(glob::matches(glob, name), matches, "{glob} on {name}");
        }
    }

    #[test]
    fn a_glob_becomes_a_regular_expression_without_surprises() {
        assert_eq!(glob_regex("points.*"), r"points\..*");
        assert_eq!(glob_regex("a+b?[x]"), r"a\+b.\[x\]");
    }

    #[test]
    fn credentials_are_decoded_as_an_address_has_them() {
        assert_eq!(percent_decoded("p%40ss+w%2Frd"), Some("p@ss+w/rd".into()));
    }
}
