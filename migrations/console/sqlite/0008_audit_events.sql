-- What became of operations, in the order in which it was written: each item with what it was before and after, who refused,
-- paused and stopped, the end. hash covers the row and the hash of the row before. No row is ever changed.
CREATE TABLE IF NOT EXISTS oncewatch_audit_event (
    id BIGINT NOT NULL PRIMARY KEY,
    operation_id VARCHAR(191) NOT NULL,
    kind VARCHAR(16) NOT NULL,
    actor VARCHAR(191) NOT NULL,
    origin TEXT NOT NULL,
    happened_at BIGINT NOT NULL,
    body TEXT NOT NULL,
    hash VARCHAR(64) NOT NULL
);
CREATE INDEX IF NOT EXISTS oncewatch_audit_event_operation ON oncewatch_audit_event (operation_id, id);

INSERT OR IGNORE INTO oncewatch_counter (name, value) VALUES ('audit_event', 0);

-- Records whose retry is done, until one is seen to be taken up. after_image NULL: the row was deleted. effect: 'open', or 'none'
-- once it should have been taken up.
CREATE TABLE IF NOT EXISTS oncewatch_retried (
    job VARCHAR(191) NOT NULL,
    at BIGINT NOT NULL,
    source VARCHAR(64) NOT NULL,
    reference TEXT NOT NULL,
    type TEXT,
    business_key TEXT,
    after_image TEXT,
    retried_at BIGINT NOT NULL,
    looked_at BIGINT NOT NULL,
    effect VARCHAR(16) NOT NULL,
    PRIMARY KEY (job, at)
);
CREATE INDEX IF NOT EXISTS oncewatch_retried_looked_at ON oncewatch_retried (source, looked_at);
