"""Coding clients: what `clew init` writes into their configuration, and how `clew uninstall` takes it out again."""
