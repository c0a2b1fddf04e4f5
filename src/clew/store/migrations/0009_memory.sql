-- What agents saw, decided and did. An episode is written once and never changed; `episode` numbers those of a project as
-- they were recorded, `previous` is the number of the one before it in its session, or 0. `occurred_at` is when it
-- happened, `recorded_at` when we came to know it. `client_key` is what a client knows it by, if it said so.
CREATE TABLE episode (
    project INTEGER NOT NULL,
    episode BIGINT NOT NULL,
    id {text} NOT NULL,
    client_key {text} NOT NULL,
    agent {text} NOT NULL,
    session {text} NOT NULL,
    task {text} NOT NULL,
    type {text} NOT NULL,
    content {text} NOT NULL,
    outcome {text} NOT NULL,
    sensitive INTEGER NOT NULL,
    metadata {text} NOT NULL,
    occurred_at BIGINT NOT NULL,
    recorded_at BIGINT NOT NULL,
    previous BIGINT NOT NULL,
    PRIMARY KEY (project, episode)
);

CREATE UNIQUE INDEX episode_id ON episode (project, id);

CREATE UNIQUE INDEX episode_key ON episode (project, agent, client_key) WHERE client_key <> '';

CREATE INDEX episode_session ON episode (project, session, episode);

CREATE INDEX episode_task ON episode (project, task, episode) WHERE task <> '';

-- The code that an episode is about, with the digest of that code then; none where nothing of that id was known. The
-- number is the episode's, times 1,000, and which of its entities it is.
CREATE TABLE episode_entity (
    project INTEGER NOT NULL,
    link BIGINT NOT NULL,
    episode BIGINT NOT NULL,
    node {text} NOT NULL,
    digest {bytes} NOT NULL,
    PRIMARY KEY (project, link)
);

CREATE INDEX episode_entity_node ON episode_entity (project, node, episode);

-- What was learned of episodes. To know better, a row is added and the old one's `known_to` is set; `id` is the same for
-- a learning that grew stronger, `superseded_by` is the id of the one that contradicts it. `about` is what it is a
-- learning of, `claim` what it says of that: another claim about the same contradicts it.
CREATE TABLE learning (
    project INTEGER NOT NULL,
    learning BIGINT NOT NULL,
    id {text} NOT NULL,
    about {text} NOT NULL,
    claim {text} NOT NULL,
    content {text} NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    strength INTEGER NOT NULL,
    evidence {text} NOT NULL,
    agent {text} NOT NULL,
    task {text} NOT NULL,
    known_from BIGINT NOT NULL,
    known_to BIGINT NOT NULL,
    superseded_by {text} NOT NULL,
    PRIMARY KEY (project, learning)
);

CREATE INDEX learning_about ON learning (project, about) WHERE known_to = {open};

-- The code that a learning applies to, as above.
CREATE TABLE learning_entity (
    project INTEGER NOT NULL,
    link BIGINT NOT NULL,
    learning BIGINT NOT NULL,
    node {text} NOT NULL,
    digest {bytes} NOT NULL,
    PRIMARY KEY (project, link)
);

CREATE INDEX learning_entity_node ON learning_entity (project, node, learning);
