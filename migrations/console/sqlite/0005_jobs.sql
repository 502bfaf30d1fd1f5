-- Operations on rows: a plan freezes its items, a run works them off. state: planned, waiting, running, paused, stopped,
-- done, failed, expired. wish: what somebody asked of a run ('pause', 'stop'), '' when nothing. at counts from 0 in the
-- order of the plan. outcome NULL: not tried yet; 'trying': a change was begun and its end is not known.
CREATE TABLE IF NOT EXISTS oncewatch_job (
    id VARCHAR(191) NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL,
    operation VARCHAR(64) NOT NULL,
    source VARCHAR(64) NOT NULL,
    actor VARCHAR(191) NOT NULL,
    origin TEXT NOT NULL,
    reason TEXT NOT NULL,
    options TEXT NOT NULL,
    state VARCHAR(16) NOT NULL,
    wish VARCHAR(16) NOT NULL,
    note TEXT NOT NULL,
    planned_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    begun_at BIGINT,
    ended_at BIGINT
);
CREATE INDEX IF NOT EXISTS oncewatch_job_state ON oncewatch_job (state, number);
CREATE INDEX IF NOT EXISTS oncewatch_job_source ON oncewatch_job (source, number);

-- reference, stamp and whole are what ports::changes keeps of a row. whole: of a row that is being deleted, until it is.
CREATE TABLE IF NOT EXISTS oncewatch_job_item (
    job VARCHAR(191) NOT NULL,
    at BIGINT NOT NULL,
    reference TEXT NOT NULL,
    type TEXT,
    business_key TEXT,
    status VARCHAR(16) NOT NULL,
    stamp TEXT NOT NULL,
    whole TEXT,
    outcome VARCHAR(16),
    why TEXT,
    PRIMARY KEY (job, at)
);
CREATE INDEX IF NOT EXISTS oncewatch_job_item_outcome ON oncewatch_job_item (job, outcome, at);

-- What became of items that were tried. before_image is the audit's and the undo's: rows that were deleted stay whole in it.
CREATE TABLE IF NOT EXISTS oncewatch_job_result (
    job VARCHAR(191) NOT NULL,
    at BIGINT NOT NULL,
    why TEXT,
    before_image TEXT,
    after_image TEXT,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (job, at)
);

INSERT OR IGNORE INTO oncewatch_counter (name, value) VALUES ('job', 0);
