ALTER TABLE episode ENABLE ROW LEVEL SECURITY;

ALTER TABLE episode FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON episode USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE episode_entity ENABLE ROW LEVEL SECURITY;

ALTER TABLE episode_entity FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON episode_entity USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE learning ENABLE ROW LEVEL SECURITY;

ALTER TABLE learning FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON learning USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));

ALTER TABLE learning_entity ENABLE ROW LEVEL SECURITY;

ALTER TABLE learning_entity FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON learning_entity USING (project = (
    SELECT own.project FROM project AS own WHERE own.id = current_setting('clew.project', true)
));
