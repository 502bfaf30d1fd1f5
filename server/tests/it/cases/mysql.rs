//! Tables of MySQL and MariaDB.

use super::reads;

#[tokio::test]
async fn inverted_codes_and_zero_dates() {
    let database = lab::mariadb_database("case").await.unwrap();
    let script = "SET time_zone = '+00:00', sql_mode = '';
        CREATE TABLE t_msg (id INT NOT NULL AUTO_INCREMENT, biz_id VARCHAR(64) NOT NULL, biz_type VARCHAR(32) NULL,
            result INT NULL, tries INT NOT NULL DEFAULT 0, created TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
            updated TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00', PRIMARY KEY (id), KEY (biz_id)) DEFAULT CHARSET=utf8mb4;
        INSERT INTO t_msg VALUES (1, 'SO-1', 'stock', 0, 1, '2026-11-29 08:00:00', '2026-11-29 08:00:05'),
            (2, 'SO-1', 'stock', 2, 1, '2026-11-29 08:00:03', '0000-00-00 00:00:00'),
            (3, 'SO-2', NULL, 1, 5, '2026-11-29 08:00:00', '2026-11-29 08:15:00'),
            (4, '', 'coupon', NULL, 2147483647, '2026-11-29 08:00:00', '2026-11-29 08:00:00');\n";
    let mapping = r#"timezone = "Asia/Shanghai"
        [source.records]
        url = "$URL"
        table = "t_msg"
        id = "id"
        key = ["biz_id"]
        type = "biz_type"
        created = "created"
        updated = "updated"
        attempts = "tries"
        [source.records.status]
        column = "result"
        processing = [2]
        completed = [0]
        failed = [1]"#;
    let expected = [
        "1 | stock | SO-1 | completed | 2026-11-29T08:00:00Z | 2026-11-29T08:00:05Z | 1 | - | - | -",
        "2 | stock | SO-1 | processing | 2026-11-29T08:00:03Z | - | 1 | - | - | -",
        "3 | - | SO-2 | failed | 2026-11-29T08:00:00Z | 2026-11-29T08:15:00Z | 5 | - | - | -",
        "4 | coupon |  | unmapped | 2026-11-29T08:00:00Z | 2026-11-29T08:00:00Z | 2147483647 | - | - | -",
    ];
    reads(&database.url, script, mapping, &expected).await;
}

#[tokio::test]
async fn text_codes_in_any_case_and_a_joined_key() {
    let database = lab::mariadb_database("case").await.unwrap();
    let script = "CREATE TABLE consumed (id BIGINT NOT NULL PRIMARY KEY, tenant BIGINT NOT NULL, event VARCHAR(64) NOT NULL,
            topic VARCHAR(64) NOT NULL, tag VARCHAR(32) NULL, state VARCHAR(20) NULL, created DATETIME NOT NULL,
            updated DATETIME(3) NULL, UNIQUE (tenant, event), KEY (state, updated)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
        INSERT INTO consumed VALUES
            (101, 9007199254740993, 'e:1', 'order', 'paid', 'PROCESSING', '2026-11-29 16:00:00', '2026-11-29 08:00:01.120'),
            (102, -1, 'e 2', 'order', NULL, 'Success', '2026-11-29 00:00:00', NULL),
            (103, 0, '事件', 'order', '', 'DeaD', '2026-11-29 16:00:00', NULL),
            (104, 1, 'y', 'order', '*', 'SÚCCESS', '2026-11-29 16:00:00', NULL),
            (105, 1, 'w', 'order', 'x', NULL, '2026-11-29 16:00:00', NULL);\n";
    let mapping = r#"[source.records]
        url = "$URL"
        table = "consumed"
        id = "id"
        key = ["tenant", "event"]
        type = ["topic", "tag"]
        created = { column = "created", timezone = "Asia/Shanghai" }
        updated = "updated"
        [source.records.status]
        column = "state"
        processing = ["processing"]
        completed = ["success"]
        dead = ["DEAD", "discarded"]"#;
    let expected = [
        "101 | order:paid | 9007199254740993:e:1 | processing | 2026-11-29T08:00:00Z | 2026-11-29T08:00:01.12Z | - | - | - | -",
        "102 | order: | -1:e 2 | completed | 2026-11-28T16:00:00Z | - | - | - | - | -",
        "103 | order: | 0:事件 | dead | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "104 | order:* | 1:y | unmapped | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "105 | order:x | 1:w | unmapped | 2026-11-29T08:00:00Z | - | - | - | - | -",
    ];
    reads(&database.url, script, mapping, &expected).await;
}

#[tokio::test]
async fn null_is_running_and_the_lease_is_in_milliseconds() {
    let database = lab::mariadb_database("case").await.unwrap();
    let script = "CREATE TABLE once (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, `key` VARBINARY(191) NOT NULL UNIQUE,
            is_success TINYINT(1) NULL, reason TEXT NULL, lock_id BINARY(4) NULL, lock_until BIGINT NULL,
            created DATETIME(3) NOT NULL) DEFAULT CHARSET=utf8mb4;
        INSERT INTO once VALUES (18446744073709551614, x'00FF', NULL, '', x'0000abcd', 1795939230123, '2026-11-29 08:00:00.120'),
            (2, x'01', 1, NULL, NULL, NULL, '2026-11-29 08:00:00.001'),
            (3, x'02', 0, 'first line\nsecond', NULL, 0, '2026-11-29 08:00:00.500'),
            (4, x'03', 2, NULL, NULL, NULL, '2026-11-29 08:00:00.010');\n";
    let mapping = r#"[source.records]
        url = "$URL"
        table = "once"
        id = "id"
        key = ["key"]
        type = { constant = "SETTLEMENT" }
        created = "created"
        error = "reason"
        owner = "lock_id"
        lease_until = { column = "lock_until", unit = "epoch_ms" }
        [source.records.status]
        column = "is_success"
        processing = ["null"]
        completed = [1]
        failed = [0]"#;
    let expected = [
        "18446744073709551614 | SETTLEMENT | 00ff | processing | 2026-11-29T08:00:00.12Z | - | - |  | 0000abcd | 2026-11-29T08:00:30.123Z",
        "2 | SETTLEMENT | 01 | completed | 2026-11-29T08:00:00.001Z | - | - | - | - | -",
        "3 | SETTLEMENT | 02 | failed | 2026-11-29T08:00:00.5Z | - | - | first line\nsecond | - | -",
        "4 | SETTLEMENT | 03 | unmapped | 2026-11-29T08:00:00.01Z | - | - | - | - | -",
    ];
    reads(&database.url, script, mapping, &expected).await;
}

#[tokio::test]
async fn no_id_and_four_columns_as_the_key() {
    let database = lab::mariadb_database("case").await.unwrap();
    let script = "CREATE TABLE dedup (app VARCHAR(64) NOT NULL, topic VARCHAR(64) NOT NULL, tag VARCHAR(64) NOT NULL,
            msg VARCHAR(255) NOT NULL, state VARCHAR(16) NOT NULL, expires BIGINT NULL,
            UNIQUE (app, topic, tag, msg)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
        INSERT INTO dedup VALUES ('points', 'ORDER', 'PAID', 'B-2', 'CONSUMED', 1795939200000),
            ('points', 'ORDER', 'PAID', 'b-2', 'CONSUMING', NULL), ('points', 'ORDER', '', 'B-10', 'consumed', NULL),
            ('积分', 'ORDER', 'A||B', '键:1', 'CONSUMING', NULL), ('mail', 'ORDER', 'PAID', '100%_', '', 4102444800000);\n";
    let mapping = r#"timezone = "Asia/Shanghai"
        [source.records]
        url = "$URL"
        table = "dedup"
        key = ["msg"]
        type = ["app", "topic", "tag"]
        lease_until = { column = "expires", unit = "epoch_ms" }
        [source.records.status]
        column = "state"
        processing = ["CONSUMING"]
        completed = ["CONSUMED"]"#;
    let expected = [
        "- | points:ORDER:PAID | B-2 | completed | - | - | - | - | - | 2026-11-29T08:00:00Z",
        "- | points:ORDER:PAID | b-2 | processing | - | - | - | - | - | -",
        "- | points:ORDER: | B-10 | completed | - | - | - | - | - | -",
        "- | 积分:ORDER:A||B | 键:1 | processing | - | - | - | - | - | -",
        "- | mail:ORDER:PAID | 100%_ | unmapped | - | - | - | - | - | 2100-01-01T00:00:00Z",
    ];
    reads(&database.url, script, mapping, &expected).await;
}
