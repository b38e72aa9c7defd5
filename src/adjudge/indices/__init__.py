"""The indices: pure functions of statistics, one record each.

Start with `record` (what every index says of itself) and `label_record`, `internal_record` and `forecast_record` (what
they read); then any module with indices, such as `pairs`; `catalog` finds and lists them.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from adjudge.exported import exports_of
from adjudge.unknown_names import no_such_name


def beside_indices(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that has all indices as functions."""

    def index(name: str) -> Any:
        catalog = import_module("adjudge.indices.catalog")
        found = catalog.index_named(name)
        if found is None and (here := catalog.name_here(name)):
            raise no_such_name(package, name, (), here)
        return found

    return exports_of(package, index, all_names, "adjudge.list_indices() lists the indices")


def all_names() -> Iterable[str]:
    """Return the names of all indices."""
    names: Iterable[str] = import_module("adjudge.indices.catalog").all_indices()
    return names


__getattr__, _names = beside_indices(__name__)


def __dir__() -> list[str]:
    return sorted({*_names(), *all_names()})
