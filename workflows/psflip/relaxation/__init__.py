"""Off equilibrium: lengths, fits, pictures and report of relaxations."""
