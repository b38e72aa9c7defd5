"""How a value compares with the values of random partitions of the same points into as many clusters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from adjudge.array_types import Codes, Floats
from adjudge.choosing.resampling import Repeats
from adjudge.choosing.sweep_scores import judge
from adjudge.indices.record import Index
from adjudge.indices.selection_record import SelectionIndex

__all__ = ["around_random_points", "calibrate", "grown_from_random_points"]


def around_random_points(X: Floats, k: int, rng: np.random.Generator) -> Codes:
    """Assign each point to the nearest of k random points."""
    seeds = rng.choice(X.shape[0], k, replace=False)
    nearest = np.full(X.shape[0], np.inf)
    codes = np.zeros(X.shape[0], np.int64)
    for c, seed in enumerate(seeds):
        distances = ((X - X[seed]) ** 2).sum(axis=1)
        distances[seeds] = np.inf
        codes = np.where(distances < nearest, c, codes)
        nearest = np.minimum(nearest, distances)
    codes[seeds] = np.arange(k)
    return codes


def grown_from_random_points(X: Floats, k: int, rng: np.random.Generator) -> Codes:
    """Start from k random points; repeatedly assign the point nearest to any cluster to that cluster."""
    codes = np.full(X.shape[0], -1, np.int64)
    nearest = np.full(X.shape[0], np.inf)
    owner = np.zeros(X.shape[0], np.int64)

    def take(point: int, cluster: int) -> None:
        nonlocal nearest, owner
        codes[point] = cluster
        distances = ((X - X[point]) ** 2).sum(axis=1)
        closer = distances < nearest
        owner = np.where(closer, cluster, owner)
        nearest = np.minimum(nearest, distances)
        nearest[codes >= 0] = np.inf

    for cluster, seed in enumerate(rng.choice(X.shape[0], k, replace=False)):
        take(int(seed), cluster)
    for _ in range(X.shape[0] - k):
        point = int(nearest.argmin())
        take(point, int(owner[point]))
    return codes


def calibrate(
    X: Floats,
    ks: Sequence[int],
    values: Mapping[str, Mapping[int, float]],
    records: Iterable[Index],
    *,
    n_partitions: int,
    seed: np.random.SeedSequence,
    repeats: Repeats,
) -> dict[str, dict[int, float]]:
    """Return each value's distance from the mean value of random partitions, in their standard deviations.

    Positive means better than random. Criteria over a sweep, and those for which neither high nor low is better, are
    left out; nan if the value is not finite, or fewer than two of the random ones are.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    ks : sequence of int
    values : mapping of str to mapping of int to float
        By criterion and K.
    records : iterable of Index
    n_partitions : int
        Number of random partitions for each K, half around random points and half grown from them.
    seed : SeedSequence
    repeats : Repeats
    """
    chosen = [r for r in records if not isinstance(r, SelectionIndex) and r.better is not None]

    def one(seed: np.random.SeedSequence) -> Mapping[str, Mapping[int, float]]:
        rng = np.random.default_rng(seed)
        draw = around_random_points if seed.spawn_key[-1] % 2 else grown_from_random_points
        codes = {k: draw(X, k, rng) for k in ks}
        return judge(X, codes, ks, chosen, {}, n_threads=1).values

    drawn = repeats.run(one, seed.spawn(n_partitions), "random partitions")
    calibrated: dict[str, dict[int, float]] = {}
    for record in chosen:
        sign = 1.0 if record.better == "higher" else -1.0
        calibrated[record.name] = {
            k: sign * _standard_score(values[record.name][k], [found[record.name][k] for found in drawn])
            for k in ks
        }
    return calibrated


def _standard_score(value: float, others: list[float]) -> float:
    finite = np.array([v for v in others if math.isfinite(v)])
    if finite.size < 2 or not math.isfinite(value) or finite.std() == 0:
        return math.nan
    return float((value - finite.mean()) / finite.std(ddof=1))
