"""The rulers: how well a question finds the code that is meant, measured on a repository's own past."""
