-- Ground state of fleets. Nothing here is deleted: a claim ends, a task changes and keeps the record of its changes.

-- Who holds what. `fence` only grows within a project, and orders claims; `checkout` is where the holder works. Two
-- open claims never have one target, whatever else goes wrong.
CREATE TABLE claim (
    project INTEGER NOT NULL,
    fence BIGINT NOT NULL,
    id {text} NOT NULL,
    target {text} NOT NULL,
    kind {text} NOT NULL,
    agent {text} NOT NULL,
    session {text} NOT NULL,
    intent {text} NOT NULL,
    task {text} NOT NULL,
    checkout INTEGER NOT NULL,
    since BIGINT NOT NULL,
    claimed_sha {text} NOT NULL,
    version_sha {text} NOT NULL,
    claimed_tx BIGINT NOT NULL,
    settled_tx BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    end_reason {text} NOT NULL,
    outcome {text} NOT NULL,
    PRIMARY KEY (project, fence),
    UNIQUE (project, id)
);

CREATE UNIQUE INDEX claim_open ON claim (project, target) WHERE ended_at = {open};

CREATE INDEX claim_task ON claim (project, task);

CREATE INDEX claim_agent ON claim (project, agent, session);

-- Holders as they were last seen, and the process that one lives in, if that is known.
CREATE TABLE agent_session (
    project INTEGER NOT NULL,
    number BIGINT NOT NULL,
    agent {text} NOT NULL,
    session {text} NOT NULL,
    process {text} NOT NULL,
    since BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    PRIMARY KEY (project, number),
    UNIQUE (project, agent, session)
);

-- A task as it is now; dependencies, plan and files are JSON.
CREATE TABLE task (
    project INTEGER NOT NULL,
    id {text} NOT NULL,
    title {text} NOT NULL,
    description {text} NOT NULL,
    feature {text} NOT NULL,
    status {text} NOT NULL,
    agent {text} NOT NULL,
    session {text} NOT NULL,
    priority INTEGER NOT NULL,
    dependencies {text} NOT NULL,
    plan {text} NOT NULL,
    files {text} NOT NULL,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (project, id)
);

CREATE INDEX task_feature ON task (project, feature);

-- What a task was made of, and every change since: by whom, and what its fields became, in JSON.
CREATE TABLE task_change (
    project INTEGER NOT NULL,
    number BIGINT NOT NULL,
    task {text} NOT NULL,
    at BIGINT NOT NULL,
    agent {text} NOT NULL,
    session {text} NOT NULL,
    fields {text} NOT NULL,
    note {text} NOT NULL,
    PRIMARY KEY (project, number)
);

CREATE INDEX task_change_task ON task_change (project, task, number);

CREATE TABLE feature (
    project INTEGER NOT NULL,
    id {text} NOT NULL,
    title {text} NOT NULL,
    files {text} NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (project, id)
);
