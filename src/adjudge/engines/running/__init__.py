"""Who does the work, where, and what is kept if it is interrupted."""
