-- What agents and people note down, by scope: `working` of one agent in one session, `shared` by all of a project, `user`
-- in the user's own store. To change a note, a row of the next revision is added and the old one's `known_to` is set;
-- `became` says why: changed, ended, or the id of the episode that a working note was paged out to. `owner` is whose it
-- is within its scope, agent and session who wrote it, `origin` the project that they wrote it in.
CREATE TABLE note (
    project INTEGER NOT NULL,
    note BIGINT NOT NULL,
    id {text} NOT NULL,
    scope {text} NOT NULL,
    owner {text} NOT NULL,
    name {text} NOT NULL,
    content {text} NOT NULL,
    agent {text} NOT NULL,
    session {text} NOT NULL,
    task {text} NOT NULL,
    origin {text} NOT NULL,
    revision INTEGER NOT NULL,
    known_from BIGINT NOT NULL,
    known_to BIGINT NOT NULL,
    became {text} NOT NULL,
    PRIMARY KEY (project, note)
);

CREATE INDEX note_id ON note (project, id);

CREATE INDEX note_open ON note (project, scope, owner) WHERE known_to = {open};

CREATE UNIQUE INDEX note_name ON note (project, scope, owner, name) WHERE known_to = {open} AND name <> '';
