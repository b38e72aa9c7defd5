"""Programs that call scikit-learn's metrics use adjudge's instead, until told otherwise.

Wherever a loaded module holds one of scikit-learn's functions, a stand-in takes its place. A stand-in decides at each
call whose function runs, so one that is kept beyond the end of the context is scikit-learn's again.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import update_wrapper
from importlib import import_module
from inspect import signature
from types import MethodType
from typing import Any

from adjudge.errors import InputError
from adjudge.metrics.checks import HOMES, installed_before

__all__ = ["patch_sklearn", "patched_sklearn", "unpatch_sklearn"]

#: Versions of scikit-learn whose own tests are run on these functions.
TESTED = ("1.5", "1.6", "1.7", "1.8", "1.9")

#: Functions with other results or warnings before a version of scikit-learn: older ones keep their own.
_SINCE = {"det_curve": "1.7", "class_likelihood_ratios": "1.7"}

_lock = threading.RLock()
_contexts = 0
_for_good = False


def _ours() -> Any:
    # The package imports this module when its names are used.
    return import_module("adjudge.metrics")


class _StandIn:
    """Calls adjudge's function while scikit-learn is patched, else scikit-learn's; looks like the latter.

    Arguments are those of the installed version. It computes itself if given one that later versions lack.
    """

    def __init__(self, name: str, original: Any) -> None:
        update_wrapper(self, original)
        self.name = name
        self.original = original
        self.theirs, self.ours = signature(original), signature(getattr(_ours(), name))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_ours = _is_patched() and self._is_known_to_both(args, kwargs)
        return (getattr(_ours(), self.name) if is_ours else self.original)(*args, **kwargs)

    def _is_known_to_both(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether both functions have the parameters that are given; raise unless the installed one has them."""
        if self.theirs.parameters.keys() == self.ours.parameters.keys():
            return True
        return self.theirs.bind(*args, **kwargs).arguments.keys() <= self.ours.parameters.keys()

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        # As an attribute of a class, a function is a method.
        return self if instance is None else MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)

    def __copy__(self) -> _StandIn:
        return self

    def __deepcopy__(self, memo: Any) -> _StandIn:
        return self

    def __reduce__(self) -> Any:
        # A worker process does what the process that sends it work does.
        return _function, (self.name, _is_patched())

    def __repr__(self) -> str:
        return repr(self.original)


def _function(name: str, ours: bool) -> Any:
    return getattr(_ours() if ours else import_module(HOMES[name]), name)


def _is_patched() -> bool:
    return _for_good or _contexts > 0


_stand_ins: dict[str, _StandIn] = {}


@contextmanager
def patched_sklearn() -> Iterator[None]:
    """Replace the metrics of scikit-learn by adjudge's within a ``with`` statement.

    Parameters
    ----------
    None

    Returns
    -------
    context manager
        All threads of the process use adjudge's functions until the last of several contexts ends, whether by an
        exception or not, and so do worker processes that are sent scorers meanwhile. Modules that have already
        imported scikit-learn's functions are included.

    Raises
    ------
    InputError
        For a version of scikit-learn with which this was not tested: the message names those that it was.

    Examples
    --------
    >>> import adjudge
    >>> from sklearn import metrics
    >>> with adjudge.metrics.patched_sklearn():
    ...     score = metrics.adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2])
    >>> round(score, 6)
    0.571429
    """
    global _contexts
    with _lock:
        _check_version()
        _contexts += 1
        _put_in_place()
    try:
        yield
    finally:
        with _lock:
            _contexts -= 1
            _take_back()


def patch_sklearn() -> None:
    """Run the metrics of scikit-learn on adjudge's until :func:`~adjudge.metrics.unpatch_sklearn`.

    Parameters
    ----------
    None

    Raises
    ------
    InputError
        For a version of scikit-learn with which this was not tested: the message names those that it was.

    Examples
    --------
    >>> import adjudge
    >>> adjudge.metrics.patch_sklearn()
    >>> adjudge.metrics.unpatch_sklearn()
    """
    global _for_good
    with _lock:
        _check_version()
        _for_good = True
        _put_in_place()


def unpatch_sklearn() -> None:
    """Take back :func:`~adjudge.metrics.patch_sklearn`; contexts that are open go on.

    Parameters
    ----------
    None

    Returns
    -------
    None

    Examples
    --------
    >>> import adjudge
    >>> adjudge.metrics.unpatch_sklearn()
    """
    global _for_good
    with _lock:
        _for_good = False
        _take_back()


def _check_version() -> None:
    import sklearn

    if sklearn.__version__.split(".")[:2] not in [version.split(".") for version in TESTED]:
        raise InputError(
            f"scikit-learn {sklearn.__version__} is installed, and adjudge was tested with {', '.join(TESTED)}: "
            "install one of these, or import adjudge.metrics instead"
        )


def _put_in_place() -> None:
    if not _stand_ins:
        for name, home in HOMES.items():
            older = installed_before(_SINCE.get(name, TESTED[0]))
            if not older and hasattr(module := import_module(home), name):
                _stand_ins[name] = _StandIn(name, getattr(module, name))
    _replace({id(stand_in.original): stand_in for stand_in in _stand_ins.values()})


def _take_back() -> None:
    if not _is_patched():
        _replace({id(stand_in): stand_in.original for stand_in in _stand_ins.values()})


def _replace(new: dict[int, Any]) -> None:
    """Replace functions wherever a loaded module, or a named scorer, holds them."""
    for name, module in list(sys.modules.items()):
        names = getattr(module, "__dict__", None)
        if isinstance(names, dict) and name.partition(".")[0] != "adjudge":
            for attribute, value in list(names.items()):
                if id(value) in new:
                    names[attribute] = new[id(value)]
    for scorer in import_module("sklearn.metrics._scorer")._SCORERS.values():
        scorer._score_func = new.get(id(scorer._score_func), scorer._score_func)
