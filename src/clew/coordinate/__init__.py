"""Agents that share a project: claims, tasks, features, and how the fleet stands."""
