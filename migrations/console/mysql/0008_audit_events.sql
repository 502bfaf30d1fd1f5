-- What became of operations, in the order in which it was written: each item with what it was before and after, who refused,
-- paused and stopped, the end. hash covers the row and the hash of the row before. No row is ever changed.
CREATE TABLE IF NOT EXISTS oncewatch_audit_event (
    id BIGINT NOT NULL PRIMARY KEY,
    operation_id VARCHAR(191) NOT NULL,
    kind VARCHAR(16) NOT NULL,
    actor VARCHAR(191) NOT NULL,
    origin LONGTEXT NOT NULL,
    happened_at BIGINT NOT NULL,
    body LONGTEXT NOT NULL,
    hash VARCHAR(64) NOT NULL,
    INDEX oncewatch_audit_event_operation (operation_id, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT IGNORE INTO oncewatch_counter (name, value) VALUES ('audit_event', 0);

-- Records whose retry is done, until one is seen to be taken up. after_image NULL: the row was deleted. effect: 'open', or 'none'
-- once it should have been taken up.
CREATE TABLE IF NOT EXISTS oncewatch_retried (
    job VARCHAR(191) NOT NULL,
    at BIGINT NOT NULL,
    source VARCHAR(64) NOT NULL,
    reference LONGTEXT NOT NULL,
    type LONGTEXT,
    business_key LONGTEXT,
    after_image LONGTEXT,
    retried_at BIGINT NOT NULL,
    looked_at BIGINT NOT NULL,
    effect VARCHAR(16) NOT NULL,
    PRIMARY KEY (job, at),
    INDEX oncewatch_retried_looked_at (source, looked_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
