-- schema_exists.sqlite
SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'

-- schema_exists.postgres
SELECT 1 FROM pg_class WHERE relname = 'schema_version' AND relnamespace = CAST(current_schema() AS regnamespace)

-- schema_lock.sqlite
SELECT 1

-- schema_lock.postgres
SELECT pg_advisory_xact_lock(hashtext('clew schema'))

-- schema_guard.sqlite
SELECT version FROM schema_version WHERE version > :known ORDER BY version DESC LIMIT 1

-- schema_guard.postgres
SELECT CAST('clew-schema-' || MAX(version) || '-' || CAST(:known AS BIGINT) AS BIGINT) FROM schema_version
HAVING MAX(version) > :known

-- schema_version
SELECT version FROM schema_version ORDER BY version DESC LIMIT 1

-- schema_version_put
INSERT INTO schema_version (version, applied_at) VALUES (:version, :applied_at)

-- store_faults.postgres
SELECT 'the index ' || relname || ' is not valid: run REINDEX' AS fault
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE NOT indisvalid AND relnamespace = CAST(current_schema() AS regnamespace)
UNION ALL
SELECT 'the role ' || rolname || ' is above row-level security: connect as an ordinary one'
FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)

-- store_size.postgres
SELECT COALESCE(SUM(pg_total_relation_size(pg_class.oid)), 0) AS bytes
FROM pg_class WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)

-- session_role.postgres
SELECT CAST(session_user AS TEXT) AS role
