"""From an outline to facts: bindings and calls, for all languages but Python."""
