"""Stability of partitions under resampling: bootstrap Jaccard, prediction strength, instability, consensus."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from adjudge.choosing.estimators import Clusterer, Fit
from adjudge.choosing.resampling import Repeats, jaccard_of_clusters, least_joined, table_of
from adjudge.statistics.sweep import Stability

__all__ = [
    "bootstrap_instability",
    "bootstrap_jaccard",
    "consensus_ambiguity",
    "prediction_strength",
    "stability_of",
]

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

# The pairs of this many points are as informative as all pairs.
_CONSENSUS_POINTS = 1000
_CONSENSUS_SHARE = 0.8
_AMBIGUOUS = (0.1, 0.9)


def bootstrap_jaccard(
    X: Floats,
    clusterer: Clusterer,
    fits: Mapping[int, Fit],
    *,
    n_samples: int,
    seed: np.random.SeedSequence,
    repeats: Repeats,
) -> dict[int, Floats]:
    """Return, by K and cluster, the mean Jaccard similarity with the most similar cluster of bootstrap samples.

    As in fpc's clusterboot by default, a point that is drawn more than once counts once.
    """
    light = clusterer.repeatable()
    ks = sorted(fits)

    def one(own: np.random.SeedSequence) -> list[Floats]:
        drawn = np.unique(np.random.default_rng(own).integers(X.shape[0], size=X.shape[0]))
        again = light.fit(np.ascontiguousarray(X[drawn]), ks, own)
        return [jaccard_of_clusters(fits[k].codes[drawn], again[k].codes, fits[k].k) for k in ks]

    found = repeats.run(one, seed.spawn(n_samples), "bootstrap samples")
    means: dict[int, Floats] = {}
    for i, k in enumerate(ks):
        values = np.array([sample[i] for sample in found])
        present = ~np.isnan(values)
        means[k] = np.where(present, values, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    return means


def prediction_strength(
    X: Floats,
    clusterer: Clusterer,
    ks: Iterable[int],
    *,
    n_splits: int,
    seed: np.random.SeedSequence,
    repeats: Repeats,
) -> dict[int, float]:
    """Return, for each K, the mean prediction strength over splits into halves, each half predicting the other."""
    wanted = sorted(ks)
    light = clusterer.repeatable()
    n = X.shape[0]

    def one(own: np.random.SeedSequence) -> list[float]:
        order = np.random.default_rng(own).permutation(n)
        halves = [np.ascontiguousarray(X[np.sort(part)]) for part in (order[: n // 2], order[n // 2 :])]
        fits = [light.fit(half, wanted, s) for half, s in zip(halves, own.spawn(2), strict=True)]
        return [
            sum(
                least_joined(fits[b][k].codes, light.assign(fits[a][k], halves[a], halves[b])) / 2
                for a, b in ((0, 1), (1, 0))
            )
            for k in wanted
        ]

    found = np.array(repeats.run(one, seed.spawn(n_splits), "splits"))
    return dict(zip(wanted, found.mean(axis=0).tolist(), strict=True))


def bootstrap_instability(
    X: Floats,
    clusterer: Clusterer,
    ks: Iterable[int],
    *,
    n_pairs: int,
    seed: np.random.SeedSequence,
    repeats: Repeats,
) -> dict[int, float]:
    """Return, by K, the mean share of pairs of points on which the partitions of two bootstrap samples disagree."""
    wanted = sorted(ks)
    light = clusterer.repeatable()
    n = X.shape[0]

    def one(own: np.random.SeedSequence) -> list[float]:
        rng = np.random.default_rng(own)
        samples = [np.ascontiguousarray(X[np.sort(rng.integers(n, size=n))]) for _ in range(2)]
        fits = [light.fit(sample, wanted, s) for sample, s in zip(samples, own.spawn(2), strict=True)]
        found = []
        for k in wanted:
            a, b = (light.assign(fit[k], sample, X) for fit, sample in zip(fits, samples, strict=True))
            found.append(_disagreement(a, b))
        return found

    found = np.array(repeats.run(one, seed.spawn(n_pairs), "pairs of samples"))
    return dict(zip(wanted, found.mean(axis=0).tolist(), strict=True))


def _disagreement(a: Codes, b: Codes) -> float:
    """Return one minus the Rand index."""
    table = table_of(a, b)

    def pairs(counts: NDArray[np.int64]) -> int:
        return int((counts * (counts - 1)).sum()) // 2

    apart = pairs(table.sum(axis=0)) + pairs(table.sum(axis=1)) - 2 * pairs(table)
    return apart / (a.size * (a.size - 1) // 2)


def consensus_ambiguity(
    X: Floats,
    clusterer: Clusterer,
    ks: Iterable[int],
    *,
    n_samples: int,
    seed: np.random.SeedSequence,
    repeats: Repeats,
) -> dict[int, float]:
    """Return, for each K, the share of ambiguous entries in the consensus matrix of at most a thousand points."""
    wanted = sorted(ks)
    light = clusterer.repeatable()
    rng = np.random.default_rng(seed)
    n = X.shape[0]
    watched = np.sort(rng.choice(n, min(n, _CONSENSUS_POINTS), replace=False))

    def one(own: np.random.SeedSequence) -> tuple[Codes, list[Codes]]:
        drawn = np.sort(np.random.default_rng(own).choice(n, math.ceil(_CONSENSUS_SHARE * n), replace=False))
        fits = light.fit(np.ascontiguousarray(X[drawn]), wanted, own)
        of_all = np.full(n, -1, np.int64)
        found = []
        for k in wanted:
            of_all[drawn] = fits[k].codes
            found.append(of_all[watched])
        return (found[0] >= 0).astype(np.int64), found

    samples = repeats.run(one, seed.spawn(n_samples), "subsamples")
    # Sums of products of 0 and 1 are exact in float32.
    together = np.array([s[0] for s in samples], dtype=np.float32)
    both = together.T @ together
    upper = np.triu(both > 0, 1)
    ambiguity: dict[int, float] = {}
    for i, k in enumerate(wanted):
        joined = np.zeros_like(both)
        codes = np.array([s[1][i] for s in samples])
        for c in range(int(codes.max()) + 1):
            member = (codes == c).astype(np.float32)
            joined += member.T @ member
        consensus = joined[upper] / both[upper]
        low, high = _AMBIGUOUS
        ambiguity[k] = float(((consensus > low) & (consensus < high)).mean())
    return ambiguity


def stability_of(
    X: Floats,
    clusterer: Clusterer,
    fits: Mapping[int, Fit],
    *,
    n_samples: int,
    seed: np.random.SeedSequence,
    repeats: Repeats,
) -> Stability:
    """Resample in all four ways, `n_samples` times each; of one cluster, only the prediction strength says anything."""
    boot, split, pair, sub = seed.spawn(4)
    one: dict[int, float] = {1: 1.0} if 1 in fits else {}
    fits = {k: fit for k, fit in fits.items() if k > 1}
    strength = prediction_strength(X, clusterer, fits, n_splits=n_samples, seed=split, repeats=repeats)
    return Stability(
        bootstrap_jaccard(X, clusterer, fits, n_samples=n_samples, seed=boot, repeats=repeats),
        one | strength,
        bootstrap_instability(X, clusterer, fits, n_pairs=n_samples, seed=pair, repeats=repeats),
        consensus_ambiguity(X, clusterer, fits, n_samples=n_samples, seed=sub, repeats=repeats),
    )
