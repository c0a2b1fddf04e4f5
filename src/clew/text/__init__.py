"""What text is made of: terms, tokens, and the secrets that must not be kept."""
