"""Computes a critical point from the curves of several sizes: crossings, quotients, extrapolation."""
