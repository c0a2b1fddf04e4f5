-- Every table is keyed by project first; derived state by checkout too. Times are UTC microseconds.

CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    applied_at BIGINT NOT NULL
);

CREATE TABLE project (
    project INTEGER PRIMARY KEY,
    id {text} NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

-- One working tree. `generation` counts the commits that changed its derived state; `linked` is 0 while edges
-- may lead to paths that came or went since.
CREATE TABLE checkout (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    name {text} NOT NULL,
    rules {bytes} NOT NULL,
    generation BIGINT NOT NULL,
    files_seen INTEGER NOT NULL,
    linked INTEGER NOT NULL,
    snapshot {text} NOT NULL,
    snapshot_generation BIGINT NOT NULL,
    laid_over INTEGER NOT NULL,
    PRIMARY KEY (project, checkout),
    UNIQUE (project, name)
);

CREATE TABLE graph_tx (
    project INTEGER NOT NULL,
    tx BIGINT NOT NULL,
    checkout INTEGER NOT NULL,
    id {text} NOT NULL,
    type {text} NOT NULL,
    agent {text} NOT NULL,
    session {text} NOT NULL,
    commit_sha {text} NOT NULL,
    status {text} NOT NULL,
    started_at BIGINT NOT NULL,
    duration BIGINT NOT NULL,
    counts {text} NOT NULL,
    PRIMARY KEY (project, tx)
);

-- A path, and what a stat of it last said: a cache, so that an unchanged file is not read again.
CREATE TABLE file (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    file INTEGER NOT NULL,
    path {text} NOT NULL,
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    checked_ns BIGINT NOT NULL,
    PRIMARY KEY (project, checkout, file),
    UNIQUE (project, checkout, path)
);

-- The record of a file: one row per content and per thing we learnt about when it held.
CREATE TABLE file_version (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    file INTEGER NOT NULL,
    version INTEGER NOT NULL,
    known_from BIGINT NOT NULL,
    known_to BIGINT NOT NULL,
    valid_from BIGINT NOT NULL,
    valid_to BIGINT NOT NULL,
    tx BIGINT NOT NULL,
    digest {bytes} NOT NULL,
    text_digest {bytes} NOT NULL,
    language {text} NOT NULL,
    lines INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    committed INTEGER NOT NULL,
    PRIMARY KEY (project, checkout, file, version, known_from)
) {clustered};

CREATE INDEX file_version_current ON file_version (project, checkout, file)
WHERE valid_to = {open} AND known_to = {open};

CREATE INDEX file_version_tx ON file_version (project, tx);

-- Where everything stands in one version of a file: its symbols and chunks, packed.
CREATE TABLE layout (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    file INTEGER NOT NULL,
    version INTEGER NOT NULL,
    data {bytes} NOT NULL,
    PRIMARY KEY (project, checkout, file, version)
);

-- The text of a version, secrets already replaced, packed; shared by all that have the same text.
CREATE TABLE blob (
    project INTEGER NOT NULL,
    digest {bytes} NOT NULL,
    data {bytes} NOT NULL,
    PRIMARY KEY (project, digest)
);

CREATE TABLE redaction (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    file INTEGER NOT NULL,
    version INTEGER NOT NULL,
    data {bytes} NOT NULL,
    PRIMARY KEY (project, checkout, file, version)
);

-- The versions of a symbol, by the versions of its file that hold it: born <= version < died.
CREATE TABLE node (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    file INTEGER NOT NULL,
    scope {text} NOT NULL,
    born INTEGER NOT NULL,
    died BIGINT NOT NULL,
    kind {text} NOT NULL,
    name {text} NOT NULL,
    digest {bytes} NOT NULL,
    PRIMARY KEY (project, checkout, file, scope, born)
) {clustered};

CREATE INDEX node_name ON node (project, checkout, name) WHERE died = {open};

-- An edge belongs to the versions of the file that shows it, and to the time we believed it.
CREATE TABLE edge (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    file INTEGER NOT NULL,
    scope {text} NOT NULL,
    kind {text} NOT NULL,
    target {text} NOT NULL,
    line INTEGER NOT NULL,
    born INTEGER NOT NULL,
    died BIGINT NOT NULL,
    known_from BIGINT NOT NULL,
    known_to BIGINT NOT NULL,
    evidence {text} NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (project, checkout, file, scope, kind, target, line, known_from)
) {clustered};

CREATE INDEX edge_target ON edge (project, checkout, target, kind)
WHERE died = {open} AND known_to = {open};

-- What ranking and linking read of the current version: its words, its imports and calls, packed.
CREATE TABLE extract (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    file INTEGER NOT NULL,
    words {bytes} NOT NULL,
    imports {bytes} NOT NULL,
    calls {bytes} NOT NULL,
    PRIMARY KEY (project, checkout, file)
);

CREATE TABLE lease (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    name {text} NOT NULL,
    holder {text} NOT NULL,
    fence BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (project, checkout, name)
);

CREATE TABLE usage (
    project INTEGER NOT NULL,
    id {text} NOT NULL,
    at BIGINT NOT NULL,
    op {text} NOT NULL,
    agent {text} NOT NULL,
    latency BIGINT NOT NULL,
    tokens INTEGER NOT NULL,
    hits INTEGER NOT NULL,
    PRIMARY KEY (project, id)
);

CREATE INDEX usage_at ON usage (project, op, at);
