-- The log of knowledge that agents record: entities, events, concepts, causes, facts, and links between them. `number`
-- grows as rows are written. A change of a record adds a row with its id and the next revision; no row is changed.
-- `valid_from` and `valid_to` say when it was true, `known_from` when it was recorded; a row is believed until the next
-- of its id. `owner` is the user, agent or session whose scope it is in; `body` holds the rest as JSON.
CREATE TABLE knowledge (
    project INTEGER NOT NULL,
    number BIGINT NOT NULL,
    id {text} NOT NULL,
    revision INTEGER NOT NULL,
    kind {text} NOT NULL,
    client_key {text} NOT NULL,
    scope {text} NOT NULL,
    owner {text} NOT NULL,
    agent {text} NOT NULL,
    session {text} NOT NULL,
    sensitive INTEGER NOT NULL,
    valid_from BIGINT NOT NULL,
    valid_to BIGINT NOT NULL,
    known_from BIGINT NOT NULL,
    body {text} NOT NULL,
    digest {text} NOT NULL,
    PRIMARY KEY (project, number)
);

CREATE UNIQUE INDEX knowledge_revision ON knowledge (project, id, revision);

CREATE INDEX knowledge_key ON knowledge (project, agent, client_key) WHERE client_key <> '';

-- Views of the knowledge graph that a later call may name by a handle, until they expire.
CREATE TABLE knowledge_view (
    project INTEGER NOT NULL,
    id {text} NOT NULL,
    made_at BIGINT NOT NULL,
    data {text} NOT NULL,
    PRIMARY KEY (project, id)
);
