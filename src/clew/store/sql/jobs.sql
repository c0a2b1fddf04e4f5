-- job_put
INSERT INTO job (project, id, checkout, type, status, agent, session, paths, options, process, files_total, files_done,
    current_file, created_at, started_at, ended_at, error, result, log)
VALUES (:project, :id, :checkout, :type, :status, :agent, :session, :paths, :options, :process, :files_total,
    :files_done, :current_file, :created_at, :started_at, :ended_at, :error, :result, :log)

-- job_change
UPDATE job SET status = :status, process = :process, files_total = :files_total, files_done = :files_done,
    current_file = :current_file, started_at = :started_at, ended_at = :ended_at, error = :error, result = :result,
    log = :log
WHERE project = :project AND id = :id

-- job_progress
UPDATE job SET files_total = :files_total, files_done = :files_done, current_file = :current_file
WHERE project = :project AND id = :id AND status = 'in_progress'

-- job_cancel
UPDATE job SET status = 'cancelling' WHERE project = :project AND id = :id AND status IN ('queued', 'in_progress')

-- job_get
SELECT * FROM job WHERE project = :project AND id = :id

-- job_latest
SELECT * FROM job WHERE {here} ORDER BY created_at DESC, id LIMIT :limit

-- job_active
SELECT * FROM job WHERE {here} AND status IN ('queued', 'in_progress', 'cancelling') ORDER BY created_at, id

-- index_error_put
INSERT INTO index_error (project, checkout, path, message, first_at, last_at, retries)
VALUES (:project, :checkout, :path, :message, :at, :at, 0)
ON CONFLICT (project, checkout, path) DO UPDATE
SET message = excluded.message, last_at = excluded.last_at, retries = index_error.retries + 1

-- index_error_drop
DELETE FROM index_error WHERE {here} AND path = :path

-- index_error_all
SELECT path, message, first_at, last_at, retries FROM index_error WHERE {here} ORDER BY path

-- index_error_clear
DELETE FROM index_error WHERE {here}
