"""Benchmarks and stress runs: timings are measured here, never tested."""
