-- Of a question: how many rankings it asked for, how many of these were cached, and by retriever how often it was asked
-- and the microseconds that it took, as JSON. Empty: it ranked nothing, or was asked before this was counted.
ALTER TABLE usage ADD COLUMN rankings INTEGER NOT NULL DEFAULT 0;

ALTER TABLE usage ADD COLUMN cached INTEGER NOT NULL DEFAULT 0;

ALTER TABLE usage ADD COLUMN retrievers {text} NOT NULL DEFAULT '';
