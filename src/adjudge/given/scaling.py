"""Columns in different units: brought to one scale, or recognised where they differ in scale."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.points import DataMatrix
from adjudge.kernels.elementary import logarithms, logarithms_of_one_plus

Scaling = Literal["standard", "robust", "log"]
SCALINGS: tuple[str, ...] = get_args(Scaling)

# If standard deviations differ by this factor, the column with the larger one dominates distances.
_APART = 10.0
# Above this skewness, a few points make up most of a column's variance; an exponential variable has 2.
_SKEWED = 3.0
# Rows that are enough to see either.
_ROWS = 100_000


def as_scaling(value: Any) -> Scaling | None:
    """Check the option: True means "standard", False and None no scaling."""
    if value is None or value is False:
        return None
    if value is True:
        return "standard"
    if not isinstance(value, str):
        raise InputTypeError(Option("standardize", value), f": give True or one of {', '.join(SCALINGS)}")
    if value not in SCALINGS:
        raise InputError(Option("standardize", value), f" is not known: choose one of {', '.join(SCALINGS)}")
    return value  # type: ignore[return-value]


def scaled(values: Floats, how: Scaling = "standard", weights: Ints | Floats | None = None) -> Floats:
    """Bring columns to one scale; constant columns become 0. Rows with NaN stay as they are, and set no scale.

    Parameters
    ----------
    values : ndarray of shape (n, p)
    how : {"standard", "robust", "log"}
        Mean 0 and standard deviation 1; median 0 and interquartile range 1, if a few points are far away; or
        logarithms of skewed columns without negative values (of 1 + x if there is a 0), and then "standard".
    weights : ndarray of shape (n,), optional
        How much each row counts: integers for repetition, floats for sampling weights. Rows of weight 0 stay as they
        are, and set no scale.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.given.scaling import scaled
    >>> scaled(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    sets_scale = ~np.isnan(values).any(axis=1)
    if weights is not None:
        sets_scale &= weights > 0
    if not sets_scale.all():
        some = values.copy()
        own = None if weights is None else weights[sets_scale]
        some[sets_scale] = scaled(values[sets_scale], how, own)
        return some
    if how == "robust":
        return _robust(values, weights)
    return _standard(_logarithms(values, weights) if how == "log" else values, weights)


def standardized(points: DataMatrix, how: Scaling | None, weights: Ints | Floats | None = None) -> DataMatrix:
    """Bring the columns of points to one scale, if requested."""
    if how is None:
        return points
    if hasattr(points.values, "indptr"):
        raise InputError(Option("standardize"), " needs dense points: pass X.toarray()")
    return replace(points, values=scaled(points.values, how, weights), stored=None)


def column_moments(values: Floats, weights: Ints | Floats | None) -> tuple[Floats, Floats]:
    """Return the means and standard deviations of columns."""
    if weights is None:
        return np.asarray(values.mean(axis=0)), np.asarray(values.std(axis=0))
    means = np.average(values, axis=0, weights=weights)
    return means, np.sqrt(np.average((values - means) ** 2, axis=0, weights=weights))


def _standard(values: Floats, weights: Ints | Floats | None) -> Floats:
    means, spread = column_moments(values, weights)
    return np.asarray((values - means) / np.where(spread > 0, spread, 1.0))


def _robust(values: Floats, weights: Ints | Floats | None) -> Floats:
    low, median, high = _quartiles(values, weights)
    # Columns with one value in more than half of the rows have no interquartile range.
    flat = high == low
    found = np.asarray((values - median) / np.where(flat, 1.0, high - low))
    found[:, flat] = _standard(values[:, flat], weights)
    return found


def _quartiles(values: Floats, weights: Ints | Floats | None) -> Floats:
    """Return the quartiles of columns, linear between order statistics, of which integer weights are numbers.

    The place of a value among sampling weights is the share of the others' weight that lies below it.
    """
    found = np.empty((3, values.shape[1]))
    if weights is None:
        found[::2] = np.percentile(values, [25, 75], axis=0)
        found[1] = np.median(values, axis=0)
        return found
    for j, column in enumerate(values.T):
        order = np.argsort(column, kind="stable")
        ascending, own = column[order], weights[order]
        up_to = np.cumsum(own)
        if weights.dtype.kind == "f":
            below, others = up_to - own, up_to[-1] - own
            places = np.divide(below, others, out=np.zeros_like(others), where=others > 0)
            found[:, j] = np.interp([0.25, 0.5, 0.75], places, ascending)
            continue
        at = (up_to[-1] - 1) * np.array([0.25, 0.5, 0.75])
        # The values at the whole places before and after, counted from 0.
        before, after = (
            ascending[np.searchsorted(up_to, place, "right")] for place in (at // 1, -(-at // 1))
        )
        found[:, j] = before + (after - before) * (at % 1)
    return found


def _logarithms(values: Floats, weights: Ints | Floats | None) -> Floats:
    found = values.copy()
    is_skewed = _skewness(values, weights) > _SKEWED / 3
    for j in np.flatnonzero(is_skewed & (values.min(axis=0) >= 0)):
        column = values[:, j]
        found[:, j] = logarithms(column) if column.min() > 0 else logarithms_of_one_plus(column)
    return found


def apart_in_scale(
    points: DataMatrix, weights: Ints | Floats | None = None
) -> tuple[str, float, str, float] | None:
    """Return the columns with the largest and smallest standard deviation, and both values, if they are far apart."""
    if points.columns is None:
        return None
    _, spread = column_moments(*some_rows(points.values, weights))
    vary = np.flatnonzero(spread > 0)
    if vary.size < 2:
        return None
    most, least = vary[np.argmax(spread[vary])], vary[np.argmin(spread[vary])]
    if not spread[most] > _APART * spread[least]:
        return None
    return str(points.columns[most]), float(spread[most]), str(points.columns[least]), float(spread[least])


def skewed_columns(points: DataMatrix, weights: Ints | Floats | None = None) -> list[str]:
    """Name the columns without negative values in which a few points make up most of the variance."""
    if points.columns is None:
        return []
    values, weights = some_rows(points.values, weights)
    skewed = (_skewness(values, weights) > _SKEWED) & (values.min(axis=0) >= 0)
    return [str(name) for name, is_skewed in zip(points.columns, skewed, strict=True) if is_skewed]


def some_rows(values: Any, weights: Ints | Floats | None = None) -> tuple[Floats, Ints | Floats | None]:
    """Return every row of few, and evenly spaced ones of many, with any weights; rows of weight 0 are none."""
    if weights is None:
        return np.asarray(values[:: max(1, -(-values.shape[0] // _ROWS))], np.float64), None
    places = np.flatnonzero(weights)
    places = places[:: max(1, -(-places.size // _ROWS))]
    return np.asarray(values[places], np.float64), weights[places]


def _skewness(values: Floats, weights: Ints | Floats | None) -> Floats:
    means, spread = column_moments(values, weights)
    third = np.average((values - means) ** 3, axis=0, weights=weights)
    return np.asarray(third / np.where(spread > 0, spread, 1.0) ** 3)
