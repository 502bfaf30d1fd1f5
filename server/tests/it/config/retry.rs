//! `[source.retry]`: each mode with what it needs.

use super::{POINTS, read, refused};
use server::config::RetryMode;

fn with_retry(lines: &str) -> String {
    format!("{POINTS}\n[source.retry]\n{lines}")
}

#[test]
fn each_mode_is_read_with_what_it_needs() {
    let mode = |text: &str| read(text).sources.remove(0).retry.mode;
    assert!(matches!(mode(POINTS), RetryMode::Release));
    let hook =
        with_retry("mode = 'webhook'\nwebhook = { url = 'https://orders.example.com/again', secret = 's3cret' }");
    let RetryMode::Webhook(webhook) = mode(&hook) else { panic!("{hook}") };
    assert_eq!((webhook.url.expose(), webhook.secret.expose()), ("https://orders.example.com/again", "s3cret"));
    let mover = POINTS.replace(
        "dead_letter = \"points.dlq\"",
        "dead_letter = \"points.dlq\"\namqp = \"amqp://mq\"\nkey = \"message_id\"",
    );
    assert!(matches!(mode(&format!("{mover}\n[source.retry]\nmode = 'dead_letter'")), RetryMode::DeadLetter));
    let payload = mover.replace("updated = ", "payload = \"body\"\nupdated = ");
    let lines = "[source.retry]\nmode = 'republish'\nrepublish = { exchange = '', routing_key = 'points' }";
    let RetryMode::Republish(to) = mode(&format!("{payload}\n{lines}")) else { panic!("{payload}") };
    assert_eq!((to.exchange.as_str(), to.routing_key.as_str()), ("", "points"));
}

#[test]
fn a_mode_without_what_it_needs_is_refused() {
    insta::assert_snapshot!(refused(&with_retry("mode = 'dead_letter'")), @r#"source[0].retry.mode: found "dead_letter" (string); accepted: with exactly one [[source.broker]] that has dead_letter and key and, for rabbitmq, amqp; or another mode"#);
    insta::assert_snapshot!(refused(&with_retry("mode = 'republish'")), @r#"source[0].retry.mode: found "republish" (string); accepted: with exactly one [[source.broker]] of kind rabbitmq that has amqp; or another mode"#);
    insta::assert_snapshot!(refused(&with_retry("mode = 'webhook'")), @r#"source[0].retry.webhook: missing; accepted: { url = "https://…", secret_file = "…" }, which the mode "webhook" needs"#);
    insta::assert_snapshot!(refused(&with_retry("mode = 'again'")), @r#"source[0].retry.mode: found "again" (string); accepted: "release", "dead_letter", "republish", "webhook""#);
    // Also where another mode is chosen.
    insta::assert_snapshot!(refused(&with_retry("webhook = { url = 'ftp://u:s3cret@mq', private = true }")), @r#"
    source[0].retry.webhook.private: found an unknown key (boolean); accepted: url, secret
    source[0].retry.webhook.url: found ftp://u:[secret]@mq; accepted: https://, http://, for example https://orders.example.com/again
    source[0].retry.webhook.secret: missing; accepted: what its requests are signed with (or a file that holds it, as secret_file)
    "#);
}
