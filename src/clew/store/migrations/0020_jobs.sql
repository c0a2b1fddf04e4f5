-- Index runs that somebody asked for: progress while they run, and how they ended. `paths` and `options` are JSON; `log`
-- is a JSON array of lines. `process` names the process that works on it, so that others see whether it still does.
CREATE TABLE job (
    project INTEGER NOT NULL,
    id {text} NOT NULL,
    checkout INTEGER NOT NULL,
    type {text} NOT NULL,
    status {text} NOT NULL,
    agent {text} NOT NULL,
    session {text} NOT NULL,
    paths {text} NOT NULL,
    options {text} NOT NULL,
    process {text} NOT NULL,
    files_total INTEGER NOT NULL,
    files_done INTEGER NOT NULL,
    current_file {text} NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    error {text} NOT NULL,
    result {text} NOT NULL,
    log {text} NOT NULL,
    PRIMARY KEY (project, id)
);

CREATE INDEX job_created ON job (project, created_at);

-- Files that could not be read, until they can be.
CREATE TABLE index_error (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    path {text} NOT NULL,
    message {text} NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    retries INTEGER NOT NULL,
    PRIMARY KEY (project, checkout, path)
);
