"""scikit-learn's checks of inputs, by its own functions: errors and warnings are its own, word for word.

Plain arrays, in which none of these checks can find a fault, skip them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from adjudge.callers import warn_caller
from adjudge.errors import InputError
from adjudge.given.arrays import have_finite_squares
from adjudge.given.labels import Labels, code_labels
from adjudge.metrics.arrays import foreign_array, through_numpy, with_lengths
from adjudge.metrics.quick_labels import are_whole, coded_text, is_discrete, is_plain, unwrapped
from adjudge.statistics.contingency import Contingency, count_labels
from adjudge.statistics.pair_counts import PairCounts, pairs_at_once

P = ParamSpec("P")
R = TypeVar("R")

#: Where scikit-learn keeps the function of each name.
HOMES: dict[str, str] = {}
# Parameters with a number or label for each instance.
_VECTORS = {"labels_pred", "labels_true", "sample_weight", "y_pred", "y_prob", "y_proba", "y_score", "y_true"}


class UnusualInputError(Exception):
    """Raised for inputs, or a fault in them, that scikit-learn's own function of this name is asked about."""


def drop_in(home: str, *, positional: str = "") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function that stands in for scikit-learn's of the same name in the module `home`.

    Its documentation is a line that says what it is, and an example; the rest is added. Parameters are checked as
    scikit-learn checks those of its function, if its version has it. Up to version `positional`, keywords may still be
    given by position there, with a warning.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        HOMES[function.__name__] = home
        ready: list[Callable[P, R]] = []
        n_plain = -1

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return computed(*args, **kwargs)
            except UnusualInputError:
                pass
            return _by_scikit_learn(home, function.__name__, args, kwargs)  # type: ignore[no-any-return]

        def computed(*args: P.args, **kwargs: P.kwargs) -> R:
            nonlocal n_plain
            if not ready:
                constraints = _constraints_on(function, home)
                n_plain = _required_arrays(function, constraints)
                ready.append(_checked(function, constraints, positional))
            if not all(type(a) is np.ndarray for a in args) or kwargs:
                _refuse_hidden_values(function, args, kwargs)
                # Lists and data frames become arrays once, which each check would otherwise do again.
                vectors = {name: unwrapped(own) for name, own in kwargs.items() if name in _VECTORS}
                args, kwargs = tuple(map(unwrapped, args)), kwargs | vectors  # type: ignore[assignment]
            if len(args) == n_plain and not kwargs and all(type(a) is np.ndarray for a in args):
                return function(*args, **kwargs)
            foreign = foreign_array((*args, *kwargs.values()))
            if foreign is not None:
                found: R = through_numpy(ready[0], foreign, args, kwargs)
                return found
            return ready[0](
                *with_lengths(args), **dict(zip(kwargs, with_lengths(kwargs.values()), strict=True))
            )

        call.__doc__ = _documented(function)
        return call

    return decorate


def named(function: Callable[P, R], name: str, documentation: str) -> Callable[P, R]:
    """Name and document a function that was made from a line of a table."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = documentation
    return function


def _by_scikit_learn(home: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call scikit-learn's own function; its warnings name the line that called."""
    theirs = getattr(import_module(home), name, None)
    if theirs is None:
        raise InputError(
            f"{name} of such inputs is left to scikit-learn, whose installed version has no {name}"
        )
    # While scikit-learn is patched, one of ours is in its place.
    original = getattr(theirs, "original", theirs)
    if "y_proba" in kwargs and "y_proba" not in signature(original).parameters:
        # Before version 1.9 it had other names.
        args = *args, *(kwargs.pop(own) for own in ("y_true", "y_proba") if own in kwargs)
    told: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            return original(*args, **kwargs)
    finally:
        for one in told:
            warn_caller(str(one.message), one.category)


def _documented(function: Callable[..., Any]) -> str:
    """Complete the documentation: parameters and results are scikit-learn's."""
    name = function.__name__
    summary, _, example = str(function.__doc__).partition("\n\n")
    parts = [summary.rstrip(), f"    Parameters and results are those of ``sklearn.metrics.{name}``."]
    if example:
        parts.append(f"    Examples\n    --------\n    >>> from adjudge.metrics import {name}\n{example}")
    return "\n\n".join(parts)


def _refuse_hidden_values(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Refuse arrays with masked values: NumPy would count what the mask hides."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
            names = dict(zip(signature(function).parameters, args, strict=False)) | kwargs
            name = next(name for name, own in names.items() if own is value)
            hidden = np.ma.getmaskarray(value).sum()
            raise ValueError(f"{name} has {hidden} masked values: leave these instances out, or fill them in")


def _constraints_on(function: Callable[..., Any], home: str) -> dict[str, Any]:
    """Return the constraints of scikit-learn's function on the parameters that both have, with the same default."""
    twin: Any = getattr(import_module(home), function.__name__, None)
    constraints: dict[str, Any] | None = getattr(twin, "_skl_parameter_constraints", None)
    if constraints is None:
        return {}
    ours, theirs = (
        {n: repr(p.default) for n, p in signature(f).parameters.items()} for f in (function, twin)
    )
    return {n: own for n, own in constraints.items() if n in ours and ours[n] == theirs.get(n)}


@cache
def installed_before(version: str) -> bool:
    """Whether scikit-learn is older than a version, whose results or errors differ."""
    from sklearn import __version__

    installed, wanted = (tuple(map(int, v.split(".")[:2])) for v in (__version__, version))
    return installed < wanted


def _required_arrays(function: Callable[..., Any], constraints: dict[str, Any]) -> int:
    """Return how many parameters are required, if arrays pass all their checks; else -1."""
    required = [name for name, p in signature(function).parameters.items() if p.default is p.empty]
    return len(required) if all("array-like" in constraints.get(name, ()) for name in required) else -1


def _checked(function: Callable[P, R], constraints: dict[str, Any], positional: str) -> Callable[P, R]:
    """Wrap a function so that its parameters are checked as scikit-learn checks them."""
    from sklearn.utils._param_validation import validate_params
    from sklearn.utils.validation import _deprecate_positional_args

    checked: Callable[P, R] = function
    if constraints:
        checked = validate_params(constraints, prefer_skip_nested_validation=True)(function)
    if positional:
        checked = _deprecate_positional_args(checked, version=positional)
    return checked


def are_plain_scores(y_true: Any, y_score: Any, pos_label: Any) -> bool:
    """Whether a binary truth and scores pass every check: the classes are 0 and 1, or -1 and 1."""
    if not is_plain(y_true) or type(y_score) is not np.ndarray or y_score.shape != y_true.shape:
        return False
    if not y_true.size or not _is_finite(y_score):
        return False
    if pos_label not in (None, 1) or isinstance(pos_label, bool):
        return False
    low, high = y_true.min(), y_true.max()
    return bool((low >= 0 and high <= 1) or (low == -1 and high == 1 and y_true.all()))


def _is_finite(values: NDArray[Any]) -> bool:
    """Whether the squares of floats have a finite sum."""
    return values.dtype in (np.float64, np.float32) and have_finite_squares(values)


def coded(values: NDArray[Any]) -> Labels:
    """Code labels; unlike elsewhere in adjudge, a label may be any number."""
    kind = values.dtype.kind
    if kind in "iubU" or (kind == "f" and are_whole(values)):
        return code_labels(values, "labels")
    text = coded_text(values)
    if text is not None:
        return text
    if kind in "mM" and np.isnat(values).any():
        raise ValueError(
            f"Labels contain NaT, at position {int(np.isnat(values).argmax())}: fill it in, or drop it."
        )
    categories, codes = np.unique(values, return_inverse=True)
    return Labels(codes.astype(np.int64, copy=False), 0, categories.size, categories.tolist())


def coded_clusterings(labels_true: Any, labels_pred: Any) -> tuple[Labels, Labels]:
    """Code two label vectors, in which none of scikit-learn's checks can find a fault."""
    true, pred = coded_quickly(labels_true), coded_quickly(labels_pred)
    if true is None or pred is None or not 0 < len(true) == len(pred):
        raise UnusualInputError
    return true, pred


def coded_quickly(labels: Any) -> Labels | None:
    """Code numbers that are whole, or text; None for anything else."""
    return coded(labels) if is_discrete(labels) else coded_text(labels)


def table_of_clusterings(labels_true: Any, labels_pred: Any) -> Contingency:
    """Return the contingency table of two label vectors."""
    return count_labels(*coded_clusterings(labels_true, labels_pred))


def pairs_of_clusterings(labels_true: Any, labels_pred: Any) -> PairCounts:
    """Return the pair counts of two label vectors."""
    pairs = pairs_at_once(labels_true, labels_pred)
    return table_of_clusterings(labels_true, labels_pred).pairs if pairs is None else pairs


def checked_points(X: Any, labels: Any, *, accept_sparse: Any = False) -> tuple[Any, NDArray[Any]]:
    """Convert points and labels to arrays, as scikit-learn's functions for points do."""
    is_plain_matrix = type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and _is_finite(X)
    if is_plain_matrix and is_plain(labels) and labels.size == X.shape[0]:
        return X, labels
    from sklearn.utils import check_X_y

    points, checked = check_X_y(X, labels, accept_sparse=accept_sparse)
    return points, checked
