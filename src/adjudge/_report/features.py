"""The instances' own columns, and a map of them in two dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from adjudge._report.wording import listed
from adjudge.array_types import Bools, Floats
from adjudge.blas import factorizing
from adjudge.errors import Argument, GapError, InputError, InputTypeError, Option, Row
from adjudge.given.arrays import numbers_of_objects, to_numpy
from adjudge.given.coordinates import coordinates_among, values_of
from adjudge.given.data_frames import float_values, numbers_beside_words, read_data_frame
from adjudge.given.options import given_names
from adjudge.given.points import ColumnsLeftOut
from adjudge.given.scaling import Scaling, scaled

Values = Floats | list[str]

# Up to this many variables, the components come from their covariance matrix.
_DENSE = 2000
# Up to this many columns, the map names them.
_NAMED = 6
_SCALED = {"standard": "standardised ", "robust": "robustly scaled ", "log": "logarithmic, standardised "}


@dataclass(frozen=True)
class Features:
    """Named columns: numbers (NaN if missing) or text.

    Attributes
    ----------
    columns : dict of str to (ndarray of float64 or list of str)
    space : tuple of str
        The columns that distances are computed from; the others are only shown.
    left_out : tuple of ColumnsLeftOut
        Columns of numbers that are only shown because they are no coordinates.
    """

    columns: dict[str, Values]
    space: tuple[str, ...]
    left_out: tuple[ColumnsLeftOut, ...] = ()

    def numeric(self, complete: bool = True) -> tuple[list[str], Floats]:
        """Return names and values of the numeric columns of the space, by default only those without gaps."""
        chosen = {
            name: values
            for name in self.space
            if isinstance(values := self.columns[name], np.ndarray)
            and (not complete or np.isfinite(values).all())
        }
        n = len(next(iter(self.columns.values())))
        return list(chosen), np.column_stack(list(chosen.values())) if chosen else np.empty((n, 0))


@dataclass(frozen=True)
class PlaneMap:
    """A position in the plane for each instance, and what the axes are."""

    x: Floats
    y: Floats
    x_title: str
    y_title: str
    caption: str


def read_features(
    X: Any,
    feature_names: Sequence[str] | None,
    n: int,
    space: Sequence[str] | None = None,
    labels: Mapping[str, Any] = MappingProxyType({}),
    *,
    gaps: bool = False,
) -> Features:
    """Read a matrix or data frame with one row per instance; unlike for an index, gaps and text are allowed.

    `space` names the columns that measure distances: these must be numbers, without gaps unless `gaps` allows them. By
    default they are all that are coordinates beside the `labels`, of the models and the truth: beside a truth there may
    be none.
    """
    columns: dict[str, Values]
    may_have_none = "labels_true" in labels
    if isinstance(X, Mapping):
        columns = {str(name): values for name, values in X.items()}
    elif hasattr(X, "columns") or hasattr(X, "__dataframe__"):
        columns = _frame_columns(X)
    else:
        columns, may_have_none = _array_columns(X), False
    rows = len(next(iter(columns.values())))
    if rows != n:
        raise InputError(Argument("X"), f" has {rows} rows, but there are {n} instances")
    if feature_names is not None:
        names = [str(name) for name in given_names("feature_names", feature_names)]
        if len(names) != len(columns):
            raise InputError(
                f"feature_names has {len(names)} entries, ", Argument("X"), f" has {len(columns)} columns"
            )
        if len(set(names)) < len(names):
            raise InputError("feature_names gives two columns the same name")
        columns = dict(zip(names, columns.values(), strict=True))
    for name in space or ():
        _check_coordinate(name, columns, gaps=gaps)
    if space is not None:
        return Features(columns, tuple(space))
    numeric = {name: values for name, values in columns.items() if isinstance(values, np.ndarray)}
    if not numeric:
        return Features(columns, tuple(columns))
    known = {name: values_of(own, name) for name, own in labels.items()}
    try:
        matrix = np.column_stack([*numeric.values()])
        _, left_out = coordinates_among([*numeric], matrix, known, or_all=not may_have_none)
    except InputError:
        return Features(columns, ())
    left = {name for own in left_out for name in own.names}
    return Features(columns, tuple(name for name in columns if name not in left), tuple(left_out))


def _check_coordinate(name: str, columns: Mapping[str, Values], *, gaps: bool) -> None:
    if name not in columns:
        raise InputError(
            Argument("features"),
            f" names {name!r}, which is not a column of X: its columns are {', '.join(columns)}",
        )
    values = columns[name]
    if not isinstance(values, np.ndarray):
        raise InputError(Argument("features"), f" names {name!r}, which holds text: name columns of numbers")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size and not gaps:
        raise GapError(
            Argument("X"),
            " has a gap ",
            Row(int(bad[0]), name),
            ": fill it in, leave the column out of features, or pass ",
            Option("missing", "drop"),
            column=name,
        )


def _array_columns(X: Any) -> dict[str, Values]:
    if hasattr(X, "tocsr"):
        raise InputTypeError(
            Argument("X"),
            " is sparse: give X.toarray(), or a place for each instance as ",
            Option("embedding"),
        )
    try:
        array = numbers_of_objects(to_numpy(X, "X"))
    except ValueError:
        raise InputError(
            Argument("X"), " is ragged: features are a matrix with one row per instance"
        ) from None
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(
            Argument("X"), f" has shape {np.shape(X)}: features are a matrix with one row per instance"
        )
    if array.dtype.kind not in "iubf":
        raise InputTypeError(
            Argument("X"), f" has dtype {array.dtype}: give numbers, or a data frame with named columns"
        )
    values = array.astype(np.float64)
    return {f"x{j}": values[:, j] for j in range(values.shape[1])}


def _frame_columns(X: Any) -> dict[str, Values]:
    import narwhals as nw

    frame = read_data_frame(X, "X")
    if not isinstance(frame, nw.DataFrame) or 0 in frame.shape:
        raise InputTypeError(
            Argument("X"), f" is an empty or unknown {type(X).__name__}: give a data frame or a matrix"
        )
    columns: dict[str, Values] = {}
    for series in frame.iter_columns():
        name = series.name
        if series.dtype.is_numeric() or series.dtype == nw.Boolean:
            columns[str(name)] = float_values(series)
        elif (numbers := numbers_beside_words(series, "X", gaps=True)) is not None:
            columns[str(name)] = numbers
        else:
            gaps = series.is_null().to_list()
            columns[str(name)] = [
                "" if gap else str(value) for value, gap in zip(series.to_list(), gaps, strict=True)
            ]
    return columns


def principal_map(features: Features, scaling: Scaling | None) -> PlaneMap | None:
    """Return the plane of the first two principal components; None if there are fewer than two variables."""
    names, values = features.numeric()
    spread = values.std(axis=0)
    values = values[:, spread > 0]
    if values.shape[1] < 2 or values.shape[0] < 3:
        return None
    if scaling is not None:
        values = scaled(values, scaling)
    centred = values - values.mean(axis=0)
    axes, shares = _components(centred)
    places = centred @ axes
    left_out = len(features.space) - len(names)
    return PlaneMap(
        x=places[:, 0],
        y=places[:, 1],
        x_title=f"First principal component ({100 * shares[0]:.0f} % of the variance)",
        y_title=f"Second ({100 * shares[1]:.0f} %)",
        caption=f"Principal components of {_named(names, spread > 0, scaling)}"
        + (f"; {left_out} without numbers or with gaps are left out" if left_out else "")
        + ".",
    )


def _named(names: Sequence[str], used: Bools, scaling: Scaling | None) -> str:
    """Name the columns that the map is made from, as long as they are few."""
    kept = [name for name, use in zip(names, used, strict=True) if use]
    kind = "" if scaling is None else _SCALED[scaling]
    if len(kept) > _NAMED:
        return f"{len(kept)} {kind}columns"
    return f"the {kind}columns {listed(kept)}"


def _components(centred: Floats) -> tuple[Floats, Floats]:
    """Return the two leading axes, each with its largest loading positive, and their shares of the variance."""
    total = float((centred**2).sum())
    if centred.shape[1] <= _DENSE:
        with factorizing(centred.shape[1]):
            values, vectors = np.linalg.eigh(centred.T @ centred)
        leading, axes = values[::-1][:2], vectors[:, ::-1][:, :2]
    else:
        from sklearn.utils.extmath import randomized_svd

        _, singular, rows = randomized_svd(centred, n_components=2, random_state=0)
        leading, axes = singular**2, rows.T
    largest = np.abs(axes).argmax(axis=0)
    signs = np.sign(axes[largest, np.arange(2)])
    return axes * signs, leading / total


def given_map(embedding: Any, n: int) -> PlaneMap:
    """Check positions given by the user."""
    try:
        places = numbers_of_objects(to_numpy(embedding, "embedding"))
    except ValueError:
        raise InputError(f"embedding is ragged: give two numbers for each of {n} instances") from None
    if places.shape != (n, 2):
        raise InputError(f"embedding has shape {places.shape}: give two numbers for each of {n} instances")
    if places.dtype.kind not in "iubf" or not np.isfinite(places).all():
        raise InputError("embedding has entries that are not finite numbers")
    places = places.astype(np.float64)
    return PlaneMap(
        places[:, 0], places[:, 1], "First coordinate", "Second coordinate", "Positions as given."
    )
