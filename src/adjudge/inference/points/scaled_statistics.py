"""Statistics of a stratified sample as those of all points: clusters, and pairs of two, get their weights back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adjudge.array_types import Ints
from adjudge.statistics.pair_distances import (
    DistanceTies,
    PairRanks,
    PairSums,
    Silhouettes,
    pairs_between,
    pairs_within,
)
from adjudge.statistics.prototypes import DistanceSquares

__all__ = ["scaled_up"]


def scaled_up(found: dict[type, Any], drawn: Ints, sizes: Ints) -> dict[type, Any]:
    """Scale the statistics of a sample with `drawn` points of each cluster to clusters of some sizes."""
    return {
        t: _SCALED[t](statistic, drawn, sizes) if t in _SCALED else statistic
        for t, statistic in found.items()
    }


def _times(drawn: Ints, sizes: Ints) -> tuple[float, float]:
    """Return by how much there are more pairs within and between clusters than in the sample; 0 if these have none."""
    counts = ((count(sizes), count(drawn)) for count in (pairs_within, pairs_between))
    within, between = (of_all / of_sample if of_sample else 0.0 for of_all, of_sample in counts)
    return within, between


def _ranks(r: PairRanks, drawn: Ints, sizes: Ints) -> PairRanks:
    within, between = _times(drawn, sizes)
    s_plus, s_minus, unknown = (round(count * within * between) for count in (r.s_plus, r.s_minus, r.unknown))
    n_within, n_between = pairs_within(sizes), pairs_between(sizes)
    ties = max(n_within * n_between - s_plus - s_minus - unknown, 0)
    return PairRanks(n_within, n_between, s_plus, s_minus, ties if r.ties else 0, unknown)


def _ties(t: DistanceTies, drawn: Ints, sizes: Ints) -> DistanceTies:
    in_all, in_sample = (n * (n - 1) // 2 for n in (int(sizes.sum()), int(drawn.sum())))
    times = (in_all / in_sample) ** 2
    return DistanceTies(round(t.tied * times), round(t.unknown * times))


def _squares(s: DistanceSquares, drawn: Ints, sizes: Ints) -> DistanceSquares:
    in_all, in_sample = (n * (n - 1) for n in (int(sizes.sum()), int(drawn.sum())))
    return DistanceSquares(s.total * (in_all / in_sample))


def _sums(s: PairSums, drawn: Ints, sizes: Ints) -> PairSums:
    within = np.nan_to_num(s.mean_within) * (sizes * (sizes - 1) / 2)
    means = s.means
    if means is None:
        return PairSums(sizes, within, s.between * _times(drawn, sizes)[1], s.smallest_mean, None)
    matrix = means * np.multiply.outer(sizes, sizes)
    np.fill_diagonal(matrix, within)
    return PairSums(sizes, within, float(np.tril(matrix, -1).sum()), s.smallest_mean, matrix)


def _silhouettes(s: Silhouettes, _: Ints, sizes: Ints) -> Silhouettes:
    """Give each point the mean width of its cluster in the sample."""
    codes = np.repeat(np.arange(sizes.size), sizes)
    return Silhouettes(sizes, codes, s.of_clusters[codes])


_SCALED: dict[type, Callable[[Any, Ints, Ints], Any]] = {
    PairRanks: _ranks,
    DistanceTies: _ties,
    DistanceSquares: _squares,
    PairSums: _sums,
    Silhouettes: _silhouettes,
}
