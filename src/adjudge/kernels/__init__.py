"""Compiled loops: C++ in src/kernels, of which there is one module for each level of processors.

``adjudge.kernels.counting`` is what src/kernels/counting.cpp makes, and so on. All release the interpreter's lock, take
arrays as they are (contiguous, of the very dtype), and have a naive twin in tests/naive.py.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

# Only a checkout has the sources beside the package.
_SOURCES = Path(__file__).parents[2] / "kernels"


def _compiled() -> ModuleType:
    """Import the module that is made for this processor, or the one that ``ADJUDGE_KERNELS`` names."""
    remedy = "run `make kernels`" if _SOURCES.is_dir() else "install adjudge again"
    try:
        level = os.environ.get("ADJUDGE_KERNELS") or import_module("adjudge.kernels._processor").level()
        found = import_module(f"adjudge.kernels._{level}")
    except ModuleNotFoundError as error:
        chosen = os.environ.get("ADJUDGE_KERNELS")
        if chosen:
            raise ImportError(
                f"ADJUDGE_KERNELS is {chosen!r}, and there are no such kernels: unset it"
            ) from None
        raise ImportError(f"adjudge's kernels are not compiled for this Python: {remedy}") from error
    newest = max((path.stat().st_mtime for path in _SOURCES.glob("*.[ch]*")), default=0.0)
    if newest > Path(str(found.__file__)).stat().st_mtime:
        raise ImportError("adjudge's kernels are older than their sources: run `make kernels`")
    return found


for _subject, _module in vars(_compiled()).items():
    if isinstance(_module, ModuleType):
        sys.modules[f"{__name__}.{_subject}"] = globals()[_subject] = _module
