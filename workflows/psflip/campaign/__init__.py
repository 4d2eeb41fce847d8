"""Study file, batches, rounds, averages."""
