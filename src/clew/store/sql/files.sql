-- file_all
SELECT file, path, size, mtime_ns, checked_ns FROM file WHERE {here}

-- file_paths
SELECT file, path FROM file WHERE {here}

-- file_current
SELECT file, version, digest, text_digest, language, committed, valid_from FROM file_version WHERE {here} AND {current}

-- file_lengths
SELECT file, lines FROM file_version WHERE {here} AND {current}

-- file_known_at
SELECT file, path, size, mtime_ns, checked_ns, version, digest, committed, valid_from
FROM file JOIN file_version USING (project, checkout, file)
WHERE {here} AND path = :path AND {current}

-- file_known_among
SELECT file, path, size, mtime_ns, checked_ns, version, digest, committed, valid_from
FROM file {then} file_version USING (project, checkout, file)
WHERE {here} AND path {named} AND {current}

-- file_holding
SELECT path, text_digest, digest, language, file, version, committed, valid_from, size, mtime_ns,
    CASE WHEN {current} THEN checked_ns ELSE 0 END AS checked_ns, layout.data AS layout, redaction.data AS redactions,
    (SELECT blob.data FROM blob WHERE blob.project = :project AND blob.digest = text_digest) AS text
FROM file JOIN file_version USING (project, checkout, file) JOIN layout USING (project, checkout, file, version)
    LEFT JOIN redaction USING (project, checkout, file, version)
WHERE {here} AND path = :path AND text_digest = :text_digest
ORDER BY version DESC, known_to DESC, valid_to DESC LIMIT 1

-- file_holding_now
SELECT path, text_digest, digest, language, file, version, committed, valid_from, size, mtime_ns, checked_ns,
    layout.data AS layout, redaction.data AS redactions,
    (SELECT blob.data FROM blob WHERE blob.project = :project AND blob.digest = text_digest) AS text
FROM file {then} file_version USING (project, checkout, file) {then} layout USING (project, checkout, file, version)
    LEFT JOIN redaction USING (project, checkout, file, version)
WHERE {here} AND path {named} AND {current}

-- file_sheet
SELECT path, text_digest, digest, language, file, version, lines, committed, valid_from, valid_to, known_from, known_to, tx,
    size, mtime_ns, checked_ns, layout.data AS layout, redaction.data AS redactions,
    (SELECT blob.data FROM blob WHERE blob.project = :project AND blob.digest = text_digest) AS text
FROM file JOIN file_version USING (project, checkout, file) JOIN layout USING (project, checkout, file, version)
    LEFT JOIN redaction USING (project, checkout, file, version)
WHERE {here} AND path = :path AND {current}

-- file_version_last
SELECT MAX(version) AS version, MAX(CASE WHEN valid_to = {open} THEN valid_from ELSE valid_to END) AS after
FROM file_version WHERE {here} AND file = :file AND known_to = {open}

-- file_put
INSERT INTO file (project, checkout, file, path, size, mtime_ns, checked_ns)
VALUES (:project, :checkout, :file, :path, :size, :mtime_ns, :checked_ns)
ON CONFLICT (project, checkout, file) DO UPDATE
SET size = excluded.size, mtime_ns = excluded.mtime_ns, checked_ns = excluded.checked_ns

-- file_version_get
SELECT path, file, version, digest, text_digest, language, lines, committed, valid_from, known_from, valid_to, known_to, tx
FROM file_version JOIN file USING (project, checkout, file)
WHERE {here} AND path = :path AND {as_of}

-- file_version_put
INSERT INTO file_version (project, checkout, file, version, known_from, known_to, valid_from, valid_to,
    tx, digest, text_digest, language, lines, chunks, committed)
VALUES (:project, :checkout, :file, :version, :known_from, {open}, :valid_from, {open},
    :tx, :digest, :text_digest, :language, :lines, :chunks, :committed)

-- file_version_end
INSERT INTO file_version (project, checkout, file, version, known_from, known_to, valid_from, valid_to,
    tx, digest, text_digest, language, lines, chunks, committed)
SELECT project, checkout, file, version, :known_from, {open}, valid_from, :valid_to,
    :tx, digest, text_digest, language, lines, chunks, committed
FROM file_version WHERE {here} AND file = :file AND {current}

-- file_version_restate
INSERT INTO file_version (project, checkout, file, version, known_from, known_to, valid_from, valid_to,
    tx, digest, text_digest, language, lines, chunks, committed)
SELECT project, checkout, file, version, :known_from, {open}, :valid_from, {open},
    :tx, digest, text_digest, language, lines, chunks, 1
FROM file_version WHERE {here} AND file = :file AND {current}

-- file_version_forget
UPDATE file_version SET known_to = :known_from
WHERE {here} AND file = :file AND {current} AND known_from < :known_from

-- file_earliest
SELECT file, path, version, digest, committed, valid_from
FROM file_version JOIN file USING (project, checkout, file)
WHERE {here} AND known_to = {open} AND version = (
    SELECT MIN(earlier.version) FROM file_version AS earlier
    WHERE earlier.project = :project AND earlier.checkout = :checkout AND earlier.file = file_version.file
    AND earlier.known_to = {open}
)

-- file_version_past
INSERT INTO file_version (project, checkout, file, version, known_from, known_to, valid_from, valid_to,
    tx, digest, text_digest, language, lines, chunks, committed)
VALUES (:project, :checkout, :file, :version, :known_from, {open}, :valid_from, :valid_to,
    :tx, :digest, :text_digest, :language, :lines, :chunks, 1)

-- file_version_since
UPDATE file_version SET valid_from = :valid_from
WHERE {here} AND file = :file AND version = :version AND known_to = {open} AND known_from = :known_from

-- file_version_refine
INSERT INTO file_version (project, checkout, file, version, known_from, known_to, valid_from, valid_to,
    tx, digest, text_digest, language, lines, chunks, committed)
SELECT project, checkout, file, version, :known_from, {open}, :valid_from, valid_to,
    :tx, digest, text_digest, language, lines, chunks, 1
FROM file_version
WHERE {here} AND file = :file AND version = :version AND known_to = {open} AND known_from < :known_from

-- file_version_supersede
UPDATE file_version SET known_to = :known_from
WHERE {here} AND file = :file AND version = :version AND known_to = {open} AND known_from < :known_from

-- file_counts
SELECT COUNT(*) AS files, COALESCE(SUM(lines), 0) AS lines, COALESCE(SUM(chunks), 0) AS chunks,
     COALESCE(MAX(known_from), 0) AS last_known
FROM file_version WHERE {here} AND {current}

-- file_languages
SELECT language, COUNT(*) AS files, SUM(chunks) AS chunks FROM file_version WHERE {here} AND {current}
GROUP BY language ORDER BY language

-- file_versions_at
SELECT file, version FROM file_version WHERE {here} AND {as_of}

-- file_history
SELECT path, file, version, digest, text_digest, language, lines, committed, valid_from, known_from, valid_to, known_to, tx
FROM file_version JOIN file USING (project, checkout, file)
WHERE {here} AND path = :path ORDER BY known_from, version

-- layout_of
SELECT file, data FROM layout JOIN file_version USING (project, checkout, file, version)
WHERE {here} AND file {among} AND {current}

-- layout_put
INSERT INTO layout (project, checkout, file, version, data)
VALUES (:project, :checkout, :file, :version, :data)

-- layout_get
SELECT data FROM layout WHERE {here} AND file = :file AND version = :version

-- redaction_put
INSERT INTO redaction (project, checkout, file, version, data)
VALUES (:project, :checkout, :file, :version, :data)

-- redaction_current
SELECT path, data FROM redaction JOIN file_version USING (project, checkout, file, version) JOIN file USING (project, checkout, file)
WHERE {here} AND {current} ORDER BY path

-- redaction_get
SELECT data FROM redaction WHERE {here} AND file = :file AND version = :version

-- blob_put
INSERT INTO blob (project, digest, data) VALUES (:project, :digest, :data)
ON CONFLICT (project, digest) DO UPDATE SET data = excluded.data WHERE blob.data <> excluded.data

-- blob_get
SELECT data FROM blob WHERE project = :project AND digest = :digest

-- extract_put
INSERT INTO extract (project, checkout, file, words, facts)
VALUES (:project, :checkout, :file, :words, :facts)
ON CONFLICT (project, checkout, file) DO UPDATE
SET words = excluded.words, facts = excluded.facts

-- extract_drop
DELETE FROM extract WHERE {here} AND file = :file

-- extract_get
SELECT words, facts FROM extract WHERE {here} AND file = :file

-- extract_words
SELECT words FROM extract WHERE {here} AND file = :file

-- extract_words_of
SELECT file, words FROM extract WHERE {here} AND file {among}

-- extract_facts_of
SELECT file, facts FROM extract WHERE {here} AND file {among}

-- file_alike
SELECT path FROM file_version JOIN file USING (project, checkout, file)
WHERE {here} AND {current} AND digest = :digest ORDER BY path
