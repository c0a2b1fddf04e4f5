-- Vectors of texts, by what they were made by and of: `digest` is of the embedder's name and the text, `data` a scale and
-- eight-bit numbers. A cache: what is missing is made when it is asked for.
CREATE TABLE vector (
    project INTEGER NOT NULL,
    digest {bytes} NOT NULL,
    model {text} NOT NULL,
    data {bytes} NOT NULL,
    PRIMARY KEY (project, digest)
);

-- The digests of all texts of one version of a file, chunk by chunk, once each has its vector.
CREATE TABLE embedded (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    file INTEGER NOT NULL,
    model {text} NOT NULL,
    version INTEGER NOT NULL,
    digests {bytes} NOT NULL,
    PRIMARY KEY (project, checkout, file, model)
);
