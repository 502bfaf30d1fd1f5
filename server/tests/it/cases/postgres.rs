//! Tables of PostgreSQL.

use super::reads;

#[tokio::test]
async fn bigserial_with_a_code_and_several_key_columns() {
    let database = lab::postgres_database("case").await.unwrap();
    let script = "CREATE TABLE idempotency_keys (id bigserial PRIMARY KEY, created timestamptz NOT NULL, k text NOT NULL,
            last_run timestamptz NOT NULL, method char(6) NOT NULL, path text NOT NULL, code int NULL, user_id bigint NULL);
        CREATE UNIQUE INDEX ON idempotency_keys (user_id, k);
        INSERT INTO idempotency_keys VALUES
            (1, '2026-11-29 08:00:00.000001+00', 'k-1', '2026-11-29 08:00:00.1+00', 'POST', '/rides', NULL, 42),
            (2, '2026-11-29 08:00:00+00', 'k-1', 'infinity', 'POST', '/rides', 201, 9007199254740993),
            (3, '2026-11-29 08:00:00+00', 'a:b c/ü?%', '-infinity', 'PUT', '/x?x=y:z', 500, NULL),
            (9223372036854775807, '2026-07-01 00:00:00+02', 'k-5', 'epoch', 'DELETE', '', 0, 0);\n";
    let mapping = r#"timezone = "America/New_York"
        [source.records]
        url = "$URL"
        table = "public.idempotency_keys"
        id = "id"
        key = ["user_id", "k"]
        type = ["method", "path"]
        created = "created"
        updated = "last_run"
        [source.records.status]
        column = "code"
        processing = ["null"]
        completed = [201, 500]"#;
    let expected = [
        "1 | POST:/rides | 42:k-1 | processing | 2026-11-29T08:00:00.000001Z | 2026-11-29T08:00:00.1Z | - | - | - | -",
        "2 | POST:/rides | 9007199254740993:k-1 | completed | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "3 | PUT:/x?x=y:z | :a:b c/ü?% | completed | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "9223372036854775807 | DELETE: | 0:k-5 | unmapped | 2026-06-30T22:00:00Z | - | - | - | - | -",
    ];
    reads(&database.url, script, mapping, &expected).await;
}

#[tokio::test]
async fn quoted_names_uuids_and_a_boolean() {
    let database = lab::postgres_database("case").await.unwrap();
    let script = r#"CREATE SCHEMA "Sales";
        CREATE TABLE "Sales"."Inbox.State" ("MessageId" uuid NOT NULL, "ConsumerId" uuid NOT NULL, "LockId" uuid NULL,
            "Raw" bytea NULL, "Done" boolean NULL, "At" timestamp NULL, PRIMARY KEY ("MessageId", "ConsumerId"));
        CREATE TABLE "Sales"."inbox.state" ("MessageId" uuid);
        INSERT INTO "Sales"."Inbox.State" VALUES
            ('0B4C5A00-5D3F-08DD-AAAA-0242AC110002', '6FA459EA-EE8A-3CA4-894E-DB77E160355E', NULL, '\x00FF', true, '2026-11-29 08:00:00.123'),
            ('0B4C5A00-5D3F-08DD-CCCC-0242AC110002', '6fa459ea-ee8a-3ca4-894e-db77e160355e', '0B4C5A00-5D3F-08DD-BBBB-0242AC110002', NULL, false, NULL),
            ('0B4C5A00-5D3F-08DD-CCCC-0242AC110002', 'ffffffff-ffff-ffff-ffff-ffffffffffff', NULL, NULL, NULL, 'infinity');
"#;
    let mapping = r#"[source.records]
        url = "$URL"
        table = ["Sales", "Inbox.State"]
        key = ["MessageId"]
        type = "ConsumerId"
        updated = "At"
        owner = "LockId"
        error = "Raw"
        [source.records.status]
        column = "Done"
        processing = [false]
        completed = [true]"#;
    let consumer = "6fa459ea-ee8a-3ca4-894e-db77e160355e";
    let expected = [
        format!("- | {consumer} | 0b4c5a00-5d3f-08dd-aaaa-0242ac110002 | completed | - | 2026-11-29T08:00:00.123Z | - | 00ff | - | -"),
        format!("- | {consumer} | 0b4c5a00-5d3f-08dd-cccc-0242ac110002 | processing | - | - | - | - | 0b4c5a00-5d3f-08dd-bbbb-0242ac110002 | -"),
        "- | ffffffff-ffff-ffff-ffff-ffffffffffff | 0b4c5a00-5d3f-08dd-cccc-0242ac110002 | unmapped | - | - | - | - | - | -".to_owned(),
    ];
    reads(&database.url, script, mapping, &expected.each_ref().map(String::as_str)).await;
}

#[tokio::test]
async fn states_by_time_stamps_ranges_and_a_lease_that_is_counted() {
    let database = lab::postgres_database("case").await.unwrap();
    let script = "CREATE TABLE calls (seq bigserial PRIMARY KEY, ref text NOT NULL, kind text NOT NULL, queued timestamptz,
            began timestamptz, ended timestamptz, given_up timestamptz, http int, hidden boolean, body bytea,
            UNIQUE (kind, ref));
        INSERT INTO calls VALUES
            (1, 'a', 'pay', '2026-11-29 08:00:00+00', '2026-11-29 08:00:01+00', '2026-11-29 08:00:02+00', NULL, 200, false, 'x'),
            (2, 'b', 'pay', NULL, '2026-11-29 08:00:01+00', NULL, '2026-11-29 09:00:00+00', NULL, NULL, NULL),
            (3, 'c', 'pay', '2026-11-29 08:00:00+00', '2026-11-29 08:00:01+00', NULL, NULL, 404, false, 'y'),
            (4, 'd', 'pay', '2026-11-29 08:00:00+00', '2026-11-29 08:00:01+00', NULL, NULL, 600, false, NULL),
            (5, 'e', 'pay', '2026-11-29 08:00:00+00', NULL, NULL, NULL, NULL, false, NULL),
            (6, 'f', 'pay', '2026-11-29 08:00:00+00', NULL, NULL, NULL, NULL, true, NULL),
            (7, 'g', 'ping', '2026-11-29 08:00:00+00', NULL, NULL, NULL, NULL, false, NULL),
            (8, 'h', 'pay', '2026-11-29 08:00:03+00', '2026-11-29 08:00:01+00', NULL, NULL, NULL, false, 'z');\n";
    let mapping = r#"timezone = "America/New_York"
        [source.records]
        url = "$URL"
        table = "calls"
        id = "seq"
        key = ["ref"]
        type = "kind"
        created = ["queued", "began"]
        updated = ["given_up", "ended"]
        lease_until = { column = "began", plus = "5m" }
        where = [ { column = "hidden", not_equals = true }, { column = "kind", in = ["PAY", "refund"] } ]
        [source.records.status]
        column = "http"
        failed = ["400..599"]
        rules = [
            { status = "completed", not_null = "ended" },
            { status = "dead", not_null = "given_up" },
            { status = "processing", when = [ { column = "http", is_null = true }, { column = "body", is_null = true } ] },
            { status = "failed", when = [ { column = "queued", greater_than_column = "began" } ] },
        ]"#;
    let expected = [
        "1 | pay | a | completed | 2026-11-29T08:00:00Z | 2026-11-29T08:00:02Z | - | - | - | 2026-11-29T08:05:01Z",
        "2 | pay | b | dead | 2026-11-29T08:00:01Z | 2026-11-29T09:00:00Z | - | - | - | 2026-11-29T08:05:01Z",
        "3 | pay | c | failed | 2026-11-29T08:00:00Z | - | - | - | - | 2026-11-29T08:05:01Z",
        "4 | pay | d | unmapped | 2026-11-29T08:00:00Z | - | - | - | - | 2026-11-29T08:05:01Z",
        "5 | pay | e | processing | 2026-11-29T08:00:00Z | - | - | - | - | -",
        "8 | pay | h | failed | 2026-11-29T08:00:03Z | - | - | - | - | 2026-11-29T08:05:01Z",
    ];
    reads(&database.url, script, mapping, &expected).await;
}
