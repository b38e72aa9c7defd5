"""The versions that made a result: those that are running, or those that its file names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from platform import python_version
from types import MappingProxyType
from typing import Any

from adjudge.version import __version__

_LIBRARIES = ("numpy", "scipy")
_NAMES = ("adjudge", "python", *_LIBRARIES)
_LONGEST = 40


@cache
def _running() -> Mapping[str, str]:
    found = {"adjudge": __version__, "python": python_version()}
    return MappingProxyType(found | {name: version(name) for name in _LIBRARIES})


def versions_of(result: Any) -> Mapping[str, str]:
    """Return the versions that made a result."""
    found: Mapping[str, str] | None = getattr(result, "__dict__", {}).get("_made_with")
    return _running() if found is None else found


def keep_versions(result: Any, found: Mapping[str, str]) -> None:
    """Attach its versions to a loaded result; comparisons of results ignore them."""
    if hasattr(result, "__dict__"):
        object.__setattr__(result, "_made_with", found)


def read_versions(given: Any) -> Mapping[str, str]:
    """Read the versions of the known packages that a file names, and ignore everything else."""
    if not isinstance(given, dict):
        return {}
    return MappingProxyType(
        {
            name: own
            for name in _NAMES
            if isinstance(own := given.get(name), str) and len(own) <= _LONGEST and own.isprintable()
        }
    )
