"""How jobs run."""
