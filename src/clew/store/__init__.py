"""The one system of record: the database waist, its backends, one repository per concept, snapshots."""
