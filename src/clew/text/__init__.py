"""Text processing: terms, tokens, summaries, and secrets that must not be stored."""
