"""Packages that bring languages."""

from tests.index.conftest import site

__all__ = ["site"]
