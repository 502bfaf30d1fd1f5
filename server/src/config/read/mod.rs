//! Typed readers, one file for each section. All fields of a section are read before the first missing one ends it.

mod archive;
mod broker;
mod condition;
mod part;
mod records;
mod retry;
mod status;
mod stores;
mod write;

use super::node::Node;
use super::{Collect, Config, Limits, Server, Source, State, address};
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

pub(super) fn config(root: &Node<'_>, path: Option<PathBuf>) -> Option<Config> {
    let server = server(&root.at("server"));
    let state = address::read(&root.at("state"), &address::STATE).map(|url| State { url });
    let collect =
        root.at("collect").at("period").duration(&(seconds(1)..=seconds(3600))).map(|period| Collect { period });
    let limits = limits(&root.at("limits"));
    let sources = sources(&root.at("source"));
    Some(Config { path, server: server?, state: state?, collect: collect?, limits: limits?, sources: sources? })
}

fn server(node: &Node<'_>) -> Option<Server> {
    let listen = node.at("listen");
    let accepted = "an address and a port such as \"127.0.0.1:8080\" or \"[::1]:8080\"";
    let listen =
        listen.text(accepted).and_then(|text| text.parse::<SocketAddr>().ok().or_else(|| listen.refuse(accepted)));
    let public_url = node.at("public_url").optional(web_address);
    Some(Server { listen: listen?, public_url: public_url? })
}

fn web_address(node: &Node<'_>) -> Option<url::Url> {
    let accepted = "http:// or https://, a host and perhaps a port, nothing after it: \"https://ops.example.com\"";
    let text = node.text(accepted)?;
    let url = url::Url::parse(&text).ok().filter(|url| {
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && bare
            && url.username().is_empty()
            && url.password().is_none()
    });
    // It may have been written with a password.
    url.or_else(|| node.problem(format!("found {}; accepted: {accepted}", super::without_password(&text))))
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn limits(node: &Node<'_>) -> Option<Limits> {
    let short = seconds(1).div_f32(10.0)..=seconds(60);
    let statement_timeout = node.at("statement_timeout").duration(&short);
    let connect_timeout = node.at("connect_timeout").duration(&short);
    let pool_size = count(node, "pool_size", 1..=64);
    let scan_rows = count(node, "scan_rows", 100..=10_000);
    let message_search = count(node, "message_search", 100..=100_000);
    let open_set = count(node, "open_set", 1_000..=100_000_000);
    let export_rows = count(node, "export_rows", 100..=100_000);
    let request_body = count(node, "request_body", 16_384..=16_777_216);
    let session_idle = node.at("session_idle").duration(&(seconds(60)..=seconds(30 * 86_400)));
    Some(Limits {
        statement_timeout: statement_timeout?,
        connect_timeout: connect_timeout?,
        pool_size: pool_size?,
        scan_rows: scan_rows?,
        message_search: message_search?,
        open_set: open_set?,
        export_rows: export_rows?,
        request_body: request_body?,
        session_idle: session_idle?,
    })
}

fn count<T: TryFrom<i64>>(node: &Node<'_>, name: &str, range: RangeInclusive<i64>) -> Option<T> {
    let node = node.at(name);
    T::try_from(node.integer(&range)?).ok().or_else(|| node.refuse("a smaller number"))
}

fn sources(node: &Node<'_>) -> Option<Vec<Source>> {
    let nodes = node.elements();
    let read: Vec<Option<Source>> = nodes.iter().map(source).collect();
    let sources: Vec<Source> = read.into_iter().collect::<Option<_>>()?;
    for (at, source) in sources.iter().enumerate() {
        if sources[..at].iter().any(|other| other.name == source.name) {
            return nodes[at].at("name").refuse("a name that no other source has");
        }
    }
    Some(sources)
}

fn source(node: &Node<'_>) -> Option<Source> {
    let name = slug(&node.at("name"));
    let timezone = node.at("timezone").timezone();
    let records = records::records(&node.at("records"));
    let has_type = records.as_ref().is_none_or(super::Records::has_type);
    let locks = node.at("locks").optional(|locks| stores::locks(locks, has_type));
    let signals =
        node.at("signals").optional(|signals| stores::signals(signals, locks.as_ref().and_then(Option::as_ref)));
    let brokers: Vec<_> = node.at("broker").elements().iter().map(broker::broker).collect();
    let brokers: Option<Vec<_>> = brokers.into_iter().collect();
    let retry = retry::retry(&node.at("retry"), records.as_ref(), brokers.as_deref());
    let archive = node.at("archive").optional(|archive| archive::archive(archive, records.as_ref()));
    Some(Source {
        name: name?,
        timezone: timezone?,
        records: records?,
        locks: locks?,
        signals: signals?,
        brokers: brokers?,
        retry: retry?,
        archive: archive?,
    })
}

fn slug(node: &Node<'_>) -> Option<String> {
    let accepted = "1 to 63 of a-z, 0-9, - and _";
    let name = node.text(accepted)?;
    let fits = name.len() <= 63 && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
    if fits { Some(name) } else { node.refuse(accepted) }
}
