//! What a broker's queues say of the configuration.

use super::Findings;
use app::model::{BrokerPanel, Note, Problem};

pub(super) fn judge(panel: BrokerPanel, found: &mut Findings) {
    found.problems.extend(panel.unmatched.iter().map(|glob| Problem::QueueNotFound { glob: glob.clone() }));
    for queue in &panel.queues {
        if queue.dead_letter {
            found.notes.push(Note::DeadLetterFound { queue: queue.name.clone(), messages: queue.messages() });
        } else if queue.consumers == Some(0) {
            found.notes.push(Note::NoConsumer { queue: queue.name.clone() });
        }
    }
    found.brokers.push(panel);
}
