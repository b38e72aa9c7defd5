"""Counts, moments and sums of lazy tables, computed by the table's own engine.

Start with `counting` (labels), then `moments` (points) and `summed_scores` (probabilities).
"""
