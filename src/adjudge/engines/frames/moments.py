"""Moments of points in a table, computed by the table's own engine in two GROUP BYs; no points are collected.

The first GROUP BY gives means, rounded to the precision of the raw values. The second sums deviations from these, their
squares and their products, so that nothing depends on how far a cluster lies from zero or from the others.

An engine returns sums of products but no rows: if columns are nearly collinear, a determinant has half as many digits
as from points in memory, and it counts as 0 if their correlation is within 1e-14 of 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.counting import FrameTable, aggregated, kept_rows, loaded, number_of_rows
from adjudge.engines.frames.partitions import Partitions
from adjudge.errors import FractionError, InputError, UnusableColumnError
from adjudge.given.label_options import LabelOptions, rows_without_label
from adjudge.given.points import check_magnitude
from adjudge.statistics.moments import ClusterDeterminants, Moments, Scatter
from adjudge.statistics.reduced import ReducedPoints
from adjudge.statistics.roots import is_singular, log_determinant, root_of

__all__ = ["FRAME_STATISTICS", "points_with_gaps", "reduce_frame"]

#: Statistics that an engine can compute for itself.
FRAME_STATISTICS: frozenset[type] = frozenset({Moments, Scatter, ClusterDeterminants})

Floats = NDArray[np.float64]

_LABELS_AS_GIVEN = LabelOptions()


def reduce_frame(
    table: FrameTable,
    label: Any,
    features: Sequence[Any],
    wanted: Iterable[type],
    treatment: LabelOptions = _LABELS_AS_GIVEN,
) -> ReducedPoints:
    """Reduce the points in a table to statistics that need no distances.

    Parameters
    ----------
    table : FrameTable
    label : str
        Column with the cluster of each row.
    features : sequence of str
        Numeric columns.
    wanted : iterable of type
        Among `FRAME_STATISTICS`.
    treatment : LabelOptions
        Rows without a cluster, and noise, may be left out.
    """
    _check_features(table, label, features)
    p = len(features)
    rows = _rows(kept_rows(table, [label], treatment), label, features)
    if treatment.drops_missing:
        rows = rows.filter(~_is_gap(p))
    groups = loaded(_means(rows, p)).sort("label")
    _check_groups(groups, label, features)
    pairs = [(j, j) for j in range(p)]
    if not {Scatter, ClusterDeterminants}.isdisjoint(wanted):
        pairs = list(combinations_with_replacement(range(p), 2))
    sums = _sums_of_deviations(rows, groups, p, pairs)
    sizes = groups["n"].to_numpy().astype(np.int64)
    if not np.array_equal(sizes, sums["n"].to_numpy()):
        raise InputError("the table's rows changed between two readings: write them to a file first")
    bases, steps = _matrix(sums, "base", p), _matrix(sums, "step", p) / sizes[:, None]
    scatters = np.zeros((sizes.size, p, p))
    for i, j in pairs:
        about_base = sums[f"product{i}_{j}"].to_numpy()
        scatters[:, i, j] = scatters[:, j, i] = about_base - sizes * steps[:, i] * steps[:, j]
    squares = np.maximum(np.einsum("kjj->kj", scatters), 0.0)
    origin = _origin(bases, sizes)
    centroids = bases - origin + steps
    moments = Moments(sizes, origin, centroids, squares)
    within, steps = scatters.sum(axis=0), (centroids - moments.centre) * np.sqrt(sizes)[:, None]
    rounding = np.finfo(np.float64).eps * np.abs(origin)
    scatter = Scatter(
        moments.n,
        moments.k,
        within,
        np.einsum("ki,kj->ij", steps, steps),
        root_of(within),
        steps,
        np.sqrt(moments.n) * rounding,
    )
    found: dict[type, Any] = {Moments: moments}
    if len(pairs) > p or p == 1:
        logarithms = [_log_determinant(s / n, int(n), rounding) for s, n in zip(scatters, sizes, strict=True)]
        found |= {Scatter: scatter, ClusterDeterminants: ClusterDeterminants(sizes, np.array(logarithms))}
    return ReducedPoints(found, groups["label"].to_list(), sizes, None, _n_noise(table, label, treatment))


def _n_noise(table: FrameTable, label: Any, treatment: LabelOptions) -> int | None:
    """Count the rows that are left out as noise; None if none would be."""
    if not treatment.drops_noise:
        return None
    with_noise = kept_rows(table, [label], replace(treatment, noise=None))
    return number_of_rows(with_noise) - number_of_rows(kept_rows(table, [label], treatment))


def _log_determinant(covariance: Floats, n: int, rounding: Floats) -> float:
    root = root_of(covariance)
    return -math.inf if is_singular(root, n - 1, rounding) else log_determinant(root)


def _rows(table: FrameTable, label: Any, features: Sequence[Any]) -> Any:
    """Select the label, and the features as floats, under separate names."""
    import narwhals as nw

    (own,) = table.own([label])
    given = nw.col(own)
    if table.frame.collect_schema()[own].is_float():
        # NaN stands for a missing label, as everywhere.
        given = nw.when(~given.is_nan()).then(given)
    x = {f"x{j}": nw.col(name).cast(nw.Float64) for j, name in enumerate(table.own(features))}
    return table.frame.lazy().select(given.alias("label"), **x)


def _is_gap(p: int) -> Any:
    """Whether a coordinate is missing; as everywhere, NaN is."""
    import narwhals as nw

    return nw.any_horizontal(
        *((nw.col(f"x{j}").is_null() | nw.col(f"x{j}").is_nan().fill_null(False)) for j in range(p)),
        ignore_nulls=False,
    )


def points_with_gaps(
    table: FrameTable, label: Any, features: Sequence[Any], treatment: LabelOptions
) -> tuple[int, int]:
    """Return how many of the points with a label lack a coordinate, and how many points have one."""
    rows = _rows(kept_rows(table, [label], treatment), label, features).with_columns(
        gap=_is_gap(len(features))
    )
    counted = loaded(aggregated(rows, ["gap"], {"n": ("len", "label")}))
    found = dict(zip(counted["gap"].to_list(), counted["n"].to_list(), strict=True))
    return int(found.get(True, 0)), int(sum(found.values()))


_OF_VALUES = (("low", "min"), ("high", "max"), ("mean", "mean"))


def _means(rows: Any, p: int) -> Any:
    """Return the size of each cluster, and the mean, extremes and number of unusable values of each column in it."""
    import narwhals as nw

    aggregates = {"n": ("len", "label")}
    bad = {}
    for j in range(p):
        x = nw.col(f"x{j}")
        # Columns are made first, because not every engine aggregates an expression.
        bad[f"bad{j}"] = (x.is_null() | ~x.fill_null(0.0).is_finite()).cast(nw.Int64)
        aggregates |= {f"{stem}{j}": (how, f"x{j}") for stem, how in _OF_VALUES}
        aggregates[f"bad{j}"] = ("sum", f"bad{j}")
    return aggregated(rows.with_columns(**bad), ["label"], aggregates)


def _sums_of_deviations(rows: Any, groups: Any, p: int, pairs: Sequence[tuple[int, int]]) -> Any:
    """Sum the deviations from each cluster's mean, and the products of pairs of them, over the cluster."""
    import narwhals as nw

    means = _like(rows, groups, _means(rows, p))
    # The computed mean of equal values may differ from them.
    bases = {
        f"base{j}": nw.when(nw.col(f"low{j}") == nw.col(f"high{j}"))
        .then(nw.col(f"low{j}"))
        .otherwise(nw.col(f"mean{j}"))
        for j in range(p)
    }
    joined = rows.join(means.select("label", **bases), on="label")
    deviations = {f"step{j}": nw.col(f"x{j}") - nw.col(f"base{j}") for j in range(p)}
    products = {f"product{i}_{j}": nw.col(f"step{i}") * nw.col(f"step{j}") for i, j in pairs}
    # An engine that recomputes the means may round them differently: the ones that it used count.
    aggregates = {"n": ("len", "label")} | {f"base{j}": ("max", f"base{j}") for j in range(p)}
    aggregates |= {name: ("sum", name) for name in (*deviations, *products)}
    made = joined.with_columns(**deviations).with_columns(**products)
    return loaded(aggregated(made, ["label"], aggregates)).sort("label")


def _like(rows: Any, groups: Any, lazily: Any) -> Any:
    """Return groups as a frame that can be joined with the rows of an engine.

    Polars, Dask and Ray read a table once for both sides of a join, and would hold all its rows in the meantime.
    """
    if isinstance(rows, Partitions):
        return groups
    return groups.lazy() if rows.implementation.is_polars() else lazily


def _origin(bases: Floats, sizes: NDArray[np.int64]) -> Floats:
    """Return, for each column, the median over all points of the base of their cluster."""
    order = np.argsort(bases, axis=0)
    below = np.cumsum(sizes[order], axis=0)
    middle = order[(below < sizes.sum() / 2).sum(axis=0), range(bases.shape[1])]
    return np.asarray(bases[middle, range(bases.shape[1])])


def _check_features(table: FrameTable, label: Any, features: Sequence[Any]) -> None:
    import narwhals as nw

    if not features:
        raise InputError("features is empty: at least one numeric column is needed")
    table.own([label, *features])
    schema = table.frame.collect_schema()
    for name, own in zip(features, table.own(features), strict=True):
        if not (schema[own].is_numeric() or schema[own] == nw.Boolean):
            raise InputError(f"the column {name!r} is not numeric ({schema[own]}): leave it out or encode it")


def _check_groups(groups: Any, label: Any, features: Sequence[Any]) -> None:
    if not len(groups):
        raise InputError("the table has no row with a cluster: at least one is needed")
    lost = groups["label"].is_null().to_numpy()
    if lost.any():
        n = int(groups["n"].to_numpy()[lost].sum())
        raise rows_without_label(label, n)
    for value in groups["label"].to_list():
        if isinstance(value, float) and not value.is_integer():
            raise FractionError(f"column {label!r} has {value!r}", value=value)
    for j, name in enumerate(features):
        bad = int(groups[f"bad{j}"].sum())
        if bad:
            raise UnusableColumnError(
                f"the column {name!r} has {bad} missing or infinite values: fill in or leave out such rows",
                column=name,
            )
    extremes = np.abs([_matrix(groups, stem, len(features)) for stem in ("low", "high")])
    largest = extremes.max(axis=(0, 1))
    check_magnitude(float(largest.max()), f"the column {features[int(largest.argmax())]!r}")


def _matrix(groups: Any, stem: str, p: int) -> Floats:
    return np.column_stack([groups[f"{stem}{j}"].to_numpy().astype(np.float64) for j in range(p)])
