"""Public names: a package lists its own once, in its stub (``__init__.pyi``), and imports them when they are used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from adjudge.unknown_names import no_such_name

__all__ = ["exports_of", "homes", "public_names", "public_object", "whereabouts"]

#: Packages with public names of their own; :mod:`adjudge.metrics` follows scikit-learn.
PACKAGES = ("displays", "indices", "inference", "results", "statistics")

# Commands of the shell that have another name here.
_COMMANDS = {
    "raters": "adjudge.evaluate(ratings, kind='raters')",
    "cluster_tests": "adjudge.inference.clusters_test(X)",
}


@cache
def homes(package: str) -> dict[str, str]:
    """Return the module of each public name of a package; that of a subpackage is the subpackage.

    Examples
    --------
    >>> from adjudge.exported import homes
    >>> homes("adjudge")["evaluate"], homes("adjudge")["metrics"]
    ('adjudge.verbs.evaluate', 'adjudge.metrics')
    """
    import ast

    stub = Path(str(import_module(package).__file__)).with_suffix(".pyi")
    imports = (node for node in ast.parse(stub.read_text("utf-8")).body if isinstance(node, ast.ImportFrom))
    named = [
        (alias.name, str(node.module))
        for node in imports
        for alias in node.names
        if alias.asname == alias.name and not alias.name.startswith("_")
    ]
    return {name: f"{package}.{name}" if module == package else module for name, module in named}


@cache
def exports_of(
    package: str, *, with_indices: bool = False
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
    with_indices : bool
        Whether the package also has every index as a function; :mod:`adjudge.indices` alone lists them.
    """

    def found(name: str) -> Any:
        if name == "__all__":
            return names()
        if name.startswith("_"):
            raise no_such_name(package, name)
        module = homes(package).get(name)
        if module == f"{package}.{name}":
            return import_module(module)
        if module is not None:
            value = getattr(import_module(module), name)
        elif (value := _index_called(package, name) if with_indices else None) is None:
            here = whereabouts(package, name)
            known = [*names(), *_all_indices()] if with_indices else names()
            hint = "adjudge.list_indices() lists the indices" if with_indices else ""
            raise no_such_name(package, name, () if here else known, here or hint)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        listed = _all_indices() if package == "adjudge.indices" else ()
        return sorted({*homes(package), *listed})

    return found, names


def _index_called(package: str, name: str) -> Any:
    """Return the index of this name; raise if it is a function of scikit-learn that has another name here."""
    catalog = import_module("adjudge.indices.catalog")
    found = catalog.index_named(name)
    if found is None and (here := catalog.name_here(name)):
        raise no_such_name(package, name, (), here)
    return found


def _all_indices() -> Iterable[str]:
    names: Iterable[str] = import_module("adjudge.indices.catalog").all_indices()
    return names


def whereabouts(package: str, name: str) -> str:
    """Say where a name is public, if not in this package, or what a command of the shell is called here."""
    if package == "adjudge" and name in _COMMANDS:
        return f"{_COMMANDS[name]} does what the command does"
    for other in ("adjudge", *(f"adjudge.{own}" for own in PACKAGES)):
        if other != package and name in homes(other):
            return f"it is {other}.{name}"
    return ""


def public_names() -> dict[str, str]:
    """Return the module of each public name, by the name behind ``adjudge.``: each once, where it is shortest."""
    found = {name: module for name, module in homes("adjudge").items() if module != f"adjudge.{name}"}
    for own in PACKAGES:
        found |= {
            f"{own}.{name}": module for name, module in homes(f"adjudge.{own}").items() if name not in found
        }
    ours = import_module("adjudge.metrics").OURS
    found |= {f"metrics.{name}": module for name, module in ours.items()}
    return found | {"errors.Option": "adjudge.errors"}


def public_object(name: str) -> Any:
    """Return what a public name stands for, such as ``evaluate`` or ``inference.tree_test``."""
    package, _, own = f"adjudge.{name}".rpartition(".")
    return getattr(import_module(package), own)
