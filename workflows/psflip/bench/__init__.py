"""Timings of bench-flip."""
