//! Look-ups over Redis Streams, which can say where one message is.

use super::{code, look_up};
use crate::brokers::Streams;
use crate::team::{Engine, Index, Team};
use app::model::{BrokerView, Evidence, Layer, Lookup, MessageState, VerdictCode};

async fn team() -> (Team, Streams) {
    let streams = Streams::with_orders().await;
    let at = Some((streams.url.clone(), streams.prefix.clone()));
    let team = Team { streams: at, ..Team::new(Engine::Sqlite, Index::None).await.with_redis().await };
    (team, streams)
}

fn state(lookup: &Lookup) -> Option<MessageState> {
    let facet = lookup.broker.as_ref().expect("a broker");
    assert_eq!(facet.view == BrokerView::Message, facet.state.is_some(), "{facet:?}");
    facet.state
}

#[tokio::test]
async fn a_message_that_waits_or_is_handed_out_decides_what_an_open_record_means() {
    let (team, streams) = team().await;
    let id = streams.add_order("orders", "k").await;
    let lookup = look_up(&team, "k").await;
    assert_eq!((code(&lookup), state(&lookup)), (VerdictCode::NotConsumed, Some(MessageState::Waiting)));
    team.insert(1, "k", 1, 900).await;
    assert_eq!(code(&look_up(&team, "k").await), VerdictCode::WaitingBehindRecord);
    team.sql("UPDATE idempotent_record SET status = 3").await;
    assert_eq!(code(&look_up(&team, "k").await), VerdictCode::FailedWaiting);

    streams.read("orders").await;
    streams.claim("orders", &id).await;
    let lookup = look_up(&team, "k").await;
    assert_eq!((code(&lookup), state(&lookup)), (VerdictCode::Retrying, Some(MessageState::Unacked)));
    assert_eq!(lookup.broker.as_ref().unwrap().deliveries, Some(2));
    let evidence = &lookup.verdict.as_ref().unwrap().evidence;
    let is_told = |fact: &Evidence| matches!(fact, Evidence::Message { deliveries: Some(2), idle_ms: Some(_), queue, .. } if *queue == format!("{}/points", streams.name("orders")));
    assert!(evidence.iter().any(is_told), "{evidence:?}");
    team.sql("UPDATE idempotent_record SET status = 1").await;
    assert_eq!(code(&look_up(&team, "k").await), VerdictCode::Unprotected);
    team.sql("DELETE FROM idempotent_record").await;
    assert_eq!(code(&look_up(&team, "k").await), VerdictCode::Claiming);
}

#[tokio::test]
async fn a_message_in_the_dead_letter_is_told_for_every_record() {
    let (team, streams) = team().await;
    streams.add_order("dead", "k").await;
    let lookup = look_up(&team, "k").await;
    assert_eq!((code(&lookup), state(&lookup)), (VerdictCode::UnrecordedInDeadLetter, Some(MessageState::Dead)));
    team.insert(1, "k", 1, 900).await;
    assert_eq!(code(&look_up(&team, "k").await), VerdictCode::ProcessingInDeadLetter);
    team.sql("UPDATE idempotent_record SET status = 3").await;
    let lookup = look_up(&team, "k").await;
    assert_eq!(code(&lookup), VerdictCode::FailedInDeadLetter);
    assert_eq!(lookup.verdict.unwrap().params["seen"], true);
    team.sql("UPDATE idempotent_record SET status = 2").await;
    assert_eq!(code(&look_up(&team, "k").await), VerdictCode::DuplicateInDeadLetter);
    team.insert(2, "other", 3, 900).await;
    let lookup = look_up(&team, "other").await;
    assert_eq!((code(&lookup), state(&lookup)), (VerdictCode::Failed, None), "the dead letter holds another message");
    assert!(lookup.verdict.unwrap().evidence.contains(&Evidence::MessageNotFound));
    let facet = lookup.broker.unwrap();
    assert_eq!((facet.view, facet.dead, lookup.unseen.len()), (BrokerView::NotSeen, Some(1), 0));
}

/// "Nothing" takes empty streams; not finding a message among others proves less.
#[tokio::test]
async fn only_empty_streams_say_that_nothing_is_left() {
    let (team, streams) = team().await;
    team.insert(1, "k", 1, 900).await;
    let lookup = look_up(&team, "k").await;
    assert_eq!((code(&lookup), lookup.broker.unwrap().view), (VerdictCode::Stuck, BrokerView::Queue));
    team.sql("UPDATE idempotent_record SET status = 3").await;
    assert_eq!(code(&look_up(&team, "k").await), VerdictCode::FailedMessageGone);
    streams.add_order("orders", "other").await;
    let lookup = look_up(&team, "k").await;
    assert_eq!((code(&lookup), lookup.broker.unwrap().view), (VerdictCode::Failed, BrokerView::NotSeen));
    team.sql("UPDATE idempotent_record SET status = 1").await;
    assert_eq!(code(&look_up(&team, "k").await), VerdictCode::StuckOrUnprotected);
}

#[tokio::test]
async fn a_message_is_looked_for_under_the_type_of_its_record() {
    let (team, streams) = team().await;
    streams.add("dead", &["biz_type", "REFUND", "biz_id", "k"]).await;
    team.insert(1, "k", 3, 900).await;
    let console = team.console().await;
    let lookup = app::reads::Reads::lookup(&console.reads, crate::team::SOURCE, None, "k").await.unwrap();
    assert_eq!((code(&lookup), lookup.r#type.as_deref()), (VerdictCode::Failed, Some("ORDER_DONE")));
}

#[tokio::test]
async fn a_redis_that_is_away_is_not_seen_and_nothing_is_zero() {
    let (mut team, _streams) = team().await;
    team.insert(1, "k", 3, 900).await;
    team.streams.as_mut().unwrap().0 = "redis://127.0.0.1:9/".into();
    let lookup = look_up(&team, "k").await;
    assert_eq!((code(&lookup), lookup.unseen.as_slice()), (VerdictCode::Failed, [Layer::Broker].as_slice()));
    let facet = lookup.broker.unwrap();
    assert_eq!((facet.view, facet.ready, facet.unacked, facet.dead), (BrokerView::NotSeen, None, None, None));
}
