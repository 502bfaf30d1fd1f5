-- What consumers reported, one wide row per (source, type, minute); type '' is the source as a whole. A minute that nobody
-- reported has no row. handling is a histogram ('5:12 7:3 inf:1': upper bound in ms, how many) of handled times;
-- origins is JSON: where originated duplicates came from; alive a JSON list of instances that said that they are there.
CREATE TABLE IF NOT EXISTS oncewatch_signal (
    source VARCHAR(64) NOT NULL,
    type VARCHAR(191) NOT NULL,
    minute BIGINT NOT NULL,
    sig_first BIGINT NOT NULL,
    sig_takeover BIGINT NOT NULL,
    sig_dup_status BIGINT NOT NULL,
    sig_dup_lock BIGINT NOT NULL,
    sig_dup_index BIGINT NOT NULL,
    sig_dup_guard BIGINT NOT NULL,
    sig_late BIGINT NOT NULL,
    sig_refused BIGINT NOT NULL,
    sig_deferred BIGINT NOT NULL,
    sig_conflict BIGINT NOT NULL,
    sig_completed BIGINT NOT NULL,
    sig_failed BIGINT NOT NULL,
    sig_dead BIGINT NOT NULL,
    sig_degraded BIGINT NOT NULL,
    sig_lock_lost BIGINT NOT NULL,
    sig_fenced BIGINT NOT NULL,
    sig_leaked BIGINT NOT NULL,
    handled BIGINT NOT NULL,
    handling LONGTEXT NOT NULL,
    originated BIGINT NOT NULL,
    origins LONGTEXT NOT NULL,
    alive LONGTEXT NOT NULL,
    PRIMARY KEY (source, type, minute),
    INDEX oncewatch_signal_minute (minute)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Reports by HTTP that were taken in, by their Idempotency-Key, for a day.
CREATE TABLE IF NOT EXISTS oncewatch_ingest (
    idempotency_key VARCHAR(191) NOT NULL PRIMARY KEY,
    body_hash VARCHAR(64) NOT NULL,
    begun_at BIGINT NOT NULL,
    INDEX oncewatch_ingest_begun_at (begun_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What consumers wrote down of single messages and sent by HTTP, newest by at, for a day.
CREATE TABLE IF NOT EXISTS oncewatch_trace (
    source VARCHAR(64) NOT NULL,
    type VARCHAR(191) NOT NULL,
    key_hash VARCHAR(64) NOT NULL,
    id VARCHAR(64) NOT NULL,
    at BIGINT NOT NULL,
    json LONGTEXT NOT NULL,
    PRIMARY KEY (source, type, key_hash, id),
    INDEX oncewatch_trace_at (at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT IGNORE INTO oncewatch_counter (name, value) VALUES ('ingest', 0);
