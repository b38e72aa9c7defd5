"""Comparison of models over many data sets: rank tests, Bayesian tests, power."""
