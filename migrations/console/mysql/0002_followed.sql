-- How far the following of a team's tables has come, for the next start.
-- From here on every step can be run again after it was cut off: MySQL commits each statement by itself.

CREATE TABLE IF NOT EXISTS oncewatch_followed (
    source VARCHAR(64) NOT NULL,
    tbl VARCHAR(191) NOT NULL,
    progress TEXT NOT NULL,
    PRIMARY KEY (source, tbl)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Records that were open, by their primary keys as JSON.
CREATE TABLE IF NOT EXISTS oncewatch_open (
    source VARCHAR(64) NOT NULL,
    tbl VARCHAR(191) NOT NULL,
    pk VARCHAR(255) NOT NULL,
    PRIMARY KEY (source, tbl, pk)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
