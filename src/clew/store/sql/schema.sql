-- schema_exists.sqlite
SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'

-- schema_version
SELECT version FROM schema_version ORDER BY version DESC LIMIT 1

-- schema_version_put
INSERT INTO schema_version (version, applied_at) VALUES (:version, :applied_at)
