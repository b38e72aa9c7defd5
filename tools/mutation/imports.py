"""Imports of a process: all that tests need, or all except a module and what depends on it."""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
from collections.abc import Collection, Iterable
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

__all__ = ["Loaded", "import_all", "loaded", "mutate"]

#: Names of modules.
Loaded = list[str]


class _Mutated(SourceFileLoader):
    """Load a module from a given source, bypassing the bytecode cache."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source.encode()

    def get_data(self, path: str) -> bytes:
        return self._source

    def path_stats(self, path: str) -> Any:
        raise OSError


class _Finder:
    def __init__(self, name: str, source: str) -> None:
        self._name = name
        self._source = source

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        file = str(Path(path[0]) / f"{name.rpartition('.')[2]}.py")
        return spec_from_file_location(name, file, loader=_Mutated(name, file, self._source))


class _Blocked:
    """Block the import of some modules, and so of all modules that depend on them."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name in self._names:
            raise ImportError(name)


def mutate(module: str, source: str) -> None:
    """Make later imports of a module use another source."""
    sys.meta_path.insert(0, _Finder(module, source))


def loaded() -> Loaded:
    """Return what this process has imported, except the tests."""
    return [name for name in sys.modules if _may_be_shared(name)]


def _may_be_shared(name: str) -> bool:
    if name.startswith(("tests", "test_", "naive", "conftest", "__main__")):
        return False
    return getattr(sys.modules[name], "__spec__", None) is not None


def import_all(wanted: Iterable[Loaded], without: Collection[str] = ()) -> None:
    """Import what tests need, except some modules and what depends on them."""
    blocked = _Blocked(without)
    sys.meta_path.insert(0, blocked)
    for name in dict.fromkeys(name for modules in wanted for name in modules):
        if name not in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    sys.meta_path.remove(blocked)
    early = set(without) & sys.modules.keys()
    if early:
        raise RuntimeError(f"imported too early: {', '.join(sorted(early))}")
    gc.collect()
