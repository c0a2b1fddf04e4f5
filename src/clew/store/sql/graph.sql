-- node_live
SELECT scope, kind, digest FROM node WHERE {here} AND file = :file AND died = {open}

-- node_live_of
SELECT file, scope, kind, digest FROM node WHERE {here} AND file {among} AND died = {open}

-- node_put
INSERT INTO node (project, checkout, file, scope, born, died, kind, name, digest)
VALUES (:project, :checkout, :file, :scope, :born, {open}, :kind, :name, :digest)

-- node_past
INSERT INTO node (project, checkout, file, scope, born, died, kind, name, digest)
VALUES (:project, :checkout, :file, :scope, :born, :died, :kind, :name, :digest)

-- node_extend
UPDATE node SET born = :born WHERE {here} AND file = :file AND scope = :scope AND born = :was

-- node_held
SELECT scope, kind, digest FROM node WHERE {here} AND file = :file AND born = :version

-- node_end
UPDATE node SET died = :died WHERE {here} AND file = :file AND scope = :scope AND died = {open}

-- node_end_all
UPDATE node SET died = :died WHERE {here} AND file = :file AND died = {open}

-- node_named
SELECT path, scope, kind, name FROM node JOIN file USING (project, checkout, file)
WHERE {here} AND name = :name AND died = {open}
ORDER BY path, scope LIMIT :limit

-- node_alike
SELECT path, scope, kind FROM node JOIN file USING (project, checkout, file)
WHERE {here} AND name = :name AND digest = :digest AND died = {open}
ORDER BY path, scope

-- node_of
SELECT scope, name, died, digest FROM node JOIN file USING (project, checkout, file)
WHERE {here} AND path = :path ORDER BY scope

-- node_ever_named
SELECT DISTINCT path, scope FROM node JOIN file USING (project, checkout, file)
WHERE {here} AND name = :name ORDER BY path, scope

-- node_versions
SELECT born, died, kind, digest FROM node JOIN file USING (project, checkout, file)
WHERE {here} AND path = :path AND scope = :scope ORDER BY born

-- node_digests
SELECT path, scope, digest FROM file {then} node USING (project, checkout, file)
WHERE {here} AND path {named} AND scope {scoped} AND died = {open}

-- node_record
SELECT file, scope, kind, born, died, digest FROM node WHERE {here}

-- node_since
SELECT scope, valid_from FROM node JOIN file_version USING (project, checkout, file)
WHERE {here} AND file = :file AND died = {open} AND version = born AND known_to = {open}

-- node_all
SELECT file, scope, kind, name, digest FROM node WHERE {here} AND died = {open}

-- node_counts
SELECT kind, COUNT(*) AS n FROM node WHERE {here} AND died = {open} GROUP BY kind ORDER BY kind

-- run_of_end
SELECT tx FROM file_version JOIN file USING (project, checkout, file)
WHERE {here} AND path = :path AND version = :version AND valid_to < {open} AND known_to = {open}

-- run_files
SELECT COUNT(DISTINCT file) AS n FROM file_version WHERE {here} AND tx = :tx

-- node_ended_by
SELECT path, died AS version, scope, kind
FROM file_version JOIN node USING (project, checkout, file) JOIN file USING (project, checkout, file)
WHERE {here} AND file_version.tx = :tx AND valid_to < {open} AND known_to = {open} AND died = version + 1
ORDER BY path, scope

-- node_begun_by
SELECT path, born AS version, scope, kind
FROM file_version JOIN node USING (project, checkout, file) JOIN file USING (project, checkout, file)
WHERE {here} AND file_version.tx = :tx AND valid_to = {open} AND born = version
AND NOT EXISTS (
    SELECT 1 FROM file_version AS earlier
    WHERE earlier.project = :project AND earlier.checkout = :checkout AND earlier.file = file_version.file
    AND earlier.version = file_version.version AND earlier.known_from < file_version.known_from
)
ORDER BY path, scope
