"""Models compared over many data sets: rank tests, Bayesian comparison, power."""
