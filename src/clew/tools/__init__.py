"""The tools: typed functions, one module per toolset, in one table that every surface reads."""

from clew.tools import code, context, discovery, episodes, fleet, packing, working
from clew.tools.registry import TOOLS, Tool, find

__all__ = ["TOOLS", "Tool", "code", "context", "discovery", "episodes", "find", "fleet", "packing", "working"]
