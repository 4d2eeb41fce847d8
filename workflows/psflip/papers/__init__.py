"""Pages on the papers behind psflip: their figures and tables with published numbers, psflip's numbers, commands, data and pictures."""
