"""Setting up coding clients."""
