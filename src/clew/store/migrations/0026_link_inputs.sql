-- The inputs that the current links of a file depend on, as hashes: without them, a file is linked again after any change
-- that others may see.
CREATE TABLE link_input (
    project INTEGER NOT NULL,
    checkout INTEGER NOT NULL,
    file INTEGER NOT NULL,
    data {bytes} NOT NULL,
    PRIMARY KEY (project, checkout, file)
);
