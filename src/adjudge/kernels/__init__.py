"""The few compiled loops. Each has a naive twin in tests/naive.py."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

from numba import njit
from numba.core import config

__all__ = ["inlined", "kernel", "merged", "subroutine"]


def _compiled() -> ModuleType:
    """Import the module that is made for this processor, or the one that ``ADJUDGE_KERNELS`` names."""
    level = os.environ.get("ADJUDGE_KERNELS") or import_module("adjudge.kernels._processor").level()
    return import_module(f"adjudge.kernels._{level}")


for _subject, _module in vars(_compiled()).items():
    if isinstance(_module, ModuleType):
        sys.modules[f"{__name__}.{_subject}"] = globals()[_subject] = _module

Function = TypeVar("Function", bound=Callable[..., Any])

# Its annotations do not know all of its options.
_njit: Any = njit
#: Whether this process has read or compiled a loop: the first one waits for numba.
started = False


def _probe() -> None:
    pass


try:
    njit(cache=True)(_probe)
except RuntimeError:
    # Neither this folder nor the user's cache can be written to. Kernels are then compiled once a process.
    _folder = tempfile.mkdtemp(prefix="adjudge-kernels-")
    setattr(config, "CACHE_DIR", _folder)  # noqa: B010 - an attribute that numba makes at run time
    atexit.register(shutil.rmtree, _folder, ignore_errors=True)


def kernel(**options: Any) -> Callable[[Function], Function]:
    """Decorate a loop that Python calls; it releases the GIL, and is compiled once a machine."""
    decorate = _decorator(cache=True, **options)

    def decorated(function: Function) -> Function:
        compiled: Any = decorate(function)
        _compile_if_edited(compiled)
        _compile_if_damaged(compiled)
        _keep_signatures_apart(compiled)
        return cast("Function", compiled)

    return decorated


def _sources() -> tuple[tuple[str, int, int], ...]:
    """Name, time of change and size of every file with kernels."""
    found = ((path.name, path.stat()) for path in sorted(Path(__file__).parent.glob("*.py")))
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in found)


_SOURCES = _sources()


def _compile_if_edited(compiled: Any) -> None:
    """Compile a kernel anew if any file with kernels has changed: numba looks at its own file alone.

    What it calls becomes part of it, wherever that is written.
    """
    cache_file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = _SOURCES


def _compile_if_damaged(compiled: Any) -> None:
    """Let a file of compiled code that cannot be read be written anew: a disk that is full cuts files off."""
    cache: Any = getattr(compiled, "_cache", None)
    if not hasattr(cache, "load_overload") or not hasattr(cache, "flush"):
        return  # no cache, or another version of numba's
    load = cache.load_overload

    def load_or_forget(signature: Any, target_context: Any) -> Any:
        global started
        started = True
        try:
            return load(signature, target_context)
        except Exception:  # whatever unpickling makes of damaged bytes
            cache.flush()
            return None

    cache.load_overload = load_or_forget


def _keep_signatures_apart(compiled: Any) -> None:
    """Name files of compiled code after their signatures and sources.

    Numba numbers them. Two processes that compile for different signatures at the same time would take the same number,
    and one signature would find the other's code from then on. So would a process find code of an older source, if one
    that has imported that source is still running, and compiles last.
    """
    cache_file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if not hasattr(cache_file, "save") or not hasattr(cache_file, "_load_index"):
        return  # no cache, or another version of numba's
    save, stem = cache_file.save, Path(cache_file._index_name).stem

    def save_apart(key: Any, data: Any) -> None:
        digest = hashlib.sha256(repr((key, _SOURCES)).encode()).hexdigest()[:16]
        cache_file._data_name = lambda number: f"{stem}.{digest}.nbc"
        save(key, data)
        # What older sources left. Numba compiles anew what an index names and nobody finds.
        named = set(cache_file._load_index().values())
        for path in Path(cache_file._cache_path).glob(f"{stem}.*.nbc"):
            if path.name not in named:
                path.unlink(missing_ok=True)

    cache_file.save = save_apart


def subroutine(**options: Any) -> Callable[[Function], Function]:
    """Decorate a function that only kernels call: without an entry for Python it compiles in half the time."""
    return _decorator(no_cpython_wrapper=True, **options)


def inlined(**options: Any) -> Callable[[Function], Function]:
    """Decorate a subroutine whose sums may be reassociated.

    It becomes part of its callers. Were it called, a process that has just compiled it would run the code made for it
    alone, and one that reads its caller from the cache the code made there: their sums would differ in the last digit.
    """
    return subroutine(forceinline=True, **options)


def merged(function: Function) -> Function:
    """Decorate a few lines that join subroutines: their source becomes part of their callers."""
    decorated: Function = _njit(inline="always")(function)
    return decorated


def _decorator(**options: Any) -> Callable[[Function], Function]:
    # Nothing calls a kernel from C.
    decorate: Callable[[Function], Function] = _njit(nogil=True, no_cfunc_wrapper=True, **options)
    return decorate
