"""One pass over all distances: tiles, tasks, sums, extremes and ranks."""
