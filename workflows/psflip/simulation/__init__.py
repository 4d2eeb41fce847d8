"""Simulations of arrays of couplings in this process, without files."""
