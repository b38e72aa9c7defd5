"""The inputs of tests of clusterings: dense points, clusterers that are fitted repeatedly, and their labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats
from adjudge.errors import Argument, InputError, a_type
from adjudge.files.coordinates import coordinates_of
from adjudge.given.alignment import align_labels
from adjudge.given.options import check_choice
from adjudge.presentation.numbers import count

Codes = NDArray[np.int64]
Fit = Callable[[Floats], Any]

# Up to this many numbers, threads cost more than they save: on busy cores, each fit took fifty times as long.
_FEW_NUMBERS = 1 << 18


def dense_points(X: Any, missing: str = "raise") -> Floats:
    """Check points, or leave out those with a gap; raise if they are sparse."""
    check_choice("missing", missing, ("raise", "drop"))
    values = coordinates_of(X, {}, gaps=missing == "drop").complete().values
    if hasattr(values, "indptr"):
        raise InputError(Argument("X"), " is sparse: null distributions need dense points, pass X.toarray()")
    return np.ascontiguousarray(values, np.float64)


def fits_of(clusterers: Any) -> dict[str, Fit]:
    """Return functions from points to labels, by name."""
    given = clusterers if isinstance(clusterers, Mapping) else {"clusterer": clusterers}
    if not given:
        raise InputError("clusterers is empty: give one, or several by name")
    return {str(name): fit_of(item, str(name)) for name, item in given.items()}


def fit_of(item: Any, name: str) -> Fit:
    """Return a function from points to labels, which fits clones of a clusterer."""
    if hasattr(item, "fit_predict"):
        from sklearn.base import clone
        from threadpoolctl import ThreadpoolController

        libraries = ThreadpoolController()

        def fitted(X: Floats) -> Any:
            few = X.size <= _FEW_NUMBERS
            try:
                with libraries.limit(limits=1) if few else nullcontext():
                    return clone(item).fit_predict(X)
            except (ValueError, ArithmeticError) as error:
                raise InputError(f"{name!r} fails for {count(len(X), 'point')}: {error}") from error

        return fitted
    if callable(item):
        function: Fit = item
        return function
    raise InputError(Argument(name), f" is {a_type(item)}: give a clusterer, or a function X -> labels")


def coded_without_noise(labels: Any) -> tuple[Bools, Codes]:
    """Return a mask of the points that are not noise, and the codes of their clusters."""
    coded = align_labels({"the clusterer's labels": labels}).labels[0]
    noise = coded.where(-1)
    kept = np.ones(len(coded), np.bool_) if noise is None else ~noise
    return kept, coded.take(kept).dense()[0]
