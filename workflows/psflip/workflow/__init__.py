"""What the Snakefile and its rules read."""
