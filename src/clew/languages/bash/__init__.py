"""Bash and other shells."""
