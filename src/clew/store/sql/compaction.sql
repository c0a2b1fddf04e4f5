-- compact_list
SELECT path, COUNT(*) AS n FROM file_version JOIN file USING (project, checkout, file)
WHERE {here} AND (valid_to <= :cutoff OR known_to <= :cutoff)
GROUP BY path ORDER BY n DESC, path

-- compact_texts
SELECT COUNT(*) AS n, COALESCE(SUM(LENGTH(data)), 0) AS bytes FROM blob
WHERE project = :project AND EXISTS (
    SELECT 1 FROM file_version AS gone WHERE gone.project = :project AND gone.checkout = :checkout
    AND gone.text_digest = blob.digest AND (gone.valid_to <= :cutoff OR gone.known_to <= :cutoff)
) AND blob.digest NOT IN (
    SELECT text_digest FROM file_version WHERE project = :project
    AND NOT (checkout = :checkout AND (valid_to <= :cutoff OR known_to <= :cutoff))
)

-- compact_versions
DELETE FROM file_version WHERE {here} AND (valid_to <= :cutoff OR known_to <= :cutoff)

-- compact_layouts
DELETE FROM layout WHERE {here} AND NOT EXISTS (
    SELECT 1 FROM file_version AS kept WHERE kept.project = :project AND kept.checkout = :checkout
    AND kept.file = layout.file AND kept.version = layout.version
)

-- compact_redactions
DELETE FROM redaction WHERE {here} AND NOT EXISTS (
    SELECT 1 FROM file_version AS kept WHERE kept.project = :project AND kept.checkout = :checkout
    AND kept.file = redaction.file AND kept.version = redaction.version
)

-- compact_nodes
DELETE FROM node WHERE {here} AND died < {open} AND NOT EXISTS (
    SELECT 1 FROM file_version AS kept WHERE kept.project = :project AND kept.checkout = :checkout
    AND kept.file = node.file AND kept.version >= node.born AND kept.version < node.died
)

-- compact_links
DELETE FROM link WHERE {here} AND (known_to <= :cutoff OR (died < {open} AND NOT EXISTS (
    SELECT 1 FROM file_version AS kept WHERE kept.project = :project AND kept.checkout = :checkout
    AND kept.file = link.file AND kept.version >= link.born AND kept.version < link.died
)))

-- compact_files
DELETE FROM file WHERE {here} AND file NOT IN (
    SELECT file FROM file_version WHERE project = :project AND checkout = :checkout
)

-- compact_blobs
DELETE FROM blob WHERE project = :project AND digest NOT IN (
    SELECT text_digest FROM file_version WHERE project = :project
)
