"""The graph: its algorithms, and the questions that are asked of it."""
