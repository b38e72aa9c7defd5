"""Choosing the number of clusters: sweeps, reference data, stability, structure, and the verdict."""
