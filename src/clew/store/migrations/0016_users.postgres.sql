-- Who a user is, the connection says: the store of one belongs to the role that the database let in, `user:ROLE/NAME`.
-- Whatever a session calls itself, it reaches no store of another role. What was named by a login alone so far goes to
-- the role of that name or, where there is none, to the role that brings the schema forward.

ALTER TABLE project NO FORCE ROW LEVEL SECURITY;

UPDATE project SET id = CASE
    WHEN EXISTS (SELECT 1 FROM pg_roles WHERE rolname = SUBSTR(project.id, 6) AND rolcanlogin)
    THEN project.id || '/' || SUBSTR(project.id, 6)
    ELSE 'user:' || CAST(session_user AS TEXT) || '/' || SUBSTR(project.id, 6)
END
WHERE id LIKE 'user:%' AND id NOT LIKE 'user:%/%';

ALTER TABLE project FORCE ROW LEVEL SECURITY;

CREATE POLICY user_of_role ON project AS RESTRICTIVE
USING (id NOT LIKE 'user:%' OR STARTS_WITH(id, 'user:' || CAST(session_user AS TEXT) || '/'));
