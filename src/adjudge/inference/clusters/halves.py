"""Are there clusters? Two halves of the points agree on them, more than halves of points without clusters do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.blas import factorizing
from adjudge.indices.pairs import adjusted_rand
from adjudge.inference.clusters.null_points import DRAWS
from adjudge.inference.clusters.tree_cuts import cuts_of
from adjudge.kernels.kmeans import nearest_centroids
from adjudge.progress import reporting
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.pair_counts import PairCounts, pairs_at_once

#: Least excess of the agreement of halves for clusters. docs/studies/choose_k.md tries it.
ENOUGH = 0.32
#: What the test is blind to.
UNSEEN = "clusters that are bent or lie around each other are not seen in the halves of the points"
_FEWEST_POINTS = 30
# Most points that are split: fewer in many columns, so that the time is bounded.
_MOST_POINTS, _MOST_IN_MANY_COLUMNS, _MANY_COLUMNS = 1000, 300, 50
_USUAL_NUMBERS = range(2, 11)
_SPLITS, _NULL_SETS = 10, 20
# Points of a half for each cluster: fewer clusters are looked for in fewer points.
_OF_CLUSTER = 2
# All calls split the same points in the same way, so that they come to the same conclusion.
_SEED = 20_050_201


def agreement_of_halves(X: Floats, ks: Iterable[int] = (), progress: Any = None) -> float | None:
    """Return how much better two halves of the points agree on clusters than halves of points without clusters.

    Each half is partitioned by Ward's tree. The points of the other half get the label of their nearest neighbour, and
    the adjusted Rand index compares these labels with their own (Tibshirani & Walther 2005; Lange et al. 2004). The
    mean over ten splits is reduced by the larger of the means over twenty data sets from a Gaussian with the covariance
    of the points, and over twenty from a uniform distribution in a box along their principal axes. The largest excess
    over all K counts.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Of more than 1,000 points, or 300 in more than 50 columns, a sample is split; fewer than 30 are too few.
    ks : iterable of int, optional
        Numbers of clusters to look for beside 2 to 10; those with fewer than two points per cluster in a half are not.
    progress : callable or bool, optional
        As for the verbs.

    Returns
    -------
    float or None
        About 0 without clusters, at most 1; None for too few points, or if all are the same.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference.clusters.halves import agreement_of_halves
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> apart = X + 9 * (np.arange(200) % 3)[:, None]
    >>> agreement_of_halves(X, progress=False) < 0.32 < agreement_of_halves(apart, progress=False)
    True
    """
    rng = np.random.default_rng(_SEED)
    most = _MOST_POINTS if X.shape[1] <= _MANY_COLUMNS else _MOST_IN_MANY_COLUMNS
    if X.shape[0] > most:
        X = X[np.sort(rng.choice(X.shape[0], most, replace=False))]
    # In one order, so that the conclusion does not depend on the order of the rows.
    X = X[np.lexsort(X.T[::-1])]
    centred = X - X.mean(axis=0)
    if X.shape[0] < _FEWEST_POINTS or not centred.any():
        return None
    if X.shape[1] > X.shape[0]:
        with factorizing(X.shape[1]):
            scores, lengths, _ = np.linalg.svd(centred, full_matrices=False)
        centred = scores * lengths
    centred = np.ascontiguousarray(centred)
    wanted = [k for k in sorted({*_USUAL_NUMBERS, *ks}) if k * _OF_CLUSTER <= X.shape[0] // 2]
    gaussian, evenly = DRAWS["gaussian"](centred), DRAWS["uniform"](centred)

    def itself(_: np.random.Generator) -> Floats:
        return centred

    kinds = [(itself, _SPLITS), (gaussian, _NULL_SETS), (evenly, _NULL_SETS)]
    total = sum(count for _, count in kinds)
    means: list[Floats] = []
    with reporting(progress, "halves") as report:
        done = 0
        for draw, count in kinds:
            found = []
            for _ in range(count):
                found.append(_agreement(draw(rng), wanted, rng))
                done += 1
                if report is not None:
                    report(done, total)
            means.append(np.mean(found, axis=0))
    mine, *nulls = means
    return float((mine - np.maximum(*nulls)).max())


def _agreement(points: Floats, ks: list[int], rng: np.random.Generator) -> list[float]:
    """Split points into halves; return how well they agree for each K, in the mean of both directions."""
    order = rng.permutation(points.shape[0])
    halves = [np.ascontiguousarray(points[half]) for half in np.array_split(order, 2)]
    cuts = [_ward(half, ks) for half in halves]
    nearest = [_nearest(halves[1 - i], halves[i]) for i in (0, 1)]
    return [
        (_rand(cuts[0][k], cuts[1][k][nearest[0]]) + _rand(cuts[1][k], cuts[0][k][nearest[1]])) / 2
        for k in ks
    ]


def _ward(points: Floats, ks: list[int]) -> dict[int, Ints]:
    from scipy.cluster.hierarchy import linkage

    return cuts_of(linkage(points, "ward"), points.shape[0], ks)


def _nearest(among: Floats, points: Floats) -> Ints:
    found = np.empty(points.shape[0], np.int64)
    nearest_centroids(points, among, found)
    return found


def _rand(a: Ints, b: Ints) -> float:
    # There are nine hundred of these: pairs of few clusters are counted without a table.
    pairs = pairs_at_once(a, b) or PairCounts.make(Contingency.from_labels(a, b))
    return float(adjusted_rand.assess(pairs)[0])


def agreement_in_words(excess: float) -> str:
    """Say whether two halves of the points agree, and by how much.

    Examples
    --------
    >>> agreement_in_words(0.62)
    'two halves of the points agree on clusters, by 0.62 more than without clusters'
    >>> agreement_in_words(0.04)
    'two halves of the points agree on no clusters: by 0.04 more than without clusters, and 0.32 are needed'
    """
    more = f"by {excess:.2f} more than without clusters" if excess >= 0 else "less than without clusters"
    if excess >= ENOUGH:
        return f"two halves of the points agree on clusters, {more}"
    return f"two halves of the points agree on no clusters: {more}, and {ENOUGH:.2f} are needed"
