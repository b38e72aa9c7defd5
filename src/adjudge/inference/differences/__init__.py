"""Differences of two models on the same instances, and of groups of instances."""
