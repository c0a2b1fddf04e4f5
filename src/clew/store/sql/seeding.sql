-- seed_sources
SELECT c.checkout, c.stamp, c.changed, c.files_seen FROM checkout AS c
WHERE c.project = :project AND c.checkout <> :checkout AND c.rules = :rules AND c.linked = 1 AND c.stamp <> ''
ORDER BY (SELECT MAX(t.tx) FROM graph_tx AS t WHERE t.project = c.project AND t.checkout = c.checkout) DESC,
    c.checkout LIMIT 1

-- seed_file
INSERT INTO file (project, checkout, file, path, size, mtime_ns, checked_ns)
SELECT f.project, :checkout, f.file, f.path, f.size, 0, 0 FROM file AS f
WHERE f.project = :project AND f.checkout = :source AND EXISTS (
    SELECT 1 FROM file_version AS v WHERE v.project = f.project AND v.checkout = f.checkout AND v.file = f.file
    AND v.valid_to = {open} AND v.known_to = {open}
)

-- seed_file_version
INSERT INTO file_version (project, checkout, file, version, known_from, known_to, valid_from, valid_to, tx, digest,
    text_digest, language, lines, chunks, committed)
SELECT project, :checkout, file, version, :known, known_to, valid_from, valid_to, :tx, digest, text_digest, language,
    lines, chunks, committed
FROM file_version WHERE project = :project AND checkout = :source AND {current}

-- seed_layout
INSERT INTO layout (project, checkout, file, version, data)
SELECT l.project, :checkout, l.file, l.version, l.data FROM layout AS l
JOIN file_version AS v ON v.project = l.project AND v.checkout = :checkout AND v.file = l.file AND v.version = l.version
WHERE l.project = :project AND l.checkout = :source

-- seed_redaction
INSERT INTO redaction (project, checkout, file, version, data)
SELECT r.project, :checkout, r.file, r.version, r.data FROM redaction AS r
JOIN file_version AS v ON v.project = r.project AND v.checkout = :checkout AND v.file = r.file AND v.version = r.version
WHERE r.project = :project AND r.checkout = :source

-- seed_node
INSERT INTO node (project, checkout, file, scope, born, died, kind, name, digest)
SELECT n.project, :checkout, n.file, n.scope, n.born, n.died, n.kind, n.name, n.digest FROM node AS n
WHERE n.project = :project AND n.checkout = :source AND n.died = {open}

-- seed_extract
INSERT INTO extract (project, checkout, file, words, facts)
SELECT e.project, :checkout, e.file, e.words, e.facts FROM extract AS e
JOIN file AS f ON f.project = e.project AND f.checkout = :checkout AND f.file = e.file
WHERE e.project = :project AND e.checkout = :source

-- seed_settled
INSERT INTO settled (project, checkout, data)
SELECT project, :checkout, data FROM settled WHERE project = :project AND checkout = :source

-- seed_link_input
INSERT INTO link_input (project, checkout, file, data)
SELECT project, :checkout, file, data FROM link_input WHERE project = :project AND checkout = :source

-- seed_history
INSERT INTO history (project, checkout, tip, data)
SELECT project, :checkout, tip, data FROM history WHERE project = :project AND checkout = :source

-- seed_embedded
INSERT INTO embedded (project, checkout, file, model, version, digests)
SELECT e.project, :checkout, e.file, e.model, e.version, e.digests FROM embedded AS e
JOIN file AS f ON f.project = e.project AND f.checkout = :checkout AND f.file = e.file
WHERE e.project = :project AND e.checkout = :source

-- seed_checkout
UPDATE checkout SET rules = :rules, files_seen = :files_seen, linked = 1, stamp = :stamp, changed = :changed
WHERE {here}

-- seed_link
INSERT INTO link (project, checkout, file, born, died, known_from, known_to, digest, data)
SELECT project, :checkout, file, born, died, :known, known_to, digest, data FROM link
WHERE project = :project AND checkout = :source AND died = {open} AND known_to = {open}
