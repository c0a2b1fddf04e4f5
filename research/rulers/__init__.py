"""Rulers used to choose during development; the ones run regularly are in `bench/`."""
