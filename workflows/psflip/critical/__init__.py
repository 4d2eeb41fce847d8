"""From the curves of several sizes to a critical point: crossings and quotients, extrapolation."""
