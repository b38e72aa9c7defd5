"""Intervals of internal indices, and estimates from samples of the points."""
