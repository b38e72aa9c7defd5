"""Correction for chance: null models, and the values of an index under each."""
