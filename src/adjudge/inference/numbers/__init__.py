"""Certainty of scores of numbers."""
