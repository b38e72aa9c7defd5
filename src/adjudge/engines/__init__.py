"""Engines reduce data to statistics; none of them knows an index."""
