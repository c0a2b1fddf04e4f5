"""The tools: typed functions, one module per toolset, in one table that every surface reads."""

from clew.tools.registry import TOOLS, Tool, find

__all__ = ["TOOLS", "Tool", "find"]
