-- The second lock: whatever a query asks for, a session sees and writes the rows of its own project only. Forced, so that
-- it binds the tables' owner too; a superuser is above it. The name of the project is set when a session is opened.

CREATE SEQUENCE project_number;

ALTER TABLE project ENABLE ROW LEVEL SECURITY;

ALTER TABLE project FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON project USING (id = current_setting('clew.project', true));

ALTER TABLE checkout ENABLE ROW LEVEL SECURITY;

ALTER TABLE checkout FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON checkout USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE graph_tx ENABLE ROW LEVEL SECURITY;

ALTER TABLE graph_tx FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON graph_tx USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE file ENABLE ROW LEVEL SECURITY;

ALTER TABLE file FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON file USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE file_version ENABLE ROW LEVEL SECURITY;

ALTER TABLE file_version FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON file_version USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE layout ENABLE ROW LEVEL SECURITY;

ALTER TABLE layout FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON layout USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE blob ENABLE ROW LEVEL SECURITY;

ALTER TABLE blob FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON blob USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE redaction ENABLE ROW LEVEL SECURITY;

ALTER TABLE redaction FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON redaction USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE node ENABLE ROW LEVEL SECURITY;

ALTER TABLE node FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON node USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE edge ENABLE ROW LEVEL SECURITY;

ALTER TABLE edge FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON edge USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE extract ENABLE ROW LEVEL SECURITY;

ALTER TABLE extract FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON extract USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE lease ENABLE ROW LEVEL SECURITY;

ALTER TABLE lease FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON lease USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE usage ENABLE ROW LEVEL SECURITY;

ALTER TABLE usage FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON usage USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));
