"""Stability of a candidate's clusters when it is refitted to resampled, fewer or noisy points."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.array_types import Codes, Floats
from adjudge.choosing.candidates import Candidate, coded_with_noise
from adjudge.choosing.resampling import Repeats, jaccard_of_clusters, least_joined
from adjudge.engines.running.checkpoint import Arrays

__all__ = ["Held", "held", "n_refits"]

# Draws the points of a refit, and their positions in the input.
Resample = Callable[[Any, np.random.Generator], tuple[Any, Codes]]

_LEFT_OUT = 0.2
# Standard deviation of added noise, in units of the mean distance to the nearest neighbour.
_SHAKEN = 0.5


@dataclass(frozen=True)
class Held:
    """The stability of a candidate under resampling.

    Attributes
    ----------
    of_clusters : ndarray of shape (K,)
        Mean Jaccard similarity of each cluster with the most similar one of a bootstrap sample.
    measures : dict of str to float
        "jaccard", the mean of these, weighted by cluster size; "least_jaccard", the smallest; "left_out" and "shaken",
        the same mean if a fifth of the points is left out, or noise is added; and "prediction_strength", the smallest
        share, over the clusters of one half, of pairs that the other half's clusters join.
    """

    of_clusters: Floats
    measures: dict[str, float]

    def export(self) -> Arrays:
        """Return the stability as arrays."""
        numbers = np.array(list(self.measures.values()))
        return {"of_clusters": self.of_clusters, "names": np.array(list(self.measures)), "values": numbers}

    @classmethod
    def of(cls, saved: Arrays) -> Held:
        """Create the stability from exported arrays."""
        return cls(
            saved["of_clusters"], dict(zip(saved["names"].tolist(), saved["values"].tolist(), strict=True))
        )


def n_refits(n_samples: int, *, dense: bool) -> int:
    """Return the number of fits of :func:`held` for one candidate; noise and halves need dense points."""
    return n_samples * (5 if dense else 2)


def held(
    X: Any,
    candidate: Candidate,
    *,
    n_samples: int,
    noise_label: Any,
    precomputed: bool,
    seed: np.random.SeedSequence,
    repeats: Repeats,
) -> Held:
    """Refit a candidate `n_samples` times in each way that the points allow."""
    dense = isinstance(X, np.ndarray) and not precomputed
    boot, fewer, shaken, halves = seed.spawn(4)

    def similarity(resample: Resample, seed: np.random.SeedSequence, what: str) -> Floats:
        def one(single: np.random.SeedSequence) -> Floats:
            rng = np.random.default_rng(single)
            points, places = resample(X, rng)
            codes = _fit(candidate, points, noise_label, int(rng.integers(1 << 31)))
            return jaccard_of_clusters(candidate.codes[places], codes, candidate.n_clusters)

        found = np.array(repeats.run(one, seed.spawn(n_samples), f"{what} of {candidate.name}"))
        seen = ~np.isnan(found)
        return np.asarray(
            np.where(seen.any(axis=0), np.nansum(found, axis=0) / np.maximum(seen.sum(axis=0), 1), 0.0)
        )

    sizes = np.bincount(candidate.codes[candidate.codes >= 0], minlength=candidate.n_clusters)

    def mean(values: Floats) -> float:
        return float((values * sizes).sum() / sizes.sum())

    of_clusters = similarity(_some_of(_bootstrap, precomputed), boot, "bootstrap")
    measures = {
        "jaccard": mean(of_clusters),
        "least_jaccard": float(of_clusters.min()),
        "left_out": mean(similarity(_some_of(_subset, precomputed), fewer, "subsets")),
    }
    if dense:
        measures["shaken"] = mean(similarity(_shaking(X), shaken, "noise"))
        measures["prediction_strength"] = _prediction_strength(
            X, candidate, n_samples, noise_label, halves, repeats
        )
    return Held(of_clusters, measures)


def _fit(candidate: Candidate, points: Any, noise_label: Any, seed: int) -> Codes:
    assert candidate.refit is not None
    return coded_with_noise(candidate.refit(points, seed), points.shape[0], candidate.name, noise_label)


def _bootstrap(n: int, rng: np.random.Generator) -> Codes:
    return np.sort(rng.integers(n, size=n))


def _subset(n: int, rng: np.random.Generator) -> Codes:
    return np.sort(rng.choice(n, math.ceil((1 - _LEFT_OUT) * n), replace=False))


def _some_of(draw: Callable[[int, np.random.Generator], Codes], precomputed: bool) -> Resample:
    def resample(X: Any, rng: np.random.Generator) -> tuple[Any, Codes]:
        places = draw(X.shape[0], rng)
        return (X[np.ix_(places, places)] if precomputed else X[places]), places

    return resample


def _shaking(X: Floats) -> Resample:
    from scipy.spatial import KDTree

    nearest = np.asarray(KDTree(X).query(X, k=[min(2, X.shape[0])])[0])
    step = _SHAKEN * float(nearest.mean())
    deviation = step / math.sqrt(X.shape[1])
    return lambda X, rng: (X + rng.normal(scale=deviation, size=X.shape), np.arange(X.shape[0]))


def _prediction_strength(
    X: Floats,
    candidate: Candidate,
    n_samples: int,
    noise_label: Any,
    seed: np.random.SeedSequence,
    repeats: Repeats,
) -> float:
    """Average over splits into halves; a point gets the cluster of the other half's nearest clustered point."""
    from scipy.spatial import KDTree

    def one(single: np.random.SeedSequence) -> float:
        rng = np.random.default_rng(single)
        order = rng.permutation(X.shape[0])
        halves = order[: order.size // 2], order[order.size // 2 :]
        codes = [_fit(candidate, X[half], noise_label, int(rng.integers(1 << 31))) for half in halves]
        strengths = []
        for own, other in ((0, 1), (1, 0)):
            clustered = codes[other] >= 0
            if not clustered.any() or not (codes[own] >= 0).any():
                strengths.append(0.0)
                continue
            tree = KDTree(X[halves[other]][clustered])
            predicted = codes[other][clustered][tree.query(X[halves[own]])[1]]
            strengths.append(least_joined(codes[own], predicted))
        return float(np.mean(strengths))

    return float(np.mean(repeats.run(one, seed.spawn(n_samples), f"halves of {candidate.name}")))
