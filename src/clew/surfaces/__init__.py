"""How callers reach the tools: MCP, HTTP, command line, library. Surfaces translate and do not decide."""
