"""Stability of partitions under resampling: bootstrap Jaccard, prediction strength, instability, consensus."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from adjudge.array_types import Codes, Floats
from adjudge.choosing.estimators import Clusterer, Fit
from adjudge.choosing.resampling import Repeats, jaccard_of_clusters, least_joined, table_of
from adjudge.statistics.sweep import Stability

__all__ = ["Resampler"]

Seed = np.random.SeedSequence
R = TypeVar("R")

# The pairs of this many points are as informative as all pairs.
_CONSENSUS_POINTS = 1000
_CONSENSUS_SHARE = 0.8
_AMBIGUOUS = (0.1, 0.9)


@dataclass(frozen=True, eq=False)
class Resampler:
    """Refits of a clusterer to resampled points.

    Attributes
    ----------
    X : ndarray of shape (n, p)
    clusterer : Clusterer
        Light enough for many fits, see `Clusterer.repeatable`.
    n_samples : int
        Resamples of each kind.
    repeats : Repeats
    """

    X: Floats
    clusterer: Clusterer
    n_samples: int
    repeats: Repeats

    def stability(self, fits: Mapping[int, Fit], seed: Seed) -> Stability:
        """Resample in all four ways; of one cluster, only the prediction strength says anything."""
        boot, split, pair, sub = seed.spawn(4)
        one: dict[int, float] = {1: 1.0} if 1 in fits else {}
        fits = {k: fit for k, fit in fits.items() if k > 1}
        strength = self.prediction_strength(fits, split)
        return Stability(
            self.bootstrap_jaccard(fits, boot),
            one | strength,
            self.bootstrap_instability(fits, pair),
            self.consensus_ambiguity(fits, sub),
        )

    def _fitted(self, rows: Codes, ks: Iterable[int], seed: Seed) -> tuple[Floats, dict[int, Fit]]:
        """Return some points, and the partitions of them."""
        points = np.ascontiguousarray(self.X[rows])
        return points, self.clusterer.fit(points, ks, seed)

    def _each(self, one: Callable[[Seed], R], seed: Seed, what: str) -> list[R]:
        return self.repeats.run(one, seed.spawn(self.n_samples), what)

    def bootstrap_jaccard(self, fits: Mapping[int, Fit], seed: Seed) -> dict[int, Floats]:
        """Return, by K and cluster, the mean Jaccard similarity with the most similar cluster of bootstrap samples.

        As in fpc's clusterboot by default, a point that is drawn more than once counts once.
        """
        ks, n = sorted(fits), self.X.shape[0]

        def one(seed: Seed) -> list[Floats]:
            drawn = np.unique(np.random.default_rng(seed).integers(n, size=n))
            _, again = self._fitted(drawn, ks, seed)
            return [jaccard_of_clusters(fits[k].codes[drawn], again[k].codes, fits[k].k) for k in ks]

        found = self._each(one, seed, "bootstrap samples")
        means: dict[int, Floats] = {}
        for i, k in enumerate(ks):
            values = np.array([sample[i] for sample in found])
            present = ~np.isnan(values)
            means[k] = np.where(present, values, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
        return means

    def prediction_strength(self, ks: Iterable[int], seed: Seed) -> dict[int, float]:
        """Return, for each K, the mean prediction strength over splits into halves, each half predicting the other."""
        wanted, n = sorted(ks), self.X.shape[0]

        def one(seed: Seed) -> list[float]:
            order = np.random.default_rng(seed).permutation(n)
            halves = np.sort(order[: n // 2]), np.sort(order[n // 2 :])
            (a, of_a), (b, of_b) = (
                self._fitted(h, wanted, s) for h, s in zip(halves, seed.spawn(2), strict=True)
            )
            assign = self.clusterer.assign
            return [
                least_joined(of_b[k].codes, assign(of_a[k], a, b)) / 2
                + least_joined(of_a[k].codes, assign(of_b[k], b, a)) / 2
                for k in wanted
            ]

        return _means(wanted, self._each(one, seed, "splits"))

    def bootstrap_instability(self, ks: Iterable[int], seed: Seed) -> dict[int, float]:
        """Return, by K, the mean share of pairs of points on which the partitions of two bootstrap samples disagree."""
        wanted, n = sorted(ks), self.X.shape[0]

        def one(seed: Seed) -> list[float]:
            rng = np.random.default_rng(seed)
            drawn = [np.sort(rng.integers(n, size=n)) for _ in range(2)]
            fits = [self._fitted(rows, wanted, s) for rows, s in zip(drawn, seed.spawn(2), strict=True)]
            assign = self.clusterer.assign
            return [_disagreement(*(assign(fit[k], sample, self.X) for sample, fit in fits)) for k in wanted]

        return _means(wanted, self._each(one, seed, "pairs of samples"))

    def consensus_ambiguity(self, ks: Iterable[int], seed: Seed) -> dict[int, float]:
        """Return, for each K, the share of ambiguous entries in the consensus matrix of at most a thousand points."""
        wanted, n = sorted(ks), self.X.shape[0]
        rng = np.random.default_rng(seed)
        watched = np.sort(rng.choice(n, min(n, _CONSENSUS_POINTS), replace=False))

        def one(seed: Seed) -> tuple[Codes, list[Codes]]:
            size = math.ceil(_CONSENSUS_SHARE * n)
            drawn = np.sort(np.random.default_rng(seed).choice(n, size, replace=False))
            _, fits = self._fitted(drawn, wanted, seed)
            of_all = np.full(n, -1, np.int64)
            found = []
            for k in wanted:
                of_all[drawn] = fits[k].codes
                found.append(of_all[watched])
            return (found[0] >= 0).astype(np.int64), found

        samples = self._each(one, seed, "subsamples")
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


def _means(ks: list[int], found: list[list[float]]) -> dict[int, float]:
    return dict(zip(ks, np.array(found).mean(axis=0).tolist(), strict=True))


def _disagreement(a: Codes, b: Codes) -> float:
    """Return one minus the Rand index."""
    table = table_of(a, b)

    def pairs(counts: Codes) -> int:
        return int((counts * (counts - 1)).sum()) // 2

    apart = pairs(table.sum(axis=0)) + pairs(table.sum(axis=1)) - 2 * pairs(table)
    return apart / (a.size * (a.size - 1) // 2)
