-- Operations on rows: a plan freezes its items, a run works them off. state: planned, waiting, running, paused, stopped,
-- done, failed, expired. wish: what somebody asked of a run ('pause', 'stop'), '' when nothing. at counts from 0 in the
-- order of the plan. outcome NULL: not tried yet; 'trying': a change was begun and its end is not known.
CREATE TABLE IF NOT EXISTS oncewatch_job (
    id VARCHAR(191) NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL,
    operation VARCHAR(64) NOT NULL,
    source VARCHAR(64) NOT NULL,
    actor VARCHAR(191) NOT NULL,
    origin LONGTEXT NOT NULL,
    reason LONGTEXT NOT NULL,
    options LONGTEXT NOT NULL,
    state VARCHAR(16) NOT NULL,
    wish VARCHAR(16) NOT NULL,
    note LONGTEXT NOT NULL,
    planned_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    begun_at BIGINT,
    ended_at BIGINT,
    INDEX oncewatch_job_state (state, number),
    INDEX oncewatch_job_source (source, number)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- reference, stamp and whole are what ports::changes keeps of a row. whole: of a row that is being deleted, until it is.
CREATE TABLE IF NOT EXISTS oncewatch_job_item (
    job VARCHAR(191) NOT NULL,
    at BIGINT NOT NULL,
    reference LONGTEXT NOT NULL,
    type LONGTEXT,
    business_key LONGTEXT,
    status VARCHAR(16) NOT NULL,
    stamp LONGTEXT NOT NULL,
    whole LONGTEXT,
    outcome VARCHAR(16),
    why LONGTEXT,
    PRIMARY KEY (job, at),
    INDEX oncewatch_job_item_outcome (job, outcome, at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What became of items that were tried. before_image is the audit's and the undo's: rows that were deleted stay whole in it.
CREATE TABLE IF NOT EXISTS oncewatch_job_result (
    job VARCHAR(191) NOT NULL,
    at BIGINT NOT NULL,
    why LONGTEXT,
    before_image LONGTEXT,
    after_image LONGTEXT,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (job, at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT IGNORE INTO oncewatch_counter (name, value) VALUES ('job', 0);
