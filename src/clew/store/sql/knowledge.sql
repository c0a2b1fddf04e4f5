-- knowledge_last
SELECT COALESCE((SELECT number FROM knowledge WHERE project = :project ORDER BY number DESC LIMIT 1), 0) AS number

-- knowledge_put
INSERT INTO knowledge (project, number, id, revision, kind, client_key, scope, owner, agent, session, sensitive,
    valid_from, valid_to, known_from, body, digest)
VALUES (:project, :number, :id, :revision, :kind, :client_key, :scope, :owner, :agent, :session, :sensitive,
    :valid_from, :valid_to, :known_from, :body, :digest)

-- knowledge_after
SELECT * FROM knowledge WHERE project = :project AND number > :after ORDER BY number LIMIT :limit

-- knowledge_by_key
SELECT * FROM knowledge WHERE project = :project AND agent = :agent AND client_key = :client_key ORDER BY number

-- knowledge_by_id
SELECT * FROM knowledge WHERE project = :project AND id = :id ORDER BY number

-- knowledge_view_put
INSERT INTO knowledge_view (project, id, made_at, data) VALUES (:project, :id, :made_at, :data)
ON CONFLICT (project, id) DO UPDATE SET made_at = excluded.made_at

-- knowledge_view_get
SELECT * FROM knowledge_view WHERE project = :project AND id = :id

-- knowledge_view_expire
DELETE FROM knowledge_view WHERE project = :project AND made_at < :before
