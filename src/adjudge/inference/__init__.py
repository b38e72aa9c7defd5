"""Chance correction, intervals and tests."""
