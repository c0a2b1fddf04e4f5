"""The service graph: finds services, contracts, endpoints, calls, events and entities in a project's own files.

It reads texts and symbols that are indexed; it runs nothing and asks no network.
"""
