ALTER TABLE note ENABLE ROW LEVEL SECURITY;

ALTER TABLE note FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON note USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));
