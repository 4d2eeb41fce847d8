"""The command psflip."""
