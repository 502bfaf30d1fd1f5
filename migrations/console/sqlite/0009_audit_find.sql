-- By what operations are found: a word for each thing that somebody may search an entry by (all, by:, op:, source:, plan:, key:,
-- item:, end:), cut at 190 characters. An index and no evidence: it can be made again from the audit, and no hash covers it.
CREATE TABLE IF NOT EXISTS oncewatch_audit_find (
    word VARCHAR(191) NOT NULL,
    entry BIGINT NOT NULL,
    PRIMARY KEY (word, entry)
);
CREATE INDEX IF NOT EXISTS oncewatch_audit_find_entry ON oncewatch_audit_find (entry, word);

-- When an operation began, for searches since a time; kept apart, so that the audit's own table stays as it is.
CREATE TABLE IF NOT EXISTS oncewatch_audit_time (
    begun_at BIGINT NOT NULL,
    entry BIGINT NOT NULL,
    PRIMARY KEY (begun_at, entry)
);

-- The last time that the chains were read again, as JSON of chain.rs: one row.
CREATE TABLE IF NOT EXISTS oncewatch_audit_check (
    id BIGINT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL
);

-- What was written before, without the items of runs.
INSERT OR IGNORE INTO oncewatch_audit_time (begun_at, entry) SELECT begun_at, id FROM oncewatch_audit WHERE 1 = 1;
INSERT OR IGNORE INTO oncewatch_audit_find (word, entry) SELECT 'all', id FROM oncewatch_audit WHERE operation <> 'archive_chunk';
INSERT OR IGNORE INTO oncewatch_audit_find (word, entry) SELECT substr('by:' || actor, 1, 190), id FROM oncewatch_audit WHERE 1 = 1;
INSERT OR IGNORE INTO oncewatch_audit_find (word, entry) SELECT substr('op:' || operation, 1, 190), id FROM oncewatch_audit WHERE 1 = 1;
INSERT OR IGNORE INTO oncewatch_audit_find (word, entry) SELECT substr('source:' || source, 1, 190), id FROM oncewatch_audit WHERE 1 = 1;
INSERT OR IGNORE INTO oncewatch_audit_find (word, entry) SELECT substr('plan:' || operation_id, 1, 190), id FROM oncewatch_audit WHERE 1 = 1;
INSERT OR IGNORE INTO oncewatch_audit_find (word, entry) SELECT substr('end:' || outcome, 1, 190), id FROM oncewatch_audit WHERE outcome IS NOT NULL;
INSERT OR IGNORE INTO oncewatch_audit_find (word, entry) SELECT 'end:open', id FROM oncewatch_audit WHERE outcome IS NULL;
INSERT OR IGNORE INTO oncewatch_audit_find (word, entry) SELECT 'end:none', a.id FROM oncewatch_audit a JOIN oncewatch_audit_event e
    ON e.operation_id = a.operation_id WHERE e.kind = 'unfinished' AND a.outcome IS NULL;
