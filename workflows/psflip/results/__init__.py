"""Reads results, and packs them to hand them over."""
