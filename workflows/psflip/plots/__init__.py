"""Draws the figures of a study."""
