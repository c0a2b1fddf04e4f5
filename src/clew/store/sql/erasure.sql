-- forget_episode
UPDATE episode SET client_key = '', agent = '', session = '', task = '', type = 'OBSERVATION', content = :content,
    outcome = '', sensitive = 0, metadata = '{}', digest = '', links_digest = ''
WHERE project = :project AND episode = :episode

-- forget_episode_entities
DELETE FROM episode_entity WHERE project = :project AND episode = :episode

-- forget_learning
DELETE FROM learning WHERE project = :project AND learning = :learning

-- forget_learning_entities
DELETE FROM learning_entity WHERE project = :project AND learning = :learning

-- forget_note
DELETE FROM note WHERE project = :project AND id = :id

-- forget_knowledge
DELETE FROM knowledge WHERE project = :project AND id = :id

-- forget_file
DELETE FROM file WHERE {here} AND file = :file

-- forget_file_version
DELETE FROM file_version WHERE {here} AND file = :file

-- forget_layout
DELETE FROM layout WHERE {here} AND file = :file

-- forget_redaction
DELETE FROM redaction WHERE {here} AND file = :file

-- forget_node
DELETE FROM node WHERE {here} AND file = :file

-- forget_link
DELETE FROM link WHERE {here} AND file = :file

-- forget_link_input
DELETE FROM link_input WHERE {here} AND file = :file

-- forget_extract
DELETE FROM extract WHERE {here} AND file = :file

-- forget_embedded
DELETE FROM embedded WHERE {here} AND file = :file

-- forget_vector
DELETE FROM vector WHERE project = :project AND digest = :digest

-- forget_relink
UPDATE checkout SET linked = 0, stamp = :stamp, changed = changed + :files WHERE {here}

-- erasure_nodes
SELECT DISTINCT episode FROM episode_entity
WHERE project = :project AND (node = :path OR (node >= :low AND node < :high)) ORDER BY episode

-- erasure_digests
SELECT digests FROM embedded WHERE project = :project

-- erasure_vectors
SELECT digest FROM vector WHERE project = :project

-- gc_transactions
UPDATE graph_tx SET checkout = 0 WHERE project = :project AND checkout = :checkout

-- gc_leases
DELETE FROM lease WHERE {here}
