"""Correction for chance: null models, and the distribution of an index under each."""
