"""Columns in different units: brought to one scale, or recognised where they differ in scale."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from adjudge.array_types import Floats
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


def scaled(values: Floats, how: Scaling = "standard") -> Floats:
    """Bring columns to one scale; constant columns become 0. Rows with NaN stay as they are, and set no scale.

    Parameters
    ----------
    values : ndarray of shape (n, p)
    how : {"standard", "robust", "log"}
        Mean 0 and standard deviation 1; median 0 and interquartile range 1, if a few points are far away; or
        logarithms of skewed columns without negative values (of 1 + x if there is a 0), and then "standard".

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.given.scaling import scaled
    >>> scaled(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    is_complete = ~np.isnan(values).any(axis=1)
    if not is_complete.all():
        some = values.copy()
        some[is_complete] = scaled(values[is_complete], how)
        return some
    if how == "robust":
        from sklearn.preprocessing import RobustScaler

        found: Floats = RobustScaler().fit_transform(values)
        # Columns with one value in more than half of the rows have no interquartile range.
        flat = np.subtract(*np.percentile(values, [75, 25], axis=0)) == 0
        found[:, flat] = _standard(values[:, flat])
        return found
    return _standard(_logarithms(values) if how == "log" else values)


def _standard(values: Floats) -> Floats:
    spread = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _logarithms(values: Floats) -> Floats:
    found = values.copy()
    for j in np.flatnonzero((_skewness(values) > _SKEWED / 3) & (values.min(axis=0) >= 0)):
        column = values[:, j]
        found[:, j] = logarithms(column) if column.min() > 0 else logarithms_of_one_plus(column)
    return found


def apart_in_scale(points: DataMatrix) -> tuple[str, float, str, float] | None:
    """Return the columns with the largest and smallest standard deviation, and both values, if they are far apart."""
    if points.columns is None:
        return None
    spread = some_rows(points.values).std(axis=0)
    vary = np.flatnonzero(spread > 0)
    if vary.size < 2:
        return None
    most, least = vary[np.argmax(spread[vary])], vary[np.argmin(spread[vary])]
    if not spread[most] > _APART * spread[least]:
        return None
    return str(points.columns[most]), float(spread[most]), str(points.columns[least]), float(spread[least])


def skewed_columns(points: DataMatrix) -> list[str]:
    """Name the columns without negative values in which a few points make up most of the variance."""
    if points.columns is None:
        return []
    values = some_rows(points.values)
    skewed = (_skewness(values) > _SKEWED) & (values.min(axis=0) >= 0)
    return [str(name) for name, is_skewed in zip(points.columns, skewed, strict=True) if is_skewed]


def some_rows(values: Any) -> Floats:
    """Return every row of few, and evenly spaced ones of many."""
    return np.asarray(values[:: max(1, -(-values.shape[0] // _ROWS))], np.float64)


def _skewness(values: Floats) -> Floats:
    centred = values - values.mean(axis=0)
    spread = centred.std(axis=0)
    return np.asarray((centred**3).mean(axis=0) / np.where(spread > 0, spread, 1.0) ** 3)
