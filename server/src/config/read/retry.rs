//! `[source.retry]`.

use super::seconds;
use crate::config::node::Node;
use crate::config::{Broker, Records, Republish, Retry, RetryMode, Webhook, address};

#[derive(Clone, Copy)]
enum Mode {
    Release,
    DeadLetter,
    Republish,
    Webhook,
}

const MODES: [(&str, Mode); 4] = [
    ("release", Mode::Release),
    ("dead_letter", Mode::DeadLetter),
    ("republish", Mode::Republish),
    ("webhook", Mode::Webhook),
];

/// `records` and `brokers` as far as they could be read.
pub(super) fn retry(node: &Node<'_>, records: Option<&Records>, brokers: Option<&[Broker]>) -> Option<Retry> {
    let range = seconds(1)..=seconds(365 * 86_400);
    let after = node.at("after").duration(&range);
    let consumer_timeout = node.at("consumer_timeout").duration(&range);
    let mode = node.at("mode");
    // What another mode needs may stand there, and is read: so that a slip in it is not found in the night it is wanted.
    let republish = node.at("republish").optional(republish);
    let webhook = node.at("webhook").optional(webhook);
    let mode = match mode.choice(&MODES, &[])? {
        Mode::Release => RetryMode::Release,
        Mode::DeadLetter => {
            only_one(&mode, brokers?, Broker::moves_dead_letters, DEAD_LETTER)?;
            RetryMode::DeadLetter
        }
        Mode::Republish => {
            only_one(&mode, brokers?, Broker::publishes, PUBLISHES)?;
            if records?.payload.is_none() {
                return mode.refuse("with records.payload, the column that holds the message; or another mode");
            }
            let needs = "{ exchange = \"\", routing_key = \"points\" }, which the mode \"republish\" needs";
            RetryMode::Republish(republish?.or_else(|| node.at("republish").refuse(needs))?)
        }
        Mode::Webhook => {
            let needs = "{ url = \"https://…\", secret_file = \"…\" }, which the mode \"webhook\" needs";
            RetryMode::Webhook(webhook?.or_else(|| node.at("webhook").refuse(needs))?)
        }
    };
    Some(Retry { after: after?, consumer_timeout: consumer_timeout?, mode })
}

const DEAD_LETTER: &str = "with exactly one [[source.broker]] that has dead_letter and key and, for rabbitmq, amqp; or \
    another mode";
const PUBLISHES: &str = "with exactly one [[source.broker]] of kind rabbitmq that has amqp; or another mode";

fn only_one(mode: &Node<'_>, brokers: &[Broker], can: fn(&Broker) -> bool, accepted: &str) -> Option<()> {
    if brokers.iter().filter(|broker| can(broker)).count() == 1 { Some(()) } else { mode.refuse(accepted) }
}

fn republish(node: &Node<'_>) -> Option<Republish> {
    // The default exchange has an empty name.
    let exchange = node.at("exchange");
    let exchange = match exchange.value().and_then(toml::Value::as_str) {
        None | Some("") => Some(String::new()),
        Some(_) => exchange.text("the name of an exchange, \"\" for the default one"),
    };
    let routing_key = node.at("routing_key").text("a routing key; with the default exchange the name of a queue");
    Some(Republish { exchange: exchange?, routing_key: routing_key? })
}

fn webhook(node: &Node<'_>) -> Option<Webhook> {
    let url = address::read(node, &address::WEBHOOK);
    let secret = node.secret("secret").secret_text(&|| "what its requests are signed with".to_owned());
    Some(Webhook { url: url?, secret: crate::config::Secret::new(secret?) })
}
