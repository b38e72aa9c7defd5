"""Names that a module shares with one of scikit-learn's and does not compute: they are scikit-learn's own."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from adjudge.unknown_names import no_such_name


def theirs(name: str, home: str) -> Any:
    """Return what scikit-learn's module `home` has under a name."""
    here = home.replace("sklearn", "adjudge", 1)
    if name.startswith("_"):  # as imports ask for, before anything is called
        raise no_such_name(here, name)
    module = import_module(home)
    if hasattr(module, name):
        return getattr(module, name)
    raise no_such_name(here, name, dir(import_module(here)), f"it has the names of {home}")


def names_with_theirs(own: Iterable[str], home: str) -> list[str]:
    """List a module's own names and those of scikit-learn's module `home`."""
    module = import_module(home)
    public = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    return sorted({*own, *public})
