"""The files of a tree as they lie on disk: which belong to the project, and which have changed."""
