ALTER TABLE link ENABLE ROW LEVEL SECURITY;

ALTER TABLE link FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON link USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE history ENABLE ROW LEVEL SECURITY;

ALTER TABLE history FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON history USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE settled ENABLE ROW LEVEL SECURITY;

ALTER TABLE settled FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON settled USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));
