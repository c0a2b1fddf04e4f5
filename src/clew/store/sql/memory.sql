-- Each part is asked for in the order of the index that is meant to answer it, up to a bound and one row: a server that
-- plans while the project is new would take any index, keep to it, and read all episodes for each that is added.
-- episode_put
INSERT INTO episode (project, episode, id, client_key, agent, session, task, type, content, outcome, sensitive,
    metadata, occurred_at, recorded_at, digest, links_digest, previous)
SELECT :project,
    COALESCE((SELECT episode FROM episode WHERE project = :project ORDER BY episode DESC LIMIT 1), 0) + 1,
    :id, :client_key, :agent, :session, :task, :type, :content, :outcome, :sensitive, :metadata, :occurred_at,
    :recorded_at, :digest, :links_digest,
    COALESCE((
        SELECT CASE WHEN session = :session AND session <> '' THEN episode END FROM episode
        WHERE project = :project AND (session, episode) <= (:session, {open})
        ORDER BY session DESC, episode DESC LIMIT 1
    ), 0)
WHERE true
ON CONFLICT (project, id) DO NOTHING
RETURNING episode, previous, COALESCE((
    SELECT earlier.id FROM episode AS earlier WHERE earlier.project = :project AND earlier.episode <= episode.previous
    ORDER BY earlier.episode DESC LIMIT 1
), '') AS previous_id

-- episode_last
SELECT COALESCE((SELECT episode FROM episode WHERE project = :project ORDER BY episode DESC LIMIT 1), 0) AS episode

-- episode_by_key
SELECT * FROM episode WHERE project = :project AND agent = :agent AND client_key = :client_key

-- episode_by_id
SELECT * FROM episode WHERE project = :project AND id = :id

-- episode_some
SELECT * FROM episode WHERE project = :project AND episode {among} ORDER BY episode

-- episode_after
SELECT * FROM episode WHERE project = :project AND episode > :after ORDER BY episode LIMIT :limit

-- episode_latest
SELECT * FROM episode WHERE project = :project AND (task = :task OR :task = '') AND (agent = :agent OR :agent = '')
AND (sensitive = 0 OR :sensitive = 1) AND occurred_at <= :valid AND recorded_at <= :known
ORDER BY episode DESC LIMIT :limit

-- episode_recorded_by
SELECT COALESCE(MAX(episode), 0) AS episode FROM episode WHERE project = :project AND recorded_at <= :known

-- episode_entity_put
INSERT INTO episode_entity (project, link, episode, node, digest)
VALUES (:project, :link, :episode, :node, :digest)

-- episode_entities_some
SELECT episode, node, digest FROM episode_entity WHERE project = :project AND episode {among} ORDER BY link

-- episode_entities_between
SELECT episode, node, digest FROM episode_entity
WHERE project = :project AND link > :after * 1000 AND link <= (:upto + 1) * 1000 ORDER BY link

-- learning_put
INSERT INTO learning (project, learning, id, about, claim, content, confidence, strength, evidence, agent, task,
    known_from, known_to, superseded_by, digest, links_digest)
VALUES (:project, :learning, :id, :about, :claim, :content, :confidence, :strength, :evidence, :agent, :task,
    :known_from, :known_to, :superseded_by, :digest, :links_digest)

-- learning_last
SELECT COALESCE(MAX(learning), 0) AS learning FROM learning WHERE project = :project

-- learning_about
SELECT * FROM learning WHERE project = :project AND about = :about AND known_to = {open} ORDER BY learning

-- learning_current
SELECT * FROM learning WHERE project = :project AND known_to = {open} ORDER BY learning DESC LIMIT :limit

-- learning_held
SELECT * FROM learning WHERE project = :project AND known_from <= :at AND known_to > :at
ORDER BY learning DESC LIMIT :limit

-- learning_history
SELECT * FROM learning WHERE project = :project AND id = :id ORDER BY learning

-- learning_end
UPDATE learning SET known_to = :known_to, superseded_by = :superseded_by
WHERE project = :project AND learning = :learning AND known_to = {open}

-- learning_entity_put
INSERT INTO learning_entity (project, link, learning, node, digest)
VALUES (:project, :link, :learning, :node, :digest)

-- learning_entities_some
SELECT learning, node, digest FROM learning_entity WHERE project = :project AND learning {among} ORDER BY link

-- memory_claims
SELECT claim.id, COALESCE(agent_session.ended_at, {open}) < {open} AS gone
FROM claim LEFT JOIN agent_session ON agent_session.project = claim.project
    AND agent_session.agent = claim.agent AND agent_session.session = claim.session
WHERE claim.project = :project AND claim.ended_at = {open} ORDER BY claim.fence

-- memory_newest
SELECT * FROM (
    SELECT 'episode' AS kind, episode AS number, id, recorded_at AS at FROM episode
    WHERE project = :project ORDER BY episode DESC LIMIT 1
) AS newest_episode
UNION ALL
SELECT * FROM (
    SELECT 'learning' AS kind, learning AS number, id, known_from AS at FROM learning
    WHERE project = :project ORDER BY learning DESC LIMIT 1
) AS newest_learning
UNION ALL
SELECT * FROM (
    SELECT 'task' AS kind, number, task AS id, at FROM task_change
    WHERE project = :project ORDER BY number DESC LIMIT 1
) AS newest_change
UNION ALL
SELECT * FROM (
    SELECT 'knowledge' AS kind, number, id, known_from AS at FROM knowledge
    WHERE project = :project ORDER BY number DESC LIMIT 1
) AS newest_knowledge

-- written_count.sqlite
SELECT (SELECT COUNT(*) FROM episode) + (SELECT COUNT(*) FROM learning) + (SELECT COUNT(*) FROM task)
    + (SELECT COUNT(*) FROM note) + (SELECT COUNT(*) FROM knowledge) + (SELECT COUNT(*) FROM claim WHERE ended_at = {open}) AS written

-- Of a database that somebody else wrote: only plain tables are asked, and nothing is taken for granted of their rows.
-- foreign_tables.sqlite
SELECT name FROM sqlite_master
WHERE type = 'table' AND name IN ('episode', 'episode_entity', 'learning') AND sql LIKE 'CREATE TABLE %'
AND sql NOT LIKE '%GENERATED ALWAYS%' AND sql NOT LIKE '% AS (%'

-- foreign_episodes.sqlite
SELECT project, episode, id, type, content, agent, metadata, occurred_at AS at FROM episode
WHERE sensitive = 0 ORDER BY recorded_at DESC LIMIT :limit

-- foreign_entities.sqlite
SELECT project, episode, node FROM episode_entity ORDER BY link DESC LIMIT :limit

-- foreign_learnings.sqlite
SELECT id, content, agent, known_from AS at FROM learning ORDER BY known_from DESC LIMIT :limit

-- written_any.sqlite
SELECT EXISTS (SELECT 1 FROM episode) OR EXISTS (SELECT 1 FROM task) OR EXISTS (SELECT 1 FROM note)
    OR EXISTS (SELECT 1 FROM knowledge) OR EXISTS (SELECT 1 FROM claim) AS found
