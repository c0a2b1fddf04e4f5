-- note_put
INSERT INTO note (project, note, id, scope, owner, name, content, agent, session, task, origin, revision, known_from,
    known_to, became, subjects, digest)
SELECT :project, COALESCE(MAX(note), 0) + 1, :id, :scope, :owner, :name, :content, :agent, :session, :task, :origin,
    :revision, :known_from, :known_to, :became, :subjects, :digest
FROM note WHERE project = :project
RETURNING note

-- note_end
UPDATE note SET known_to = :known_to, became = :became
WHERE project = :project AND note = :note AND known_to = {open}

-- note_open
SELECT * FROM note WHERE project = :project AND scope = :scope AND owner = :owner AND known_to = {open}
ORDER BY note DESC LIMIT :limit

-- note_held
SELECT * FROM note WHERE project = :project AND scope = :scope AND owner = :owner
AND known_from <= :at AND known_to > :at
ORDER BY note DESC LIMIT :limit

-- note_every
SELECT * FROM note WHERE project = :project AND scope = :scope AND owner = :owner AND note > :after
ORDER BY note LIMIT :limit

-- note_named
SELECT * FROM note WHERE project = :project AND scope = :scope AND owner = :owner AND known_to = {open}
AND (id = :name OR name = :name) ORDER BY note

-- note_of_task
SELECT * FROM note WHERE project = :project AND scope = :scope AND task = :task AND known_to = {open} ORDER BY note

-- note_history
SELECT * FROM note WHERE project = :project AND id = :id ORDER BY note

-- note_holders
SELECT DISTINCT agent, session FROM note WHERE project = :project AND scope = :scope AND known_to = {open}
ORDER BY agent, session
