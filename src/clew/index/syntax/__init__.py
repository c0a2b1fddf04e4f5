"""From source text to what stands in it: definitions, imports, calls, pieces; all as written."""
