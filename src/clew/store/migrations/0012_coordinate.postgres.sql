ALTER TABLE claim ENABLE ROW LEVEL SECURITY;

ALTER TABLE claim FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON claim USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE agent_session ENABLE ROW LEVEL SECURITY;

ALTER TABLE agent_session FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON agent_session USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE task ENABLE ROW LEVEL SECURITY;

ALTER TABLE task FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON task USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE task_change ENABLE ROW LEVEL SECURITY;

ALTER TABLE task_change FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON task_change USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE feature ENABLE ROW LEVEL SECURITY;

ALTER TABLE feature FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON feature USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));
