"""Building blocks of all intervals and tests: proportions, samples, adjusted p-values, outcomes of tests."""
