ALTER TABLE job ENABLE ROW LEVEL SECURITY;

ALTER TABLE job FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON job USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE index_error ENABLE ROW LEVEL SECURITY;

ALTER TABLE index_error FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON index_error USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));
