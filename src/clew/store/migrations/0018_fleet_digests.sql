-- Digests of what agents wrote into claims, tasks and features, as memory has them. Empty: written before there was one.
-- A claim has two: of its making, and of its end. What Clew itself brings forward in one (version_sha, settled_tx) is in
-- neither.
ALTER TABLE claim ADD COLUMN digest {text} NOT NULL DEFAULT '';

ALTER TABLE claim ADD COLUMN end_digest {text} NOT NULL DEFAULT '';

ALTER TABLE task ADD COLUMN digest {text} NOT NULL DEFAULT '';

ALTER TABLE task_change ADD COLUMN digest {text} NOT NULL DEFAULT '';

ALTER TABLE feature ADD COLUMN digest {text} NOT NULL DEFAULT '';
