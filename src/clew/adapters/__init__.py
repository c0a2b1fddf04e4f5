"""Adapters for frameworks, each needing the extra of its name."""
