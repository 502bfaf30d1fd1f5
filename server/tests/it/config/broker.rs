//! `[[source.broker]]`: the keys of each kind.

use super::{POINTS, read, refused};
use server::config::{Broker, EntryPart, MessagePart, Pointer, RedisStreams};

fn with_broker(lines: &str) -> String {
    let (before, _) = POINTS.split_once("[[source.broker]]").unwrap();
    format!("{before}[[source.broker]]\n{lines}")
}

fn streams(lines: &str) -> RedisStreams {
    let text = with_broker(&format!("kind = 'redis-streams'\nurl = 'redis://:s3cret@cache:6379/1'\n{lines}"));
    match read(&text).sources.remove(0).brokers.remove(0) {
        Broker::RedisStreams(streams) => streams,
        other => panic!("{other:?}"),
    }
}

fn field(name: &str, json: Option<&str>) -> EntryPart {
    EntryPart::Field { name: name.into(), json: json.and_then(Pointer::parse) }
}

#[test]
fn streams_are_read_with_the_ways_to_tell_a_message() {
    let read = streams(
        "streams = ['points:*', 'refunds']\ngroup = 'points'\ndead_letter = 'points:dead'\nkey = { field = 'biz_id' }\n\
         type = { constant = 'ORDER_DONE' }",
    );
    assert_eq!((read.streams, read.group.as_str()), (vec!["points:*".to_owned(), "refunds".into()], "points"));
    assert_eq!((read.url.expose(), read.dead_letter.as_deref()), ("redis://:s3cret@cache:6379/1", Some("points:dead")));
    assert_eq!((read.key, read.r#type), (vec![field("biz_id", None)], vec![EntryPart::Constant("ORDER_DONE".into())]));
    let read = streams(
        "streams = 'a'\ngroup = 'g-*'\nkey = [{ field = 'shop' }, { field = 'body', json = '/order/no' }, 'message_id']",
    );
    assert_eq!(read.key, [field("shop", None), field("body", Some("/order/no")), EntryPart::MessageId]);
    assert_eq!((read.r#type, read.dead_letter), (Vec::new(), None));
}

#[test]
fn a_broker_takes_the_keys_of_its_kind() {
    insta::assert_snapshot!(refused(&with_broker("kind = 'redis-streams'\nurl = 'http://u:s3cret@mq'\nqueues = ['a']\nvhost = '/'\nkey = { header = 'x' }")), @r#"
    source[0].broker[0].vhost: found a value (string); kind = "redis-streams" does not read it in this version: remove it
    source[0].broker[0].queues: found a list; kind = "redis-streams" does not read it in this version: remove it
    source[0].broker[0].url: found http://u:[secret]@mq; accepted: redis://, rediss://, for example redis://cache:6379/1
    source[0].broker[0].streams: missing; accepted: names of streams, with * and ? as wildcards
    source[0].broker[0].group: missing; accepted: the name of a consumer group, with * and ? as wildcards
    source[0].broker[0].key.header: found an unknown key (string); accepted: field, json
    "#);
    insta::assert_snapshot!(refused(&with_broker("kind = 'redis-streams'\nurl = 'redis+cluster://cache'\nstreams = []\ngroup = ''\nkey = 'biz_id'\ntype = []")), @r#"
    source[0].broker[0].url: found redis+cluster://cache; accepted: redis://, rediss://, for example redis://cache:6379/1
    source[0].broker[0].streams: found an empty list; accepted: names of streams, with * and ? as wildcards
    source[0].broker[0].group: found "" (string); accepted: the name of a consumer group, with * and ? as wildcards
    source[0].broker[0].key: found "biz_id" (string); accepted: { field = "biz_id" }, { field = "payload", json = "/biz_id" }, { constant = "…" }, "message_id", or a list of these
    source[0].broker[0].type: found an empty list; accepted: { field = "biz_id" }, { field = "payload", json = "/biz_id" }, { constant = "…" }, "message_id", or a list of these
    "#);
    insta::assert_snapshot!(refused(&with_broker("kind = 'rabbitmq'\nurl = 'redis://:s3cret@cache'\nqueues = ['a']\nstreams = ['a']\ngroup = 'g'\nkey = { field = 'x' }")), @r#"
    source[0].broker[0].streams: found a list; kind = "rabbitmq" does not read it in this version: remove it
    source[0].broker[0].group: found a value (string); kind = "rabbitmq" does not read it in this version: remove it
    source[0].broker[0].url: found redis://:[secret]@cache; accepted: http://, https://, for example http://guest:${MQ_PW}@mq:15672
    source[0].broker[0].key.field: found an unknown key (string); accepted: header, json, constant
    "#);
}

#[test]
fn rabbitmq_is_read_with_the_ways_to_tell_a_message() {
    let text = with_broker(
        "kind = 'rabbitmq'\nurl = 'http://mq:15672'\namqp = 'amqp://u:s3cret@mq:5672'\nqueues = 'a'\n\
         key = [{ header = 'x-biz-id' }, { json = '/no' }, 'message_id']\ntype = { constant = 'T' }",
    );
    let Broker::RabbitMq(rabbit) = read(&text).sources.remove(0).brokers.remove(0) else { panic!("{text}") };
    let body = MessagePart::Body(Pointer::parse("/no").unwrap());
    assert_eq!(rabbit.key, [MessagePart::Header("x-biz-id".into()), body, MessagePart::MessageId]);
    assert_eq!(rabbit.r#type, [MessagePart::Constant("T".into())]);
    assert_eq!(rabbit.amqp.unwrap().expose(), "amqp://u:s3cret@mq:5672");
    insta::assert_snapshot!(refused(&with_broker("kind = 'rabbitmq'\nurl = 'http://mq:15672'\namqp = 'amqp://u:s3cret@mq/other'\nqueues = 'a'\nkey = { header = 'a', json = '/b' }")), @r#"
    source[0].broker[0].amqp: found a path in it; accepted: none, since vhost names the virtual host
    source[0].broker[0].key: found a table; accepted: { header = "x-biz-id" }, { json = "/biz_id" }, { constant = "…" }, "message_id", or a list of these
    "#);
}
