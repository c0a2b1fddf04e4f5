"""Elixir."""
