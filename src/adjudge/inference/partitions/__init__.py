"""Intervals and tests for two partitions of the same instances, and for the Prayatul measures."""
