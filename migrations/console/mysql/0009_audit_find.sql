-- By what operations are found: a word for each thing that somebody may search an entry by (all, by:, op:, source:, plan:, key:,
-- item:, end:), cut at 190 characters. An index and no evidence: it can be made again from the audit, and no hash covers it.
CREATE TABLE IF NOT EXISTS oncewatch_audit_find (
    word VARCHAR(191) NOT NULL,
    entry BIGINT NOT NULL,
    PRIMARY KEY (word, entry),
    INDEX oncewatch_audit_find_entry (entry, word)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- When an operation began, for searches since a time; kept apart, so that the audit's own table stays as it is.
CREATE TABLE IF NOT EXISTS oncewatch_audit_time (
    begun_at BIGINT NOT NULL,
    entry BIGINT NOT NULL,
    PRIMARY KEY (begun_at, entry)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The last time that the chains were read again, as JSON of chain.rs: one row.
CREATE TABLE IF NOT EXISTS oncewatch_audit_check (
    id BIGINT NOT NULL PRIMARY KEY,
    body LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What was written before, without the items of runs.
INSERT IGNORE INTO oncewatch_audit_time (begun_at, entry) SELECT begun_at, id FROM oncewatch_audit WHERE 1 = 1;
INSERT IGNORE INTO oncewatch_audit_find (word, entry) SELECT 'all', id FROM oncewatch_audit WHERE operation <> 'archive_chunk';
INSERT IGNORE INTO oncewatch_audit_find (word, entry) SELECT SUBSTR(CONCAT('by:', actor), 1, 190), id FROM oncewatch_audit WHERE 1 = 1;
INSERT IGNORE INTO oncewatch_audit_find (word, entry) SELECT SUBSTR(CONCAT('op:', operation), 1, 190), id FROM oncewatch_audit WHERE 1 = 1;
INSERT IGNORE INTO oncewatch_audit_find (word, entry) SELECT SUBSTR(CONCAT('source:', source), 1, 190), id FROM oncewatch_audit WHERE 1 = 1;
INSERT IGNORE INTO oncewatch_audit_find (word, entry) SELECT SUBSTR(CONCAT('plan:', operation_id), 1, 190), id FROM oncewatch_audit WHERE 1 = 1;
INSERT IGNORE INTO oncewatch_audit_find (word, entry) SELECT SUBSTR(CONCAT('end:', outcome), 1, 190), id FROM oncewatch_audit WHERE outcome IS NOT NULL;
INSERT IGNORE INTO oncewatch_audit_find (word, entry) SELECT 'end:open', id FROM oncewatch_audit WHERE outcome IS NULL;
INSERT IGNORE INTO oncewatch_audit_find (word, entry) SELECT 'end:none', a.id FROM oncewatch_audit a JOIN oncewatch_audit_event e
    ON e.operation_id = a.operation_id WHERE e.kind = 'unfinished' AND a.outcome IS NULL;
