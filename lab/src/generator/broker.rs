//! The queues: RabbitMQ's, or inside the process where there is no RabbitMQ.

use super::message::Message;
use super::worker::{Settled, Worker};
use super::{COME_BACK_AFTER, Tasks};
use anyhow::Context;
use futures::StreamExt;
use lapin::message::Delivery;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicNackOptions, BasicPublishOptions, BasicQosOptions, ConfirmSelectOptions,
    QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc};

pub const QUEUES: [&str; 3] = ["points.order", "points.refund", "points.signin"];
pub const DEAD_LETTER: &str = "points.dlq";

const IN_FLIGHT: u16 = 8;
const IN_PROCESS: usize = 1_000;

/// Where producers put messages.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a generator has one")]
pub enum Outlet {
    RabbitMq { url: String, line: Mutex<Option<Line>> },
    InProcess(mpsc::Sender<Message>),
}

/// Where consumers take them from.
#[derive(Debug)]
pub enum Inlet {
    RabbitMq { url: String, queue: &'static str },
    InProcess { sender: mpsc::Sender<Message>, receiver: mpsc::Receiver<Message> },
}

/// A channel lives as long as its connection.
#[derive(Debug)]
pub struct Line {
    channel: Channel,
    _connection: Connection,
}

pub async fn open(amqp_url: Option<&str>) -> anyhow::Result<(Outlet, Vec<Inlet>)> {
    let Some(url) = amqp_url else {
        let (sender, receiver) = mpsc::channel(IN_PROCESS);
        return Ok((Outlet::InProcess(sender.clone()), vec![Inlet::InProcess { sender, receiver }]));
    };
    let line = connect(url).await?;
    declare(&line.channel).await?;
    let inlets = QUEUES.into_iter().map(|queue| Inlet::RabbitMq { url: url.to_owned(), queue }).collect();
    Ok((Outlet::RabbitMq { url: url.to_owned(), line: Mutex::new(Some(line)) }, inlets))
}

async fn connect(url: &str) -> anyhow::Result<Line> {
    let connection = Connection::connect(url, ConnectionProperties::default()).await.context("connect to RabbitMQ")?;
    let channel = connection.create_channel().await.context("open a channel")?;
    channel.confirm_select(ConfirmSelectOptions::default()).await.context("ask for confirms")?;
    channel.basic_qos(IN_FLIGHT, BasicQosOptions::default()).await.context("limit what is in flight")?;
    Ok(Line { channel, _connection: connection })
}

async fn declare(channel: &Channel) -> anyhow::Result<()> {
    let declare = async |queue: &str, arguments| {
        let declared = channel.queue_declare(queue.into(), QueueDeclareOptions::durable(), arguments).await;
        declared.map(|_| ()).with_context(|| format!("declare {queue}"))
    };
    declare(DEAD_LETTER, FieldTable::default()).await?;
    let mut arguments = FieldTable::default();
    arguments.insert("x-dead-letter-exchange".into(), AMQPValue::LongString("".into()));
    arguments.insert("x-dead-letter-routing-key".into(), AMQPValue::LongString(DEAD_LETTER.into()));
    for queue in QUEUES {
        declare(queue, arguments.clone()).await?;
    }
    Ok(())
}

impl Outlet {
    pub async fn send(&self, message: &Message) -> anyhow::Result<()> {
        let (url, line) = match self {
            Self::InProcess(sender) => return sender.send(message.clone()).await.context("the consumers are gone"),
            Self::RabbitMq { url, line } => (url, line),
        };
        let mut line = line.lock().await;
        let sent = match line.take() {
            Some(line) => line,
            None => connect(url).await?,
        };
        publish(&sent.channel, message).await?;
        *line = Some(sent); // after an error it stays empty, and the next message connects anew
        Ok(())
    }
}

async fn publish(channel: &Channel, message: &Message) -> anyhow::Result<()> {
    let body = serde_json::to_vec(message).context("write the message")?;
    let mut headers = FieldTable::default();
    headers.insert("x-biz-id".into(), AMQPValue::LongString(message.biz_id.as_str().into()));
    let properties = BasicProperties::default().with_headers(headers).with_delivery_mode(2);
    let queue = message.biz_type.queue().into();
    let confirm = channel.basic_publish("".into(), queue, BasicPublishOptions::default(), &body, properties).await;
    confirm.context("publish")?.await.context("wait for the confirm")?;
    Ok(())
}

impl Inlet {
    pub fn serve(self, worker: &Arc<Worker>, tasks: &Tasks) {
        let (worker, inner) = (worker.clone(), tasks.clone());
        match self {
            Self::RabbitMq { url, queue } => {
                tasks.keep_running(queue, move || consume(url.clone(), queue, worker.clone(), inner.clone()));
            }
            Self::InProcess { sender, receiver } => tasks.spawn(pass_on(sender, receiver, worker, inner)),
        }
    }
}

async fn consume(url: String, queue: &'static str, worker: Arc<Worker>, tasks: Tasks) -> anyhow::Result<()> {
    let line = connect(&url).await?;
    let consumer =
        line.channel.basic_consume(queue.into(), "".into(), BasicConsumeOptions::default(), FieldTable::default());
    let mut deliveries = consumer.await.context("consume")?;
    while let Some(delivery) = deliveries.next().await {
        let (delivery, worker) = (delivery.context("take the next delivery")?, worker.clone());
        tasks.spawn(async move {
            if let Err(error) = settle(&delivery, &worker).await {
                tracing::warn!(queue, error = format!("{error:#}"), "a delivery was not settled");
            }
        });
    }
    anyhow::bail!("RabbitMQ has ended the consumer")
}

async fn settle(delivery: &Delivery, worker: &Worker) -> anyhow::Result<()> {
    let back = BasicNackOptions { requeue: true, ..BasicNackOptions::default() };
    let dead = BasicNackOptions { requeue: false, ..BasicNackOptions::default() };
    let settled = match serde_json::from_slice(&delivery.data) {
        Ok(message) => worker.handle(&message).await,
        Err(error) => {
            tracing::warn!(%error, "a message that nobody can read goes to the dead letter");
            Ok(Settled::DeadLetter)
        }
    };
    match settled {
        Ok(Settled::Ack) => delivery.ack(BasicAckOptions::default()).await,
        Ok(Settled::DeadLetter) => delivery.nack(dead).await,
        Ok(Settled::Later(delay)) => {
            tokio::time::sleep(delay).await;
            delivery.nack(back).await
        }
        Err(error) => {
            tracing::warn!(error = format!("{error:#}"), "a delivery goes back");
            tokio::time::sleep(COME_BACK_AFTER).await;
            delivery.nack(back).await
        }
    }
    .context("settle the delivery")?;
    Ok(())
}

async fn pass_on(
    sender: mpsc::Sender<Message>,
    mut receiver: mpsc::Receiver<Message>,
    worker: Arc<Worker>,
    tasks: Tasks,
) {
    while let Some(message) = receiver.recv().await {
        let (sender, worker) = (sender.clone(), worker.clone());
        tasks.spawn(async move {
            let again = match worker.handle(&message).await {
                Ok(Settled::Ack | Settled::DeadLetter) => return,
                Ok(Settled::Later(delay)) => delay,
                Err(error) => {
                    tracing::warn!(error = format!("{error:#}"), "a message goes back");
                    COME_BACK_AFTER
                }
            };
            tokio::time::sleep(again).await;
            if sender.send(message).await.is_err() {
                tracing::debug!("the demonstration ends");
            }
        });
    }
}
