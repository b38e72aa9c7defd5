"""Confidence intervals of internal criteria, where a resample needs no new pass over all pairs of points.

Criteria that read moments and distances to centroids are bootstrapped: points are drawn again with their clusters,
at O(N p) a resample. The silhouette is a mean of the points' widths, and its interval that of a mean. For all other
criteria every resample would be a pass over N (N - 1) / 2 distances: none is offered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.points import reduce_coded_points
from adjudge.errors import InputError
from adjudge.given import LabelOptions, align_labels, as_points
from adjudge.given.label_options import LabelKeywords
from adjudge.given.options import (
    check_confidence,
    check_count,
    check_random_state,
    given_names,
    random_generator,
)
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import find_index
from adjudge.indices.record import InternalIndex
from adjudge.inference.interval_methods import Interval
from adjudge.statistics.moments import made_by_centroids
from adjudge.statistics.pair_distances import Silhouettes

__all__ = ["internal_intervals"]

NO_INTERVAL = "no interval is offered: every resample would need a new pass over all pairs of points"


def internal_intervals(
    X: Any,
    labels: Any,
    indices: Sequence[str | InternalIndex],
    *,
    confidence: float = 0.95,
    n_resamples: int = 400,
    random_state: Any = None,
    widths: Silhouettes | None = None,
    **options: Unpack[LabelKeywords],
) -> dict[str, Interval]:
    """Confidence intervals of internal criteria, the points with their clusters being a sample.

    Parameters
    ----------
    X : array-like of shape (n, p)
    labels : array-like of shape (n,)
        The clusters are taken as they are; that they were found in these points is not part of the uncertainty.
    indices : sequence of str or Index
    confidence : float
    n_resamples : int
    random_state : int, Generator, SeedSequence or None
    widths : Silhouettes, optional
        Where they are known already, and whatever distances they are of; default: Euclidean ones are computed.
    **options
        `missing`, `noise` and `noise_label`, as for :func:`adjudge.evaluate`.

    Returns
    -------
    dict of str to Interval
        By index; nan with a reason where none is offered.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge import internal_intervals
    >>> X = np.r_[np.linspace(0, 1, 20), np.linspace(3, 4, 20)][:, None]
    >>> found = internal_intervals(X, [0] * 20 + [1] * 20, ["silhouette", "dunn"], random_state=0)
    >>> low, high = found["silhouette"]
    >>> round(low, 2), round(high, 2)
    (0.87, 0.89)
    >>> found["dunn"].reason
    'no interval is offered: every resample would need a new pass over all pairs of points'
    """
    check_confidence(confidence)
    check_count("n_resamples", n_resamples)
    check_random_state(random_state)
    records = [
        i if isinstance(i, InternalIndex) else find_index(i, "internal")
        for i in given_names("indices", indices)
    ]
    points = as_points(X).values
    aligned = align_labels({"labels": labels}, LabelOptions(**options))
    if aligned.n_given != points.shape[0]:
        raise InputError(
            f"labels has {aligned.n_given} entries, X has {points.shape[0]} rows: they must be of one length"
        )
    if aligned.kept is not None:
        points = points[aligned.kept]
    codes = aligned.labels[0].dense()[0]
    found: dict[str, Interval] = {}
    means = [record for record in records if record.requires == (Silhouettes,)]
    drawn = [record for record in records if made_by_centroids(record.requires) == {*record.requires}]
    if means:
        if widths is None:
            widths = reduce_coded_points(points, codes, {Silhouettes})[Silhouettes]
        found |= {record.name: _of_widths(widths, record, confidence) for record in means}
    if drawn and hasattr(points, "indptr"):
        raise InputError(
            f"{drawn[0].name} needs centroids of dense points, and X is sparse: pass X.toarray()"
        )
    if drawn:
        found |= _bootstrapped(points, codes, drawn, confidence, n_resamples, random_state)
    return {
        record.name: found.get(
            record.name, Interval(math.nan, math.nan, confidence, "bootstrap", NO_INTERVAL)
        )
        for record in records
    }


def _of_widths(widths: Silhouettes, record: Any, confidence: float) -> Interval:
    """Interval of a mean of the points' widths, or of the mean of the clusters' means."""
    from scipy.stats import t

    value = record.assess(widths)[0]
    n, k = widths.codes.size, widths.sizes.size
    if math.isnan(value) or n < 3:
        reason = "the silhouette is undefined" if math.isnan(value) else "there are fewer than 3 points"
        return Interval(math.nan, math.nan, confidence, "mean of widths", reason)
    if record.name == "silhouette":
        variance = float(np.var(widths.values, ddof=1)) / n
    else:
        sizes = widths.sizes
        centred = widths.values - widths.of_clusters[widths.codes]
        sums = np.bincount(widths.codes, centred**2, minlength=k)
        # A single point says nothing of its cluster's spread.
        spread = np.divide(sums, sizes * (sizes - 1.0), out=np.zeros(k), where=sizes > 1)
        variance = float(spread.sum()) / k**2
    half = float(t.ppf((1 + confidence) / 2, n - 1)) * math.sqrt(variance)
    return Interval(max(-1.0, value - half), min(1.0, value + half), confidence, "mean of widths")


def _bootstrapped(
    points: NDArray[Any],
    codes: NDArray[np.int64],
    records: Sequence[Any],
    confidence: float,
    n_resamples: int,
    random_state: Any,
) -> dict[str, Interval]:
    """Percentiles over resamples of the points, which keep their clusters."""
    rng = random_generator(random_state)
    n, k = codes.size, int(codes.max()) + 1
    wanted = {t for record in records for t in record.requires}
    alone = PointOptions(n_threads=1)
    values: dict[str, list[float]] = {record.name: [] for record in records}
    for _ in range(n_resamples):
        chosen = rng.integers(0, n, n)
        drawn = codes[chosen]
        present = np.bincount(drawn, minlength=k) > 0
        dense = (np.cumsum(present) - 1)[drawn]
        statistics = reduce_coded_points(points[chosen], dense, wanted, alone)
        for record in records:
            values[record.name].append(record.assess(*(statistics[t] for t in record.requires))[0])
    return {name: _percentiles(np.array(drawn), confidence) for name, drawn in values.items()}


def _percentiles(values: NDArray[np.float64], confidence: float) -> Interval:
    if not np.isfinite(values).all():
        share = 1 - float(np.isfinite(values).mean())
        reason = f"the index is undefined or infinite for a share of {share:.2g} of the resamples"
        return Interval(math.nan, math.nan, confidence, "bootstrap", reason)
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    if low == high:
        return Interval(
            math.nan, math.nan, confidence, "bootstrap", "all resamples give one value: it has no spread"
        )
    return Interval(float(low), float(high), confidence, "bootstrap")
