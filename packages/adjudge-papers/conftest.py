"""Modules whose doctests cannot be collected because they import what is not installed."""

from importlib.util import find_spec

SOURCE = "src/adjudge_papers"
collect_ignore = [] if find_spec("torch") else [f"{SOURCE}/architectures.py", f"{SOURCE}/networks.py"]
