-- What an agent wrote, as one digest: a row that a disk damaged is reported instead of quoted. Empty: written before
-- there was one. What ends a row later (known_to, superseded_by, became) is not part of it.
ALTER TABLE episode ADD COLUMN digest {text} NOT NULL DEFAULT '';

ALTER TABLE learning ADD COLUMN digest {text} NOT NULL DEFAULT '';

ALTER TABLE note ADD COLUMN digest {text} NOT NULL DEFAULT '';
