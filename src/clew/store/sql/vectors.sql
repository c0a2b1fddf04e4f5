-- vector_get
SELECT digest, data FROM vector WHERE project = :project AND digest {listed}

-- vector_has
SELECT digest FROM vector WHERE project = :project AND digest {listed}

-- vector_put
INSERT INTO vector (project, digest, model, data) VALUES (:project, :digest, :model, :data)
ON CONFLICT (project, digest) DO NOTHING

-- vector_counts
SELECT model, COUNT(*) AS n FROM vector WHERE project = :project GROUP BY model ORDER BY model

-- vector_forget
DELETE FROM vector WHERE project = :project AND model = :model

-- embedded_all
SELECT file, version, digests FROM embedded WHERE {here} AND model = :model

-- embedded_put
INSERT INTO embedded (project, checkout, file, model, version, digests)
VALUES (:project, :checkout, :file, :model, :version, :digests)
ON CONFLICT (project, checkout, file, model) DO UPDATE SET version = excluded.version, digests = excluded.digests

-- embedded_forget
DELETE FROM embedded WHERE project = :project AND model = :model
