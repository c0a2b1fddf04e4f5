-- project_get
SELECT project, id, created_at FROM project WHERE id = :id OR :id = '' ORDER BY project LIMIT 1

-- project_put.sqlite
INSERT INTO project (project, id, created_at)
SELECT COALESCE(MAX(project), 0) + 1, :id, :created_at FROM project

-- project_put.postgres
INSERT INTO project (project, id, created_at) VALUES (nextval('project_number'), :id, :created_at)
ON CONFLICT (id) DO NOTHING

-- project_lock.sqlite
SELECT project FROM project WHERE project = :project

-- project_lock.postgres
SELECT project FROM project WHERE project = :project FOR NO KEY UPDATE

-- checkout_get
SELECT project, checkout FROM checkout WHERE project = :project AND name = :name

-- checkout_put
INSERT INTO checkout (project, checkout, name, rules, files_seen, linked, stamp, changed)
SELECT :project, COALESCE(MAX(checkout), 0) + 1, :name, :rules, 0, 1, '', 0
FROM checkout WHERE project = :project

-- checkout_state
SELECT rules, files_seen, linked, stamp, changed, (SELECT MAX(version) FROM schema_version) AS schema
FROM checkout WHERE {here}

-- checkout_change
UPDATE checkout SET stamp = :stamp, linked = 0, changed = changed + :files
WHERE {here}

-- checkout_announce.sqlite
SELECT checkout FROM checkout WHERE {here}

-- checkout_announce.postgres
SELECT pg_notify('clew', project || '.' || checkout) FROM checkout WHERE {here}

-- checkout_seen
UPDATE checkout SET files_seen = :files_seen WHERE {here}

-- checkout_rules
UPDATE checkout SET rules = :rules WHERE {here}

-- checkout_link
UPDATE checkout SET linked = :linked WHERE {here}

-- checkout_settle.sqlite
SELECT checkout FROM checkout WHERE {here}

-- checkout_settle.postgres
ANALYZE file, file_version, node, link, extract, layout, blob
