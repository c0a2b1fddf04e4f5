"""From source text to its syntax: definitions, imports, calls, chunks; all as written."""
