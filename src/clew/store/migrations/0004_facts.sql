-- What linking reads of a file's current version is one thing: its facts. They are read again from the files, since
-- the rules an index was made by have changed.

ALTER TABLE extract ADD COLUMN facts {bytes} NOT NULL DEFAULT '';

ALTER TABLE extract DROP COLUMN imports;

ALTER TABLE extract DROP COLUMN calls;
