-- The code that a note is about, with the digest of that code then, in hexadecimal; an empty one where nothing of that id
-- was known: a JSON array of pairs. Of a preference there is none, since it holds in every project.
ALTER TABLE note ADD COLUMN subjects {text} NOT NULL DEFAULT '[]';
