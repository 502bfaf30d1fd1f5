//! In MySQL and MariaDB.

use super::reads;

async fn mysql(script: &str, preset: &str, beside: &str, expected: &[&str]) {
    let database = lab::mariadb_database("preset").await.unwrap();
    let script = format!("SET NAMES utf8mb4;\nSET time_zone = '+00:00';\n{script}");
    reads(&database.url, &script, preset, beside, expected).await;
}

#[tokio::test]
async fn the_textbook_table() {
    let script = "CREATE TABLE idempotent_record (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, biz_id VARCHAR(128) NOT NULL,
            biz_type VARCHAR(64) NOT NULL, status TINYINT NOT NULL DEFAULT 1, create_time DATETIME NOT NULL, update_time DATETIME NOT NULL,
            UNIQUE KEY uk_biz (biz_type, biz_id));
        INSERT INTO idempotent_record VALUES (1, 'o-1', 'ORDER_DONE', 1, '2026-11-29 08:00:00', '2026-11-29 08:00:00'),
            (2, 'o-1', 'ORDER_PAID', 2, '2026-11-29 08:00:01', '2026-11-29 08:00:02'), (3, 'o-3', 'ORDER_PAID', 3, '2026-11-29 08:00:03', '2026-11-29 08:00:03');
";
    let expected = [
        "1 | ORDER_DONE | o-1 | processing | 2026-11-29T08:00:00Z | 2026-11-29T08:00:00Z | - | - | - | -",
        "2 | ORDER_PAID | o-1 | completed | 2026-11-29T08:00:01Z | 2026-11-29T08:00:02Z | - | - | - | -",
        "3 | ORDER_PAID | o-3 | unmapped | 2026-11-29T08:00:03Z | 2026-11-29T08:00:03Z | - | - | - | -",
    ];
    mysql(script, "idempotent_record", "", &expected).await;
}

#[tokio::test]
async fn the_textbook_table_grown_up() {
    let script = "CREATE TABLE t_idem (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, biz_id VARCHAR(128) NOT NULL, biz_type VARCHAR(64) NOT NULL,
            status TINYINT NOT NULL, retry_count INT NOT NULL DEFAULT 0, last_error VARCHAR(512), create_time DATETIME(3) NOT NULL,
            update_time DATETIME(3) NOT NULL, UNIQUE KEY uk_biz (biz_type, biz_id));
        INSERT INTO t_idem VALUES (1, 'a', 'T', 3, 2, 'timeout', '2026-11-29 08:00:00.250', '2026-11-29 08:00:01'),
            (2, 'b', 'T', 4, 5, 'gave up', '2026-11-29 08:00:00', '2026-11-29 08:00:01'), (3, 'c', 'T', 5, 0, NULL, '2026-11-29 08:00:00', '2026-11-29 08:00:01');
";
    let expected = [
        "1 | T | a | failed | 2026-11-29T00:00:00.25Z | 2026-11-29T00:00:01Z | 2 | timeout | - | -",
        "2 | T | b | dead | 2026-11-29T00:00:00Z | 2026-11-29T00:00:01Z | 5 | gave up | - | -",
        "3 | T | c | dead | 2026-11-29T00:00:00Z | 2026-11-29T00:00:01Z | 0 | - | - | -",
    ];
    let beside = "table = \"t_idem\"\ncreated = { column = \"create_time\", timezone = \"Asia/Shanghai\" }\n\
        updated = { column = \"update_time\", timezone = \"Asia/Shanghai\" }\nstatus = { dead = [4, 5] }";
    mysql(script, "idempotent_record_retry", beside, &expected).await;
}

#[tokio::test]
async fn messages_that_were_consumed() {
    let script = "CREATE TABLE msg_idempotent (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, msg_id VARCHAR(64) NOT NULL, consumer_group VARCHAR(64) NOT NULL,
            status TINYINT(1) NOT NULL DEFAULT 1, create_time DATETIME, consume_time DATETIME, UNIQUE KEY uk_msg (msg_id, consumer_group));
        INSERT INTO msg_idempotent VALUES (1, '7F00', 'cg', 1, '2026-11-29 08:00:00', NULL), (2, '7F01', 'cg', 0, NULL, NULL);
";
    let expected = [
        "1 | cg | 7F00 | completed | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "2 | cg | 7F01 | unmapped | - | - | - | - | - | -",
    ];
    mysql(script, "msg_idempotent", "", &expected).await;
    let script = "CREATE TABLE mq_consume_record (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, event_id VARCHAR(64) NOT NULL, topic VARCHAR(64) NOT NULL,
            tag VARCHAR(32), consumer_group VARCHAR(64) NOT NULL, consume_status VARCHAR(20), retry_count INT, error_msg VARCHAR(512),
            create_time DATETIME NOT NULL, update_time DATETIME, UNIQUE KEY uk_event (event_id, consumer_group));
        INSERT INTO mq_consume_record VALUES (1, 'e-1', 'order', 'paid', 'cg', 'consuming', 0, NULL, '2026-11-29 08:00:00', NULL),
            (2, 'e-2', 'order', NULL, 'cg', 'Success', 1, NULL, '2026-11-29 08:00:00', '2026-11-29 08:00:01'),
            (3, 'e-3', 'order', 'x', 'cg', 'dead', 9, 'no stock', '2026-11-29 08:00:00', '2026-11-29 08:00:09');
";
    let expected = [
        "1 | order:paid:cg | e-1 | processing | 2026-11-29T08:00:00Z | - | 0 | - | - | -",
        "2 | order::cg | e-2 | completed | 2026-11-29T08:00:00Z | 2026-11-29T08:00:01Z | 1 | - | - | -",
        "3 | order:x:cg | e-3 | dead | 2026-11-29T08:00:00Z | 2026-11-29T08:00:09Z | 9 | no stock | - | -",
    ];
    mysql(script, "mq_consume_record", "", &expected).await;
}

#[tokio::test]
async fn rocketmq() {
    let script = "CREATE TABLE t_rocketmq_dedup (application_name VARCHAR(255) NOT NULL, topic VARCHAR(255) NOT NULL, tag VARCHAR(16) NOT NULL,
            msg_uniq_key VARCHAR(255) NOT NULL, status VARCHAR(16) NOT NULL, expire_time BIGINT NOT NULL,
            UNIQUE KEY uniq_key (application_name, topic, tag, msg_uniq_key)) DEFAULT CHARSET=latin1;
        INSERT INTO t_rocketmq_dedup VALUES ('points', 'ORDER', 'PAID', 'o-1', 'CONSUMING', 1795939230123), ('points', 'ORDER', 'PAID', 'o-2', 'CONSUMED', 1795939230000);
";
    let expected = [
        "- | points:ORDER:PAID | o-1 | processing | - | - | - | - | - | 2026-11-29T08:00:30.123Z",
        "- | points:ORDER:PAID | o-2 | completed | - | - | - | - | - | 2026-11-29T08:00:30Z",
    ];
    mysql(script, "rocketmq_dedup", "", &expected).await;
    let script = "CREATE TABLE t_rocketmq_dedup (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, create_time DATETIME NOT NULL, update_time DATETIME NOT NULL,
            application_name VARCHAR(32) NOT NULL, topic VARCHAR(64) NOT NULL, tag VARCHAR(32) NOT NULL, msg_uniq_key VARCHAR(64) NOT NULL,
            consume_status VARCHAR(16) NOT NULL, expire_time BIGINT, UNIQUE KEY uniq_key (application_name, topic, tag, msg_uniq_key));
        INSERT INTO t_rocketmq_dedup VALUES (7, '2026-11-29 08:00:00', '2026-11-29 08:00:01', 'points', 'ORDER', '*', 'o-1', 'CONSUMED', NULL);
";
    let expected =
        ["7 | points:ORDER:* | o-1 | completed | 2026-11-29T08:00:00Z | 2026-11-29T08:00:01Z | - | - | - | -"];
    mysql(script, "rocketmq_dedup_starter", "", &expected).await;
}

#[tokio::test]
async fn dotnetcore_cap() {
    let script = r#"CREATE TABLE `cap.received` (`Id` BIGINT NOT NULL, `Version` VARCHAR(20), `Name` VARCHAR(400) NOT NULL, `Group` VARCHAR(200),
            `Content` LONGTEXT, `Retries` INT, `Added` DATETIME NOT NULL, `ExpiresAt` DATETIME, `StatusName` VARCHAR(50) NOT NULL,
            PRIMARY KEY (`Id`), INDEX IX_ExpiresAt (`ExpiresAt`));
        INSERT INTO `cap.received` VALUES
            (1730000000000000001, 'v1', 'order.paid', 'points.v1', '{"Headers":{"cap-msg-id":"1729999999999999991","cap-msg-name":"order.paid"},"Value":{"id":7}}', 0, '2026-11-29 16:00:00', '2026-11-30 16:00:00', 'Succeeded'),
            (1730000000000000002, 'v1', 'order.paid', 'points.v1', '{"Headers":{"cap-msg-id":"1729999999999999992","cap-exception":"TimeoutException-->late"},"Value":null}', 3, '2026-11-29 16:00:01', NULL, 'Failed'),
            (1730000000000000003, 'v1', 'order.paid', 'points.v1', '{"Headers":{"cap-msg-id":"1729999999999999993"},"Value":1}', 0, '2026-11-29 16:00:02', NULL, 'Scheduled');
"#;
    let expected = [
        "1730000000000000001 | order.paid:points.v1 | 1729999999999999991 | completed | 2026-11-29T08:00:00Z | - | 0 | - | - | -",
        "1730000000000000002 | order.paid:points.v1 | 1729999999999999992 | failed | 2026-11-29T08:00:01Z | - | 3 | TimeoutException-->late | - | -",
        "1730000000000000003 | order.paid:points.v1 | 1729999999999999993 | processing | 2026-11-29T08:00:02Z | - | 0 | - | - | -",
    ];
    let beside = "table = [\"cap.received\"]\ncreated = { column = \"Added\", timezone = \"Asia/Shanghai\" }";
    mysql(script, "cap_received", beside, &expected).await;
}

#[tokio::test]
async fn nservicebus_camel_and_eventuate() {
    let script = "CREATE TABLE BillingOutboxData (MessageId NVARCHAR(200) NOT NULL, Dispatched BIT NOT NULL DEFAULT 0, DispatchedAt DATETIME,
            PersistenceVersion VARCHAR(23) NOT NULL, Operations JSON NOT NULL, PRIMARY KEY (MessageId), INDEX Index_DispatchedAt (DispatchedAt));
        INSERT INTO BillingOutboxData VALUES ('m-1', b'1', '2026-11-29 08:00:00', '8.0', '[]'), ('m-2', b'0', NULL, '8.0', '[]');
";
    let expected = [
        "- | BillingOutboxData | m-1 | completed | - | 2026-11-29T08:00:00Z | - | - | - | -",
        "- | BillingOutboxData | m-2 | processing | - | - | - | - | - | -",
    ];
    mysql(script, "nservicebus_outbox", "table = \"BillingOutboxData\"", &expected).await;
    let script = "CREATE TABLE CAMEL_MESSAGEPROCESSED (processorName VARCHAR(255), messageId VARCHAR(100), createdAt TIMESTAMP NULL,
            PRIMARY KEY (processorName, messageId));
        INSERT INTO CAMEL_MESSAGEPROCESSED VALUES ('orders', 'm-1', '2026-11-29 08:00:00');
";
    let expected = ["- | orders | m-1 | completed | 2026-11-29T08:00:00Z | - | - | - | - | -"];
    mysql(script, "camel", "", &expected).await;
    let script = "CREATE TABLE received_messages (consumer_id VARCHAR(255), message_id VARCHAR(255), creation_time BIGINT,
            published SMALLINT DEFAULT 0, PRIMARY KEY (consumer_id, message_id));
        INSERT INTO received_messages VALUES ('orderServiceEvents', '0000018f-0000', 1795939230123, 0), ('orderServiceEvents', '0000018f-0001', NULL, 0);
";
    let expected = [
        "- | orderServiceEvents | 0000018f-0000 | completed | 2026-11-29T08:00:30.123Z | - | - | - | - | -",
        "- | orderServiceEvents | 0000018f-0001 | completed | - | - | - | - | - | -",
    ];
    mysql(script, "eventuate_tram", "", &expected).await;
}

#[tokio::test]
async fn laravel() {
    let script = r#"CREATE TABLE idempotency_keys (`id` BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, `key` VARCHAR(255) NOT NULL, request_hash VARCHAR(255) NOT NULL,
            response TEXT NULL, status_code INT NULL, expires_at TIMESTAMP NULL, created_at TIMESTAMP NULL, updated_at TIMESTAMP NULL, UNIQUE (`key`));
        INSERT INTO idempotency_keys VALUES (1, 'k-1', 'h', NULL, NULL, NULL, '2026-11-29 08:00:00', '2026-11-29 08:00:00'),
            (2, 'k-2', 'h', '{}', 201, NULL, '2026-11-29 08:00:00', '2026-11-29 08:00:01'), (3, 'k-3', 'h', '{}', 422, NULL, '2026-11-29 08:00:00', '2026-11-29 08:00:01'),
            (4, 'k-4', 'h', '', 503, NULL, '2026-11-29 08:00:00', '2026-11-29 08:00:01');
"#;
    let expected = [
        "1 | - | k-1 | processing | 2026-11-29T08:00:00Z | 2026-11-29T08:00:00Z | - | - | - | -",
        "2 | - | k-2 | completed | 2026-11-29T08:00:00Z | 2026-11-29T08:00:01Z | - | - | - | -",
        "3 | - | k-3 | completed | 2026-11-29T08:00:00Z | 2026-11-29T08:00:01Z | - | - | - | -",
        "4 | - | k-4 | failed | 2026-11-29T08:00:00Z | 2026-11-29T08:00:01Z | - | - | - | -",
    ];
    mysql(script, "laravel_idempotency", "", &expected).await;
}
