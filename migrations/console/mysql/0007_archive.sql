-- Runs that archive. state and wish as in oncewatch_job. progress: the runner's JSON, '' before its first step. note: JSON,
-- '' where there is nothing to say.
CREATE TABLE IF NOT EXISTS oncewatch_archive_run (
    id VARCHAR(191) NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL,
    source VARCHAR(64) NOT NULL,
    actor VARCHAR(191) NOT NULL,
    origin LONGTEXT NOT NULL,
    reason LONGTEXT NOT NULL,
    options LONGTEXT NOT NULL,
    state VARCHAR(16) NOT NULL,
    wish VARCHAR(16) NOT NULL,
    note LONGTEXT NOT NULL,
    progress LONGTEXT NOT NULL,
    begun_at BIGINT NOT NULL,
    ended_at BIGINT,
    INDEX oncewatch_archive_run_state (state, number),
    INDEX oncewatch_archive_run_source (source, number)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Where the next run begins in a table; NULL: at its beginning.
CREATE TABLE IF NOT EXISTS oncewatch_archive_cursor (
    source VARCHAR(64) NOT NULL,
    tbl VARCHAR(191) NOT NULL,
    place LONGTEXT,
    PRIMARY KEY (source, tbl)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT IGNORE INTO oncewatch_counter (name, value) VALUES ('archive_run', 0);
