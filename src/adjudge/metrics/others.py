"""Names that a module shares with one of scikit-learn's and does not compute: they are scikit-learn's own."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

__all__ = ["names_with_theirs", "theirs"]


def theirs(name: str, home: str) -> Any:
    """Return what scikit-learn's module `home` has under a name."""
    if name.startswith("_"):
        raise AttributeError(f"module {home.replace('sklearn', 'adjudge', 1)!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def names_with_theirs(own: Iterable[str], home: str) -> list[str]:
    """List a module's own names and those of scikit-learn's module `home`."""
    module = import_module(home)
    public = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    return sorted({*own, *public})
