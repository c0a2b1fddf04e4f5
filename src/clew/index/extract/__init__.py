"""From an outline to facts: what names are bound to and what is called, for all languages but Python."""
