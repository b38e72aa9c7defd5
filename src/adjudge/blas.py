"""Keep BLAS and LAPACK in the thread that calls them.

The threads that they start spin while they wait for work, and take the cores from our own; eigenvalues of a matrix of
64 rows took 40 times as long with them.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from threading import Lock, get_ident
from typing import Any

__all__ = ["factorizing", "one_blas_thread"]

# For fewer columns no threads are started.
_MANY_COLUMNS = 32


def one_blas_thread() -> AbstractContextManager[None]:
    """Keep products of the whole process in the threads that ask for them, until the first to enter leaves."""
    return _ONE_THREAD


def factorizing(columns: int) -> AbstractContextManager[None]:
    """Keep the factorization of a matrix with this many columns in this thread."""
    return nullcontext() if columns < _MANY_COLUMNS else _ONE_THREAD


class _OneThread(AbstractContextManager[None]):
    """A context that several threads may enter at once, and reenter.

    Only the thread that sets the limit lifts it: another could only restore what it found, which is the limit.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._owner = self._depth = 0
        self._limits: Any = nullcontext()

    def __enter__(self) -> None:
        with self._lock:
            if not self._depth:
                libraries = _libraries("scipy.linalg" in sys.modules)
                self._limits = nullcontext() if libraries is None else libraries.limit(limits=1)
                self._limits.__enter__()
                self._owner = get_ident()
            self._depth += self._owner == get_ident()

    def __exit__(self, *error: object) -> None:
        with self._lock:
            if self._owner == get_ident():
                self._depth -= 1
                if not self._depth:
                    self._owner = 0
                    self._limits.__exit__(*error)


@lru_cache(maxsize=2)
def _libraries(_has_scipy: bool) -> Any:
    """Return the loaded libraries, which take a millisecond to find; SciPy brings its own."""
    try:
        from threadpoolctl import ThreadpoolController
    except ModuleNotFoundError:
        return None
    return ThreadpoolController().select(user_api="blas")


_ONE_THREAD = _OneThread()
