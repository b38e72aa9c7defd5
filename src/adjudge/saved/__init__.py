"""Saved results: what is kept of each, how values are written and read, and the archive that holds them.

Start with `archive` (one file), then `encoding` and `decoding`; `classes` lists what may be in a file.
"""
