-- lease_get
SELECT holder, fence, expires_at, expires_at - {clock} AS remaining FROM lease WHERE {here} AND name = :name

-- lease_take
INSERT INTO lease (project, checkout, name, holder, fence, expires_at)
VALUES (:project, :checkout, :name, :holder, :fence + 1, {clock} + :length)
ON CONFLICT (project, checkout, name) DO UPDATE
SET holder = excluded.holder, fence = excluded.fence, expires_at = excluded.expires_at
WHERE lease.fence = :fence AND lease.expires_at = :expires_at
RETURNING fence

-- lease_renew.sqlite
UPDATE lease SET expires_at = {clock} + :length
WHERE {here} AND name = :name AND holder = :holder AND fence = :fence
RETURNING fence

-- lease_renew.postgres
WITH renewed AS (
    UPDATE lease SET expires_at = {clock} + :length
    WHERE {here} AND name = :name AND holder = :holder AND fence = :fence
    RETURNING fence
)
SELECT CAST(CASE WHEN EXISTS (SELECT fence FROM renewed) THEN '0' ELSE :refusal END AS BIGINT)

-- lease_end
UPDATE lease SET expires_at = {clock}
WHERE {here} AND name = :name AND holder = :holder AND fence = :fence

-- usage_put
INSERT INTO usage (project, id, at, op, agent, latency, tokens, hits, rankings, cached, retrievers, spared)
VALUES (:project, :id, :at, :op, :agent, :latency, :tokens, :hits, :rankings, :cached, :retrievers, :spared)
ON CONFLICT DO NOTHING

-- usage_rankings
SELECT COALESCE(SUM(rankings), 0) AS rankings, COALESCE(SUM(cached), 0) AS cached FROM usage WHERE project = :project

-- usage_retrievers
SELECT retrievers FROM usage WHERE project = :project AND retrievers <> '' ORDER BY at DESC, id LIMIT :limit

-- usage_summary
SELECT COUNT(*) AS calls, COALESCE(AVG(latency), 0) AS latency, COALESCE(AVG(tokens), 0) AS tokens
FROM usage WHERE project = :project AND op = :op

-- usage_latest
SELECT id, at, op, agent, latency, tokens, hits, rankings, cached, retrievers, spared FROM usage
WHERE project = :project ORDER BY at DESC, id LIMIT :limit
