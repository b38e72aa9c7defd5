"""Intervals and tests of two partitions of the same instances, and of the Prayatul measures."""
