-- The edges that a file shows, packed: born and died are versions of the file; a belief about them that changed while
-- the file did not is a row of its own. They replace the table of single edges; all of them are derived from the files.
CREATE TABLE link (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    file INTEGER NOT NULL,
    born INTEGER NOT NULL,
    died BIGINT NOT NULL,
    known_from BIGINT NOT NULL,
    known_to BIGINT NOT NULL,
    digest {bytes} NOT NULL,
    data {bytes} NOT NULL,
    PRIMARY KEY (project, checkout, file, born, known_from)
);

CREATE INDEX link_current ON link (project, checkout, file) WHERE died = {open} AND known_to = {open};

DROP TABLE edge;

-- What git's history up to a commit says of the files of a checkout, packed.
CREATE TABLE history (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    tip {text} NOT NULL,
    data {bytes} NOT NULL,
    PRIMARY KEY (project, checkout)
);

-- What only all files of a checkout together could tell when they were last linked, packed.
CREATE TABLE settled (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    data {bytes} NOT NULL,
    PRIMARY KEY (project, checkout)
);
