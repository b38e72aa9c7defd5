"""Counts and moments of lazy tables."""
