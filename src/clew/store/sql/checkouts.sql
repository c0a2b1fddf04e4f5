-- project_get
SELECT project, id, created_at FROM project WHERE id = :id OR :id = '' ORDER BY project LIMIT 1

-- project_put
INSERT INTO project (project, id, created_at)
SELECT COALESCE(MAX(project), 0) + 1, :id, :created_at FROM project

-- checkout_get
SELECT * FROM checkout WHERE project = :project AND name = :name

-- checkout_put
INSERT INTO checkout
    (project, checkout, name, rules, generation, files_seen, linked, snapshot, snapshot_generation, laid_over)
SELECT :project, COALESCE(MAX(checkout), 0) + 1, :name, :rules, 0, 0, 1, '', -1, 0
FROM checkout WHERE project = :project

-- checkout_state
SELECT * FROM checkout WHERE {here}

-- checkout_change
UPDATE checkout SET generation = generation + 1, linked = 0, laid_over = laid_over + :files
WHERE {here}

-- checkout_seen
UPDATE checkout SET files_seen = :files_seen WHERE {here}

-- checkout_rules
UPDATE checkout SET rules = :rules WHERE {here}

-- checkout_snapshot
UPDATE checkout SET snapshot = :snapshot, snapshot_generation = :generation, laid_over = 0
WHERE {here} AND snapshot_generation < :generation

-- checkout_link
UPDATE checkout SET linked = 1 WHERE {here}
