ALTER TABLE link_input ENABLE ROW LEVEL SECURITY;

ALTER TABLE link_input FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON link_input USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));
