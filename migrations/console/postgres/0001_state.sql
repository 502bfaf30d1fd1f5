-- Oncewatch's own state. Times are milliseconds since 1970 in UTC, ids and hashes are text, true and false do not occur.
-- Expand only: a later file may add, never rename or remove, so that two versions of the server can share the database.

-- Rows that are locked to do things one after the other, and the number that was given out last.
CREATE TABLE oncewatch_counter (
    name VARCHAR(64) NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO oncewatch_counter (name, value) VALUES ('audit', 0), ('operator', 0), ('snapshot', 0);

CREATE TABLE oncewatch_lease (
    name VARCHAR(191) NOT NULL PRIMARY KEY,
    holder VARCHAR(191) NOT NULL,
    fence BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE TABLE oncewatch_snapshot (
    source VARCHAR(64) NOT NULL,
    panel VARCHAR(64) NOT NULL,
    version BIGINT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (source, panel)
);
CREATE INDEX oncewatch_snapshot_version ON oncewatch_snapshot (version);

-- One wide row per (source, type, minute); type '' is the source as a whole. NULL: not read in that minute.
CREATE TABLE oncewatch_minute (
    source VARCHAR(64) NOT NULL,
    type VARCHAR(191) NOT NULL,
    minute BIGINT NOT NULL,
    processing BIGINT,
    aging BIGINT,
    oldest_ms BIGINT,
    failed BIGINT,
    locks_held BIGINT,
    locks_wrong BIGINT,
    ready BIGINT,
    unacked BIGINT,
    dead_letter BIGINT,
    PRIMARY KEY (source, type, minute)
);
CREATE INDEX oncewatch_minute_minute ON oncewatch_minute (minute);

CREATE TABLE oncewatch_operator (
    name VARCHAR(191) NOT NULL PRIMARY KEY,
    role VARCHAR(16) NOT NULL,
    password_hash VARCHAR(255),
    created_at BIGINT NOT NULL
);

CREATE TABLE oncewatch_session (
    secret_hash VARCHAR(64) NOT NULL PRIMARY KEY,
    id VARCHAR(64) NOT NULL,
    operator VARCHAR(191) NOT NULL,
    expires_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
);
CREATE INDEX oncewatch_session_operator ON oncewatch_session (operator);
CREATE INDEX oncewatch_session_expires_at ON oncewatch_session (expires_at);

CREATE TABLE oncewatch_token (
    secret_hash VARCHAR(64) NOT NULL PRIMARY KEY,
    name VARCHAR(191) NOT NULL,
    role VARCHAR(16) NOT NULL,
    source VARCHAR(64),
    created_at BIGINT NOT NULL,
    expires_at BIGINT
);
CREATE UNIQUE INDEX oncewatch_token_name ON oncewatch_token (name);

CREATE TABLE oncewatch_link (
    secret_hash VARCHAR(64) NOT NULL PRIMARY KEY,
    kind VARCHAR(16) NOT NULL,
    operator VARCHAR(191),
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX oncewatch_link_expires_at ON oncewatch_link (expires_at);

-- ended_at NULL: begun and never ended. hash covers the row's first half and the hash of the row before.
CREATE TABLE oncewatch_audit (
    id BIGINT NOT NULL PRIMARY KEY,
    operation_id VARCHAR(191) NOT NULL,
    operation VARCHAR(64) NOT NULL,
    source VARCHAR(64) NOT NULL,
    actor VARCHAR(191) NOT NULL,
    origin TEXT NOT NULL,
    reason TEXT NOT NULL,
    begun_at BIGINT NOT NULL,
    target TEXT NOT NULL,
    hash VARCHAR(64) NOT NULL,
    ended_at BIGINT,
    outcome VARCHAR(64),
    detail TEXT
);
CREATE UNIQUE INDEX oncewatch_audit_operation_id ON oncewatch_audit (operation_id);
CREATE INDEX oncewatch_audit_source ON oncewatch_audit (source, id);
