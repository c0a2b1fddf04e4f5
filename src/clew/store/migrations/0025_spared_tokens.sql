-- Of an answer: the tokens of code that its session had been sent before, and that were named instead of sent again.
ALTER TABLE usage ADD COLUMN spared INTEGER NOT NULL DEFAULT 0;
