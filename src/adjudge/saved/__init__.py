"""Results in files: what is kept of each, how values are written and read, and the archive around them."""
