-- move_counts
SELECT 'checkout' AS name, COUNT(*) AS n FROM checkout WHERE project = :project
UNION ALL
SELECT 'history' AS name, COUNT(*) AS n FROM history WHERE project = :project
UNION ALL
SELECT 'settled' AS name, COUNT(*) AS n FROM settled WHERE project = :project
UNION ALL
SELECT 'graph_tx' AS name, COUNT(*) AS n FROM graph_tx WHERE project = :project
UNION ALL
SELECT 'file' AS name, COUNT(*) AS n FROM file WHERE project = :project
UNION ALL
SELECT 'file_version' AS name, COUNT(*) AS n FROM file_version WHERE project = :project
UNION ALL
SELECT 'layout' AS name, COUNT(*) AS n FROM layout WHERE project = :project
UNION ALL
SELECT 'redaction' AS name, COUNT(*) AS n FROM redaction WHERE project = :project
UNION ALL
SELECT 'node' AS name, COUNT(*) AS n FROM node WHERE project = :project
UNION ALL
SELECT 'link' AS name, COUNT(*) AS n FROM link WHERE project = :project
UNION ALL
SELECT 'extract' AS name, COUNT(*) AS n FROM extract WHERE project = :project
UNION ALL
SELECT 'embedded' AS name, COUNT(*) AS n FROM embedded WHERE project = :project
UNION ALL
SELECT 'vector' AS name, COUNT(*) AS n FROM vector WHERE project = :project
UNION ALL
SELECT 'blob' AS name, COUNT(*) AS n FROM blob WHERE project = :project
UNION ALL
SELECT 'usage' AS name, COUNT(*) AS n FROM usage WHERE project = :project
UNION ALL
SELECT 'claim' AS name, COUNT(*) AS n FROM claim WHERE project = :project
UNION ALL
SELECT 'agent_session' AS name, COUNT(*) AS n FROM agent_session WHERE project = :project
UNION ALL
SELECT 'task' AS name, COUNT(*) AS n FROM task WHERE project = :project
UNION ALL
SELECT 'task_change' AS name, COUNT(*) AS n FROM task_change WHERE project = :project
UNION ALL
SELECT 'feature' AS name, COUNT(*) AS n FROM feature WHERE project = :project
UNION ALL
SELECT 'episode' AS name, COUNT(*) AS n FROM episode WHERE project = :project
UNION ALL
SELECT 'episode_entity' AS name, COUNT(*) AS n FROM episode_entity WHERE project = :project
UNION ALL
SELECT 'learning' AS name, COUNT(*) AS n FROM learning WHERE project = :project
UNION ALL
SELECT 'learning_entity' AS name, COUNT(*) AS n FROM learning_entity WHERE project = :project
UNION ALL
SELECT 'note' AS name, COUNT(*) AS n FROM note WHERE project = :project
UNION ALL
SELECT 'knowledge' AS name, COUNT(*) AS n FROM knowledge WHERE project = :project
UNION ALL
SELECT 'job' AS name, COUNT(*) AS n FROM job WHERE project = :project

-- move_checkouts
SELECT checkout, name, stamp FROM checkout WHERE project = :project ORDER BY checkout

-- move_ended
SELECT COUNT(*) AS n FROM claim WHERE project = :project AND ended_at < {open}
UNION ALL
SELECT COUNT(*) AS n FROM note WHERE project = :project AND known_to < {open}

-- move_last_file
SELECT COALESCE(MAX(file), 0) AS file FROM file WHERE {here}

-- move_out_checkout
SELECT * FROM checkout WHERE project = :project AND checkout > :after ORDER BY checkout LIMIT :limit

-- move_in_checkout
INSERT INTO checkout (project, checkout, name, rules, files_seen, linked, stamp, changed)
VALUES (:project, :checkout, :name, :rules, :files_seen, :linked, :stamp, :changed)

-- move_out_history
SELECT * FROM history WHERE project = :project AND checkout > :after ORDER BY checkout LIMIT :limit

-- move_in_history
INSERT INTO history (project, checkout, tip, data) VALUES (:project, :checkout, :tip, :data)

-- move_out_settled
SELECT * FROM settled WHERE project = :project AND checkout > :after ORDER BY checkout LIMIT :limit

-- move_in_settled
INSERT INTO settled (project, checkout, data) VALUES (:project, :checkout, :data)

-- move_out_graph_tx
SELECT * FROM graph_tx WHERE project = :project AND tx > :after ORDER BY tx LIMIT :limit

-- move_in_graph_tx
INSERT INTO graph_tx (project, tx, checkout, id, type, agent, session, commit_sha, status, started_at, duration,
    counts)
VALUES (:project, :tx, :checkout, :id, :type, :agent, :session, :commit_sha, :status, :started_at, :duration,
    :counts)

-- move_out_file
SELECT * FROM file WHERE {here} AND file > :after AND file <= :upto

-- move_in_file
INSERT INTO file (project, checkout, file, path, size, mtime_ns, checked_ns)
VALUES (:project, :checkout, :file, :path, :size, :mtime_ns, :checked_ns)

-- move_out_file_version
SELECT * FROM file_version WHERE {here} AND file > :after AND file <= :upto

-- move_in_file_version
INSERT INTO file_version (project, checkout, file, version, known_from, known_to, valid_from, valid_to, tx,
    digest, text_digest, language, lines, chunks, committed)
VALUES (:project, :checkout, :file, :version, :known_from, :known_to, :valid_from, :valid_to, :tx, :digest,
    :text_digest, :language, :lines, :chunks, :committed)

-- move_out_layout
SELECT * FROM layout WHERE {here} AND file > :after AND file <= :upto

-- move_in_layout
INSERT INTO layout (project, checkout, file, version, data)
VALUES (:project, :checkout, :file, :version, :data)

-- move_out_redaction
SELECT * FROM redaction WHERE {here} AND file > :after AND file <= :upto

-- move_in_redaction
INSERT INTO redaction (project, checkout, file, version, data)
VALUES (:project, :checkout, :file, :version, :data)

-- move_out_node
SELECT * FROM node WHERE {here} AND file > :after AND file <= :upto

-- move_in_node
INSERT INTO node (project, checkout, file, scope, born, died, kind, name, digest)
VALUES (:project, :checkout, :file, :scope, :born, :died, :kind, :name, :digest)

-- move_out_link
SELECT * FROM link WHERE {here} AND file > :after AND file <= :upto

-- move_in_link
INSERT INTO link (project, checkout, file, born, died, known_from, known_to, digest, data)
VALUES (:project, :checkout, :file, :born, :died, :known_from, :known_to, :digest, :data)

-- move_out_extract
SELECT * FROM extract WHERE {here} AND file > :after AND file <= :upto

-- move_in_extract
INSERT INTO extract (project, checkout, file, words, facts)
VALUES (:project, :checkout, :file, :words, :facts)

-- move_out_embedded
SELECT * FROM embedded WHERE {here} AND file > :after AND file <= :upto

-- move_in_embedded
INSERT INTO embedded (project, checkout, file, model, version, digests)
VALUES (:project, :checkout, :file, :model, :version, :digests)

-- move_out_vector
SELECT * FROM vector WHERE project = :project AND digest > :after ORDER BY digest LIMIT :limit

-- move_in_vector
INSERT INTO vector (project, digest, model, data)
VALUES (:project, :digest, :model, :data)

-- move_out_blob
SELECT * FROM blob WHERE project = :project AND digest > :after ORDER BY digest LIMIT :limit

-- move_in_blob
INSERT INTO blob (project, digest, data)
VALUES (:project, :digest, :data)

-- move_out_usage
SELECT * FROM usage WHERE project = :project AND id > :after ORDER BY id LIMIT :limit

-- move_in_usage
INSERT INTO usage (project, id, at, op, agent, latency, tokens, hits, rankings, cached, retrievers, spared)
VALUES (:project, :id, :at, :op, :agent, :latency, :tokens, :hits, :rankings, :cached, :retrievers, :spared)

-- move_out_claim
SELECT * FROM claim WHERE project = :project AND fence > :after ORDER BY fence LIMIT :limit

-- move_in_claim
INSERT INTO claim (project, fence, id, target, kind, agent, session, intent, task, checkout, since, claimed_sha,
    version_sha, claimed_tx, settled_tx, ended_at, end_reason, outcome, digest, end_digest)
VALUES (:project, :fence, :id, :target, :kind, :agent, :session, :intent, :task, :checkout, :since, :claimed_sha,
    :version_sha, :claimed_tx, :settled_tx, :ended_at, :end_reason, :outcome, :digest, :end_digest)

-- move_out_agent_session
SELECT * FROM agent_session WHERE project = :project AND number > :after ORDER BY number LIMIT :limit

-- move_in_agent_session
INSERT INTO agent_session (project, number, agent, session, process, since, seen_at, ended_at, digest, seen_digest,
    end_digest)
VALUES (:project, :number, :agent, :session, :process, :since, :seen_at, :ended_at, :digest, :seen_digest,
    :end_digest)

-- move_out_task
SELECT * FROM task WHERE project = :project AND id > :after ORDER BY id LIMIT :limit

-- move_in_task
INSERT INTO task (project, id, title, description, feature, status, agent, session, priority, dependencies, plan,
    files, created_at, changed_at, revision, digest)
VALUES (:project, :id, :title, :description, :feature, :status, :agent, :session, :priority, :dependencies, :plan,
    :files, :created_at, :changed_at, :revision, :digest)

-- move_out_task_change
SELECT * FROM task_change WHERE project = :project AND number > :after ORDER BY number LIMIT :limit

-- move_in_task_change
INSERT INTO task_change (project, number, task, at, agent, session, fields, note, digest)
VALUES (:project, :number, :task, :at, :agent, :session, :fields, :note, :digest)

-- move_out_feature
SELECT * FROM feature WHERE project = :project AND id > :after ORDER BY id LIMIT :limit

-- move_in_feature
INSERT INTO feature (project, id, title, files, created_at, digest)
VALUES (:project, :id, :title, :files, :created_at, :digest)

-- move_out_episode
SELECT * FROM episode WHERE project = :project AND episode > :after ORDER BY episode LIMIT :limit

-- move_in_episode
INSERT INTO episode (project, episode, id, client_key, agent, session, task, type, content, outcome, sensitive,
    metadata, occurred_at, recorded_at, previous, digest, links_digest)
VALUES (:project, :episode, :id, :client_key, :agent, :session, :task, :type, :content, :outcome, :sensitive,
    :metadata, :occurred_at, :recorded_at, :previous, :digest, :links_digest)

-- move_out_episode_entity
SELECT * FROM episode_entity WHERE project = :project AND link > :after ORDER BY link LIMIT :limit

-- move_in_episode_entity
INSERT INTO episode_entity (project, link, episode, node, digest)
VALUES (:project, :link, :episode, :node, :digest)

-- move_out_learning
SELECT * FROM learning WHERE project = :project AND learning > :after ORDER BY learning LIMIT :limit

-- move_in_learning
INSERT INTO learning (project, learning, id, about, claim, content, confidence, strength, evidence, agent, task,
    known_from, known_to, superseded_by, digest, links_digest)
VALUES (:project, :learning, :id, :about, :claim, :content, :confidence, :strength, :evidence, :agent, :task,
    :known_from, :known_to, :superseded_by, :digest, :links_digest)

-- move_out_learning_entity
SELECT * FROM learning_entity WHERE project = :project AND link > :after ORDER BY link LIMIT :limit

-- move_in_learning_entity
INSERT INTO learning_entity (project, link, learning, node, digest)
VALUES (:project, :link, :learning, :node, :digest)

-- move_out_note
SELECT * FROM note WHERE project = :project AND note > :after ORDER BY note LIMIT :limit

-- move_in_note
INSERT INTO note (project, note, id, scope, owner, name, content, agent, session, task, origin, revision, known_from,
    known_to, became, subjects, digest)
VALUES (:project, :note, :id, :scope, :owner, :name, :content, :agent, :session, :task, :origin, :revision,
    :known_from, :known_to, :became, :subjects, :digest)

-- move_out_job
SELECT * FROM job WHERE project = :project AND id > :after ORDER BY id LIMIT :limit

-- move_in_job
INSERT INTO job (project, id, checkout, type, status, agent, session, paths, options, process, files_total, files_done,
    current_file, created_at, started_at, ended_at, error, result, log)
VALUES (:project, :id, :checkout, :type, :status, :agent, :session, :paths, :options, :process, :files_total,
    :files_done, :current_file, :created_at, :started_at, :ended_at, :error, :result, :log)

-- move_in_project
INSERT INTO project (project, id, created_at) VALUES (:project, :id, :created_at)

-- rescue_columns.sqlite
SELECT name, type FROM pragma_table_info(:table) ORDER BY cid

-- rescue_homeless.sqlite
SELECT MIN(project) AS project FROM (
    SELECT project FROM episode UNION SELECT project FROM claim UNION SELECT project FROM task
    UNION SELECT project FROM note UNION SELECT project FROM learning
) WHERE project NOT IN (SELECT project FROM project) HAVING MIN(project) IS NOT NULL

-- move_out_knowledge
SELECT * FROM knowledge WHERE project = :project AND number > :after ORDER BY number LIMIT :limit

-- move_in_knowledge
INSERT INTO knowledge (project, number, id, revision, kind, client_key, scope, owner, agent, session, sensitive,
    valid_from, valid_to, known_from, body, digest)
VALUES (:project, :number, :id, :revision, :kind, :client_key, :scope, :owner, :agent, :session, :sensitive,
    :valid_from, :valid_to, :known_from, :body, :digest)
