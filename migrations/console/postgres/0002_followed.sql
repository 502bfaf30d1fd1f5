-- How far the following of a team's tables has come, for the next start.

CREATE TABLE oncewatch_followed (
    source VARCHAR(64) NOT NULL,
    tbl VARCHAR(191) NOT NULL,
    progress TEXT NOT NULL,
    PRIMARY KEY (source, tbl)
);

-- Records that were open, by their primary keys as JSON.
CREATE TABLE oncewatch_open (
    source VARCHAR(64) NOT NULL,
    tbl VARCHAR(191) NOT NULL,
    pk VARCHAR(255) NOT NULL,
    PRIMARY KEY (source, tbl, pk)
);
