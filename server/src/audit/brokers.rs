//! What a broker's queues say of the configuration.

use super::Findings;
use crate::clock::millis;
use crate::config::Retry;
use app::model::{BrokerPanel, Note, Problem, Queue};

pub(super) fn judge(retry: &Retry, panel: BrokerPanel, found: &mut Findings) {
    found.problems.extend(panel.unmatched.iter().map(|glob| Problem::QueueNotFound { glob: glob.clone() }));
    found.notes.extend(panel.searching.then_some(Note::StreamsNotSearched));
    let configured_ms = millis(retry.consumer_timeout);
    for queue in &panel.queues {
        if queue.dead_letter {
            found.notes.push(dead_letter(queue));
            continue;
        }
        let name = queue.full_name();
        if queue.consumers == Some(0) {
            found.notes.push(Note::NoConsumer { queue: name.clone() });
        }
        if queue.group.is_some() && queue.ready.is_none() {
            found.notes.push(Note::LagUnknown { group: name.clone() });
        }
        if let Some(broker_ms) = queue.consumer_timeout_ms.filter(|broker_ms| *broker_ms != configured_ms) {
            found.notes.push(Note::ConsumerTimeout { queue: name, broker_ms, configured_ms });
        }
    }
    found.brokers.push(panel);
}

fn dead_letter(queue: &Queue) -> Note {
    let name = queue.name.clone();
    match &queue.kind {
        // A queue is declared; a stream may not be there yet.
        None if queue.messages() == Some(0) => Note::DeadLetterNotYet { queue: name },
        _ => Note::DeadLetterFound { queue: name, messages: queue.messages() },
    }
}
