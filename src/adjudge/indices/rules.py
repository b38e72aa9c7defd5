"""Which of several partitions an index calls the best."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from adjudge.errors import InputError, InputTypeError
from adjudge.indices.record import Index, Rule

__all__ = ["best_partition"]


def best_partition(values: Iterable[float | None], index: str | Index) -> int | None:
    """Choose the best of several partitions by the rule of an index.

    The rules max and min take the first of the extreme values. The rules max diff and min diff take the middle point of
    the first of the extreme second differences, an elbow, so that neither end can win.

    Parameters
    ----------
    values : iterable of float
        Value of the index for each partition, in the order of the numbers of clusters; None counts as nan.
    index : str or Index
        Name of an internal index, or its record.

    Returns
    -------
    int or None
        Position in `values`, from 0; None where there is no value or an undefined one, and for the diff rules also
        where there are fewer than three values or a second difference is undefined.

    Raises
    ------
    InputError
        If the index has no such rule.

    Examples
    --------
    >>> from adjudge import best_partition
    >>> best_partition([0.41, 0.55, 0.52], "silhouette")
    1
    >>> best_partition([100.0, 60.0, 25.0, 22.0, 20.0], "trace_w")
    2
    """
    record = _record(index)
    if record.best_k is None:
        raise InputError(f"{record.name} has no rule for choosing among partitions: use an internal index")
    try:
        numbers = [math.nan if v is None else float(v) for v in values]
    except (TypeError, ValueError):
        raise InputTypeError(
            "values hold something else than numbers: give the index's value for each partition"
        ) from None
    return _position(numbers, record.best_k)


def _record(index: str | Index) -> Index:
    if isinstance(index, Index):
        return index
    from adjudge.indices.catalog import find_index

    return find_index(index, "internal")


def _position(values: list[float], rule: Rule) -> int | None:
    scores, shift = np.array(values), 0
    if rule in ("max_diff", "min_diff"):
        with np.errstate(invalid="ignore", over="ignore"):
            scores, shift = np.diff(scores, 2), 1
    if scores.size == 0 or np.isnan(scores).any():
        return None
    return int(scores.argmax() if rule in ("max", "max_diff") else scores.argmin()) + shift
