"""Intervals and tests of scores of probabilities and decision values."""
