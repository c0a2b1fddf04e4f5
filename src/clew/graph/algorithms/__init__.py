"""Algorithms on graphs as arrays: pure, and the same to the last bit for the same arrays."""
