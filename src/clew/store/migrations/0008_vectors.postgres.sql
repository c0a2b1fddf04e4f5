ALTER TABLE vector ENABLE ROW LEVEL SECURITY;

ALTER TABLE vector FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON vector USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE embedded ENABLE ROW LEVEL SECURITY;

ALTER TABLE embedded FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON embedded USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));
