"""The few compiled loops. Each has a naive twin in tests/naive.py."""

from __future__ import annotations

import atexit
import shutil
import tempfile

from numba import njit
from numba.core import config


def _probe() -> None:
    pass


try:
    njit(cache=True)(_probe)
except RuntimeError:
    # Neither this folder nor the user's cache can be written to. Kernels are then compiled once a process.
    _folder = tempfile.mkdtemp(prefix="adjudge-kernels-")
    setattr(config, "CACHE_DIR", _folder)  # noqa: B010 - an attribute that numba makes at run time
    atexit.register(shutil.rmtree, _folder, ignore_errors=True)
