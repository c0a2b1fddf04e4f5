ALTER TABLE knowledge ENABLE ROW LEVEL SECURITY;

ALTER TABLE knowledge FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON knowledge USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE knowledge_view ENABLE ROW LEVEL SECURITY;

ALTER TABLE knowledge_view FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON knowledge_view USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));
