-- tx_start
INSERT INTO graph_tx
    (project, tx, checkout, id, type, agent, session, commit_sha, status, started_at, duration, counts)
SELECT :project, COALESCE(MAX(tx), 0) + 1, :checkout, :id, :type, :agent, :session, :commit_sha,
    'running', CASE WHEN MAX(started_at) >= :started_at THEN MAX(started_at) + 1 ELSE :started_at END, 0, '{}'
FROM graph_tx WHERE project = :project HAVING COALESCE(SUM(CASE WHEN id = :id THEN 1 ELSE 0 END), 0) = 0

-- tx_end
UPDATE graph_tx SET status = :status, duration = :duration, counts = :counts
WHERE project = :project AND id = :id

-- tx_abandon
UPDATE graph_tx SET status = 'interrupted'
WHERE {here} AND status = 'running' AND id <> :id

-- tx_get
SELECT tx, id, type, agent, session, commit_sha, status, started_at, duration, counts
FROM graph_tx WHERE project = :project AND id = :id

-- tx_latest
SELECT tx, id, type, agent, session, commit_sha, status, started_at, duration, counts
FROM graph_tx WHERE {here} ORDER BY tx DESC LIMIT :limit

-- tx_matching
SELECT tx, id, type, agent, session, commit_sha, status, started_at, duration, counts
FROM graph_tx
WHERE {here} AND :start <= started_at AND started_at < :ends AND (:agent = '' OR agent = :agent)
AND (:names = '[]' OR type {named})
ORDER BY tx DESC LIMIT :limit

-- tx_count_matching
SELECT COUNT(*) AS n FROM graph_tx
WHERE {here} AND :start <= started_at AND started_at < :ends AND (:agent = '' OR agent = :agent)
AND (:names = '[]' OR type {named})

-- tx_files
SELECT DISTINCT path FROM file_version JOIN file USING (project, checkout, file)
WHERE {here} AND tx = :tx ORDER BY path LIMIT :limit

-- tx_attribute
UPDATE graph_tx SET type = :type, agent = :agent, session = :session
WHERE {here} AND tx > :after AND tx <= :last AND type = :was AND agent = '' AND EXISTS (
    SELECT 1 FROM file_version JOIN file USING (project, checkout, file)
    WHERE file_version.project = :project AND file_version.checkout = :checkout AND file_version.tx = graph_tx.tx
    AND path {named}
)

-- tx_of_type
SELECT tx, id, type, agent, session, commit_sha, status, started_at, duration, counts
FROM graph_tx WHERE {here} AND type = :type ORDER BY tx DESC LIMIT :limit

-- tx_count
SELECT COUNT(*) AS n FROM graph_tx WHERE {here}

-- tx_last_by
SELECT tx, id, type, agent, session, commit_sha, status, started_at, duration, counts
FROM graph_tx WHERE project = :project AND agent = :agent ORDER BY tx DESC LIMIT 1

-- tx_between
SELECT tx, id, type, agent, session, commit_sha, status, started_at, duration, counts
FROM graph_tx WHERE {here} AND :start <= started_at AND started_at < :ends ORDER BY tx DESC LIMIT :limit

-- tx_first
SELECT tx, id, type, agent, session, commit_sha, status, started_at, duration, counts
FROM graph_tx WHERE {here} ORDER BY tx LIMIT 1
