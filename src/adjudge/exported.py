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
        if alias.asname == alias.name
    ]
    return {name: f"{package}.{name}" if module == package else module for name, module in named}


def exports_of(
    package: str,
    otherwise: Callable[[str], Any] = lambda _: None,
    others: Callable[[], Iterable[str]] = tuple,
    hint: str = "",
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
    otherwise : callable
        Returns what a name stands for that the stub does not list; None for nothing.
    others : callable
        Returns these names, which an error may suggest.
    hint : str
        What an error says if no name is close.
    """

    def found(name: str) -> Any:
        if name == "__all__":
            return names()
        if name.startswith("_"):
            raise no_such_name(package, name)
        module = homes(package).get(name)
        if module == f"{package}.{name}":
            return import_module(module)
        value = otherwise(name) if module is None else getattr(import_module(module), name)
        if value is None:
            here = whereabouts(package, name)
            raise no_such_name(package, name, () if here else [*names(), *others()], here or hint)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted(homes(package))

    return found, names


def whereabouts(package: str, name: str) -> str:
    """Say where a name is public, if not in this package."""
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
