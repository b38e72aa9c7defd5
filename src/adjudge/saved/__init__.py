"""Saved results: what is kept of each, how values are written and read, and the archive that holds them."""
