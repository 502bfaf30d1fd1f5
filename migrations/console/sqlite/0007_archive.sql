-- Runs that archive. state and wish as in oncewatch_job. progress: the runner's JSON, '' before its first step. note: JSON,
-- '' where there is nothing to say.
CREATE TABLE IF NOT EXISTS oncewatch_archive_run (
    id VARCHAR(191) NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL,
    source VARCHAR(64) NOT NULL,
    actor VARCHAR(191) NOT NULL,
    origin TEXT NOT NULL,
    reason TEXT NOT NULL,
    options TEXT NOT NULL,
    state VARCHAR(16) NOT NULL,
    wish VARCHAR(16) NOT NULL,
    note TEXT NOT NULL,
    progress TEXT NOT NULL,
    begun_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX IF NOT EXISTS oncewatch_archive_run_state ON oncewatch_archive_run (state, number);
CREATE INDEX IF NOT EXISTS oncewatch_archive_run_source ON oncewatch_archive_run (source, number);

-- Where the next run begins in a table; NULL: at its beginning.
CREATE TABLE IF NOT EXISTS oncewatch_archive_cursor (
    source VARCHAR(64) NOT NULL,
    tbl VARCHAR(191) NOT NULL,
    place TEXT,
    PRIMARY KEY (source, tbl)
);

INSERT OR IGNORE INTO oncewatch_counter (name, value) VALUES ('archive_run', 0);
