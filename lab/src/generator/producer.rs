//! Sends events, and some of them more than once: at the same instant, or when a time-out made somebody try again.

use super::Tasks;
use super::broker::Outlet;
use super::message::{Keys, Kind, Message};
use std::sync::Arc;
use std::time::Duration;

pub async fn produce(outlet: Arc<Outlet>, keys: Arc<Keys>, tasks: Tasks) -> anyhow::Result<()> {
    loop {
        let kind = Kind::draw();
        let message = Message::new(kind, keys.next(kind));
        outlet.send(&message).await?;
        for delay in duplicates() {
            let (outlet, message) = (outlet.clone(), message.clone());
            tasks.spawn(async move {
                tokio::time::sleep(delay).await;
                if let Err(error) = outlet.send(&message).await {
                    tracing::warn!(error = format!("{error:#}"), "a duplicate was not sent");
                }
            });
        }
        tokio::time::sleep(Duration::from_millis(rand::random_range(80..400))).await;
    }
}

/// Three in ten messages come again.
fn duplicates() -> Vec<Duration> {
    match rand::random_range(0..10) {
        0 => (0..rand::random_range(1..4)).map(|_| Duration::from_millis(rand::random_range(0..50))).collect(),
        1 => vec![Duration::from_millis(rand::random_range(500..3_000))],
        2 => vec![Duration::from_secs(rand::random_range(5..60))],
        _ => Vec::new(),
    }
}
