"""Protocols of vector spins, and pictures of them."""
