"""Differences between two models on the same instances, and between groups of instances."""
