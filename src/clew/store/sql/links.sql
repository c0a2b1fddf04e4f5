-- link_digests
SELECT file, digest FROM link WHERE {here} AND died = {open} AND known_to = {open}

-- link_digests_of
SELECT file, digest FROM link WHERE {here} AND file {among} AND died = {open} AND known_to = {open}

-- link_put
INSERT INTO link (project, checkout, file, born, died, known_from, known_to, digest, data)
VALUES (:project, :checkout, :file, :born, {open}, :known_from, {open}, :digest, :data)

-- link_past
INSERT INTO link (project, checkout, file, born, died, known_from, known_to, digest, data)
VALUES (:project, :checkout, :file, :born, :died, :known_from, {open}, :digest, :data)

-- link_record
SELECT born, died, known_from, known_to, data FROM link WHERE {here} AND file = :file ORDER BY born, known_from

-- link_held_before
INSERT INTO link (project, checkout, file, born, died, known_from, known_to, digest, data)
SELECT project, checkout, file, born, :version, :known_from, {open}, digest, data FROM link
WHERE {here} AND file = :file AND died = {open} AND known_to = {open} AND born < :version

-- link_forget
UPDATE link SET known_to = :known_from
WHERE {here} AND file = :file AND died = {open} AND known_to = {open} AND known_from < :known_from

-- link_end
UPDATE link SET died = :died WHERE {here} AND file = :file AND died = {open} AND known_to = {open}

-- link_of
SELECT file, digest, data FROM link WHERE {here} AND file {among} AND died = {open} AND known_to = {open}

-- link_believed
SELECT file, born, died, data FROM link
WHERE {here} AND file {among} AND known_from <= :known AND :known < known_to

-- link_inputs
SELECT file, data FROM link_input WHERE {here}

-- link_input_put
INSERT INTO link_input (project, checkout, file, data) VALUES (:project, :checkout, :file, :data)
ON CONFLICT (project, checkout, file) DO UPDATE SET data = excluded.data

-- history_tip
SELECT tip FROM history WHERE {here}

-- history_put
INSERT INTO history (project, checkout, tip, data) VALUES (:project, :checkout, :tip, :data)
ON CONFLICT (project, checkout) DO UPDATE SET tip = excluded.tip, data = excluded.data

-- history_get
SELECT tip, data FROM history WHERE {here}

-- settled_get
SELECT data FROM settled WHERE {here}

-- settled_put
INSERT INTO settled (project, checkout, data) VALUES (:project, :checkout, :data)
ON CONFLICT (project, checkout) DO UPDATE SET data = excluded.data
