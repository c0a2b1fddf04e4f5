"""Other tools, each asked in its own environment. Only what they publish is called; nothing of theirs is copied."""
