"""The past of a project: differences between two times, and the histories of symbols, read from git."""
