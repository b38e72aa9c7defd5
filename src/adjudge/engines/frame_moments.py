"""Moments of points in a table, computed by the table's own engine in two GROUP BYs; no points are collected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames import check_columns
from adjudge.errors import InputError
from adjudge.statistics.moments import ClusterDeterminants, Moments, Scatter, log_determinant
from adjudge.statistics.reduced import ReducedPoints

__all__ = ["FRAME_STATISTICS", "reduce_frame"]

#: Statistics that an engine can compute for itself.
FRAME_STATISTICS: frozenset[type] = frozenset({Moments, Scatter, ClusterDeterminants})

Floats = NDArray[np.float64]


def reduce_frame(
    frame: Any, label: str, features: Sequence[str], wanted: Iterable[type], *, missing: str = "raise"
) -> ReducedPoints:
    """Reduce the points in a table to statistics that need no distances.

    Parameters
    ----------
    frame : narwhals LazyFrame or DataFrame
    label : str
        Column with the cluster of each row.
    features : sequence of str
        Numeric columns.
    wanted : iterable of type
        Among `FRAME_STATISTICS`.
    missing : {"raise", "drop"}
        Rows without a cluster are an error, or left out.
    """
    import narwhals as nw

    types = set(wanted)
    _check_features(frame, label, features)
    lazy = frame.lazy()
    if lazy.collect_schema()[label].is_float():
        # NaN stands for a missing label, as everywhere.
        lazy = lazy.with_columns(nw.when(~nw.col(label).is_nan()).then(nw.col(label)).alias(label))
    if missing == "drop":
        lazy = lazy.filter(~nw.col(label).is_null())
    first = lazy.select(*features).head(1).collect()
    if len(first) == 0:
        raise InputError("the table has no row with a cluster: at least one is needed")
    # Deviations from a value of the data keep their digits at any offset.
    given = [first[name][0] for name in features]
    origin = np.array([0.0 if value is None else float(value) for value in given])
    x = [nw.col(name).cast(nw.Float64) - float(o) for name, o in zip(features, origin, strict=True)]
    columns: dict[str, Any] = {}
    aggregates: dict[str, Any] = {"n": nw.len()}
    for j, column in enumerate(x):
        columns[f"x{j}"] = column
        columns[f"bad{j}"] = (column.is_null() | ~column.fill_null(0.0).is_finite()).cast(nw.Int64)
        aggregates[f"mean{j}"] = nw.col(f"x{j}").mean()
        aggregates[f"var{j}"] = nw.col(f"x{j}").var(ddof=0)
        aggregates[f"bad{j}"] = nw.col(f"bad{j}").sum()
    groups = _grouped(lazy, label, columns, aggregates)
    _check_groups(groups, label, features)
    sizes = groups["n"].to_numpy().astype(np.int64)
    centroids = _matrix(groups, "mean", len(features))
    squares = _matrix(groups, "var", len(features)) * sizes[:, None]
    centre = sizes @ centroids / sizes.sum()
    total = squares.sum(axis=0) + sizes @ (centroids - centre) ** 2
    moments = Moments(sizes, origin, centroids, squares, centre, total)
    found: dict[type, Any] = {Moments: moments}
    if types & {Scatter, ClusterDeterminants}:
        scatters = _scatters(lazy, label, x, moments)
        steps = (centroids - centre) * np.sqrt(sizes)[:, None]
        found[Scatter] = Scatter(
            moments.n, moments.k, scatters.sum(axis=0), np.einsum("ki,kj->ij", steps, steps)
        )
        logarithms = [log_determinant(s / n, int(n) - 1) for s, n in zip(scatters, sizes, strict=True)]
        found[ClusterDeterminants] = ClusterDeterminants(sizes, np.array(logarithms))
    return ReducedPoints(found, groups["label"].to_list(), sizes, None)


def _check_features(frame: Any, label: str, features: Sequence[str]) -> None:
    if not features:
        raise InputError("features is empty: at least one numeric column is needed")
    check_columns(frame, [label, *features])
    schema = frame.collect_schema()
    for name in features:
        if not schema[name].is_numeric():
            raise InputError(
                f"the column {name!r} is not numeric ({schema[name]}): leave it out or encode it"
            )


def _grouped(lazy: Any, label: str, columns: dict[str, Any], aggregates: dict[str, Any]) -> Any:
    """Group by the label; columns are made before, because not every engine aggregates an expression."""
    import narwhals as nw

    made = lazy.select(nw.col(label).alias("label"), **columns)
    return made.group_by("label").agg(**aggregates).collect().sort("label")


def _check_groups(groups: Any, label: str, features: Sequence[str]) -> None:
    lost = groups["label"].is_null().to_numpy()
    if lost.any():
        n = int(groups["n"].to_numpy()[lost].sum())
        raise InputError(
            f"{label} has {n} missing labels: fill them in, or pass missing='drop' to leave such rows out"
        )
    for value in groups["label"].to_list():
        if isinstance(value, float) and not value.is_integer():
            raise InputError(
                f"{label} has {value!r}, which is not a whole number: labels name groups; "
                "round scores or probabilities to classes first"
            )
    for j, name in enumerate(features):
        bad = int(groups[f"bad{j}"].sum())
        if bad:
            raise InputError(
                f"the column {name!r} has {bad} missing or infinite values: fill in or leave out such rows"
            )


def _matrix(groups: Any, stem: str, p: int) -> Floats:
    return np.column_stack([groups[f"{stem}{j}"].to_numpy().astype(np.float64) for j in range(p)])


def _scatters(lazy: Any, label: str, x: list[Any], moments: Moments) -> Floats:
    """Scatter matrix of each cluster, from variances of sums and differences of standardised columns.

    cov(u, v) = (var(u + v) - var(u - v)) / 4: every engine has a stable variance, not every one a covariance.
    """
    import narwhals as nw

    p = moments.p
    scale = np.sqrt(moments.total_columns / moments.n)
    scale[scale == 0] = 1.0
    scatters = np.zeros((moments.k, p, p))
    scatters[:, range(p), range(p)] = moments.squares
    if p == 1:
        return scatters
    unit = [column / float(s) for column, s in zip(x, scale, strict=True)]
    columns, aggregates = {}, {}
    for i, j in combinations(range(p), 2):
        for stem, column in (("sum", unit[i] + unit[j]), ("difference", unit[i] - unit[j])):
            columns[f"{stem}{i}_{j}"] = column
            aggregates[f"{stem}{i}_{j}"] = nw.col(f"{stem}{i}_{j}").var(ddof=0)
    groups = _grouped(lazy, label, columns, aggregates)
    for i, j in combinations(range(p), 2):
        sums, differences = (groups[f"{stem}{i}_{j}"].to_numpy() for stem in ("sum", "difference"))
        products = (sums - differences) / 4 * (scale[i] * scale[j]) * moments.sizes
        scatters[:, i, j] = scatters[:, j, i] = products
    return scatters
