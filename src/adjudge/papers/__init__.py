"""The published experiments, regenerated (nothing is imported before it is asked for)."""
