-- A checkout's derived state is known by a stamp, which no other state ever had, so that a snapshot can be trusted
-- across hosts, lost commits and restored backups; which snapshot a host has, that host knows. `changed` counts the
-- files that changed, once per run.

ALTER TABLE checkout ADD COLUMN stamp {text} NOT NULL DEFAULT '';

ALTER TABLE checkout ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;

ALTER TABLE checkout DROP COLUMN generation;

ALTER TABLE checkout DROP COLUMN snapshot;

ALTER TABLE checkout DROP COLUMN snapshot_generation;

ALTER TABLE checkout DROP COLUMN laid_over;
