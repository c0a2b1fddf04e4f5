-- Digests of the code that an episode or a learning names (all its links together, so that a missing or an added one is
-- noticed), and of sessions. A session has three: its making, its last sign of life, and its end. Empty: written before
-- there was one.
ALTER TABLE episode ADD COLUMN links_digest {text} NOT NULL DEFAULT '';

ALTER TABLE learning ADD COLUMN links_digest {text} NOT NULL DEFAULT '';

ALTER TABLE agent_session ADD COLUMN digest {text} NOT NULL DEFAULT '';

ALTER TABLE agent_session ADD COLUMN seen_digest {text} NOT NULL DEFAULT '';

ALTER TABLE agent_session ADD COLUMN end_digest {text} NOT NULL DEFAULT '';
