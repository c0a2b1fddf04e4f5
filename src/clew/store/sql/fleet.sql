-- store_clock
SELECT {clock} AS now

-- claim_fence
SELECT COALESCE(MAX(fence), 0) AS fence FROM claim WHERE project = :project

-- claim_put
INSERT INTO claim (project, fence, id, target, kind, agent, session, intent, task, checkout, since, claimed_sha,
    version_sha, claimed_tx, settled_tx, ended_at, end_reason, outcome, digest, end_digest)
VALUES (:project, :fence, :id, :target, :kind, :agent, :session, :intent, :task, :checkout, :since, :claimed_sha,
    :version_sha, :claimed_tx, :settled_tx, :ended_at, :end_reason, :outcome, :digest, :end_digest)

-- claim_end
UPDATE claim SET ended_at = :ended_at, end_reason = :end_reason, outcome = :outcome, end_digest = :end_digest
WHERE project = :project AND id = :id AND ended_at = {open}

-- claim_move
UPDATE claim SET version_sha = :version_sha, settled_tx = :settled_tx
WHERE project = :project AND id = :id AND ended_at = {open}

-- claim_get
SELECT * FROM claim WHERE project = :project AND id = :id

-- claim_all_open
SELECT * FROM claim WHERE project = :project AND ended_at = {open} ORDER BY fence

-- claim_held
SELECT * FROM claim WHERE project = :project AND since <= :at AND ended_at > :at ORDER BY fence

-- claim_around
SELECT * FROM claim WHERE project = :project AND ended_at = {open} AND (
    target {named} OR (target >= :path_from AND target < :path_to) OR (target >= :scope_from AND target < :scope_to)
)
ORDER BY fence

-- claim_of_task
SELECT * FROM claim WHERE project = :project AND task = :task AND since <= :at ORDER BY fence

-- claim_of_agent
SELECT * FROM claim WHERE project = :project AND agent = :agent AND since <= :at ORDER BY fence DESC LIMIT :limit

-- claim_latest
SELECT * FROM claim WHERE project = :project ORDER BY fence DESC LIMIT :limit

-- claim_counts
SELECT agent, session, COUNT(*) AS n, SUM(CASE WHEN ended_at = {open} THEN 1 ELSE 0 END) AS held, MAX(since) AS since
FROM claim WHERE project = :project AND since <= :at GROUP BY agent, session ORDER BY agent, session

-- session_seen
INSERT INTO agent_session (project, number, agent, session, process, since, seen_at, ended_at, digest, seen_digest,
    end_digest)
SELECT :project, COALESCE(MAX(number), 0) + 1, :agent, :session, :process, :seen_at, :seen_at, {open}, :digest,
    :seen_digest, :end_digest
FROM agent_session WHERE project = :project
ON CONFLICT (project, agent, session) DO UPDATE
SET seen_at = excluded.seen_at, process = excluded.process, ended_at = excluded.ended_at,
    seen_digest = excluded.seen_digest, end_digest = excluded.end_digest

-- session_end
UPDATE agent_session SET ended_at = :ended_at, end_digest = :end_digest
WHERE project = :project AND agent = :agent AND session = :session AND ended_at = {open}

-- session_get
SELECT *, {clock} - seen_at AS silent
FROM agent_session WHERE project = :project AND agent = :agent AND session = :session

-- session_all
SELECT *, {clock} - seen_at AS silent
FROM agent_session WHERE project = :project AND since <= :at ORDER BY agent, number

-- task_put
INSERT INTO task (project, id, title, description, feature, status, agent, session, priority, dependencies, plan,
    files, created_at, changed_at, revision, digest)
VALUES (:project, :id, :title, :description, :feature, :status, :agent, :session, :priority, :dependencies, :plan,
    :files, :created_at, :changed_at, :revision, :digest)
ON CONFLICT (project, id) DO UPDATE SET
    title = excluded.title, description = excluded.description, feature = excluded.feature, status = excluded.status,
    agent = excluded.agent, session = excluded.session, priority = excluded.priority,
    dependencies = excluded.dependencies, plan = excluded.plan, files = excluded.files,
    changed_at = excluded.changed_at, revision = excluded.revision, digest = excluded.digest

-- task_get
SELECT * FROM task WHERE project = :project AND id = :id

-- task_all
SELECT * FROM task WHERE project = :project ORDER BY priority DESC, created_at, id

-- task_change_put
INSERT INTO task_change (project, number, task, at, agent, session, fields, note, digest)
SELECT :project, COALESCE(MAX(number), 0) + 1, :task, :at, :agent, :session, :fields, :note, :digest
FROM task_change WHERE project = :project

-- task_changes
SELECT * FROM task_change WHERE project = :project AND task = :task AND at <= :at ORDER BY number

-- task_changes_until
SELECT * FROM task_change WHERE project = :project AND at <= :at ORDER BY number

-- feature_put
INSERT INTO feature (project, id, title, files, created_at, digest)
VALUES (:project, :id, :title, :files, :created_at, :digest)
ON CONFLICT (project, id) DO UPDATE SET title = excluded.title, files = excluded.files, digest = excluded.digest

-- feature_get
SELECT id, title, files, created_at, digest FROM feature WHERE project = :project AND id = :id AND created_at <= :at

-- feature_all
SELECT id, title, files, created_at, digest FROM feature WHERE project = :project AND created_at <= :at ORDER BY created_at, id

-- change_latest
SELECT COALESCE(MAX(tx), 0) AS tx FROM graph_tx WHERE project = :project

-- change_first
SELECT COALESCE(MIN(tx), 0) AS tx FROM graph_tx WHERE {here} AND status = 'completed'

-- change_last
SELECT COALESCE(MAX(tx), 0) AS tx FROM graph_tx WHERE {here} AND status <> 'running'

-- change_commit
SELECT commit_sha FROM graph_tx WHERE {here} AND tx <= :tx ORDER BY tx DESC LIMIT 1

-- change_files
SELECT DISTINCT file FROM file_version WHERE {here} AND tx > :tx

-- change_paths
SELECT file, path FROM file WHERE {here} AND file {among}

-- change_held
SELECT DISTINCT digest FROM file_version JOIN file USING (project, checkout, file) WHERE {here} AND path = :path

-- change_folder
SELECT path, digest FROM file JOIN file_version USING (project, checkout, file)
WHERE {here} AND path >= :path_from AND path < :path_to AND {current} ORDER BY path
