-- usage_since
SELECT id, at, op, agent, latency, tokens, hits, spared FROM usage
WHERE project = :project AND at >= :since ORDER BY at, id

-- usage_forget
DELETE FROM usage WHERE project = :project AND at < :before
