"""Modules whose doctests cannot be collected because they import what is not installed."""

from importlib.util import find_spec

collect_ignore = (
    [] if find_spec("torch") else ["src/adjudge/papers/architectures.py", "src/adjudge/papers/networks.py"]
)
