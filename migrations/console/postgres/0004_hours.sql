-- Hours are made of minutes before these go: of each figure the highest. NULL: not read in that hour.
CREATE TABLE IF NOT EXISTS oncewatch_hour (
    source VARCHAR(64) NOT NULL,
    type VARCHAR(191) NOT NULL,
    hour BIGINT NOT NULL,
    processing BIGINT,
    aging BIGINT,
    oldest_ms BIGINT,
    failed BIGINT,
    locks_held BIGINT,
    locks_wrong BIGINT,
    ready BIGINT,
    unacked BIGINT,
    dead_letter BIGINT,
    PRIMARY KEY (source, type, hour)
);
CREATE INDEX IF NOT EXISTS oncewatch_hour_hour ON oncewatch_hour (hour);

-- The same of what consumers reported: counts and histograms added up. An hour that nobody reported has no row.
CREATE TABLE IF NOT EXISTS oncewatch_signal_hour (
    source VARCHAR(64) NOT NULL,
    type VARCHAR(191) NOT NULL,
    hour BIGINT NOT NULL,
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
    handling TEXT NOT NULL,
    originated BIGINT NOT NULL,
    origins TEXT NOT NULL,
    alive TEXT NOT NULL,
    PRIMARY KEY (source, type, hour)
);
CREATE INDEX IF NOT EXISTS oncewatch_signal_hour_hour ON oncewatch_signal_hour (hour);
