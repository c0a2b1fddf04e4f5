-- node_live
SELECT scope, kind, digest FROM node WHERE {here} AND file = :file AND died = {open}

-- node_put
INSERT INTO node (project, checkout, file, scope, born, died, kind, name, digest)
VALUES (:project, :checkout, :file, :scope, :born, {open}, :kind, :name, :digest)

-- node_end
UPDATE node SET died = :died WHERE {here} AND file = :file AND scope = :scope AND died = {open}

-- node_end_all
UPDATE node SET died = :died WHERE {here} AND file = :file AND died = {open}

-- node_named
SELECT path, scope, kind, name FROM node JOIN file USING (project, checkout, file)
WHERE {here} AND name = :name AND died = {open}
ORDER BY path, scope LIMIT :limit

-- node_versions
SELECT born, died, kind, digest FROM node JOIN file USING (project, checkout, file)
WHERE {here} AND path = :path AND scope = :scope ORDER BY born

-- node_all
SELECT file, scope, kind, name, digest FROM node WHERE {here} AND died = {open}

-- node_counts
SELECT kind, COUNT(*) AS n FROM node WHERE {here} AND died = {open} GROUP BY kind ORDER BY kind

-- edge_live
SELECT scope, kind, target, line, evidence, confidence FROM edge
WHERE {here} AND file = :file AND died = {open} AND known_to = {open}

-- edge_put
INSERT INTO edge (project, checkout, file, scope, kind, target, line, born, died, known_from, known_to,
    evidence, confidence)
VALUES (:project, :checkout, :file, :scope, :kind, :target, :line, :born, {open}, :known_from, {open},
    :evidence, :confidence)

-- edge_end
UPDATE edge SET died = :died
WHERE {here} AND file = :file AND scope = :scope AND kind = :kind AND target = :target AND line = :line
    AND died = {open} AND known_to = {open}

-- edge_held_before
INSERT INTO edge (project, checkout, file, scope, kind, target, line, born, died, known_from, known_to,
    evidence, confidence)
SELECT project, checkout, file, scope, kind, target, line, born, :version, :known_from, {open}, evidence, confidence
FROM edge
WHERE {here} AND file = :file AND scope = :scope AND kind = :kind AND target = :target AND line = :line
    AND died = {open} AND known_to = {open} AND born < :version

-- edge_forget
UPDATE edge SET known_to = :known_from
WHERE {here} AND file = :file AND scope = :scope AND kind = :kind AND target = :target AND line = :line
    AND died = {open} AND known_to = {open} AND known_from < :known_from

-- edge_end_all
UPDATE edge SET died = :died WHERE {here} AND file = :file AND died = {open} AND known_to = {open}

-- edge_from
SELECT path, scope, kind, target, line, evidence, confidence
FROM edge JOIN file USING (project, checkout, file)
WHERE {here} AND path = :path AND scope = :scope AND died = {open} AND known_to = {open}
ORDER BY kind, target, line

-- edge_to
SELECT path, scope, kind, target, line, evidence, confidence
FROM edge JOIN file USING (project, checkout, file)
WHERE {here} AND target = :target AND died = {open} AND known_to = {open}
ORDER BY kind, path, scope, line

-- edge_all
SELECT file, scope, kind, target, line, evidence, confidence FROM edge
WHERE {here} AND died = {open} AND known_to = {open}

-- edge_counts
SELECT kind, COUNT(*) AS n FROM edge WHERE {here} AND died = {open} AND known_to = {open}
GROUP BY kind ORDER BY kind
