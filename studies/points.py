"""Coverage of intervals for internal indices: silhouettes, and criteria of centroids and sums of squares.

    python studies/points.py [--replicates 300] [--out CSV] [--only LAW]

The true value is the limit of an index for many points. For indices that grow with the number of points, it is the
mean over samples of the same size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import adjudge
from cells import Found, Generator, Setting, arguments, run

# All internal indices that have intervals.
INDICES = [
    "ball_hall", "banfield_raftery", "calinski_harabasz", "davies_bouldin", "det_ratio", "log_det_ratio",
    "ksq_detw", "log_ss_ratio", "pbm", "ratkowsky_lance", "ray_turi", "scott_symons", "sd_scat", "sd_dis",
    "sd_validity", "trace_w", "trace_wib", "silhouette", "silhouette_macro", "ccc", "d_index",
    "simplified_silhouette", "rms_silhouette", "wb_index",
]  # fmt: skip
SIZES = (60, 150, 400)
Points = np.ndarray[Any, np.dtype[np.float64]]
Scatter = Callable[[Generator, tuple[int, int]], Points]


class Law(NamedTuple):
    """Shares of the clusters, the distance of their centres from the origin, the scatter of points, and dimensions."""

    shares: tuple[float, ...]
    apart: float
    scatter: Scatter
    dimensions: int


def far_out(rng: Generator, shape: tuple[int, int]) -> Points:
    """Draw normal points, and shift a few of them by 4 in every coordinate."""
    return rng.standard_normal(shape) + 4.0 * (rng.random((shape[0], 1)) < 0.05)


def skewed_in_one(rng: Generator, shape: tuple[int, int]) -> Points:
    """Draw normal points with a skewed first coordinate, along which the clusters differ."""
    found = rng.standard_normal(shape)
    found[:, 0] = rng.gamma(0.5, 1.0, shape[0])
    return found


def correlated(rng: Generator, shape: tuple[int, int]) -> Points:
    """Draw from Student's t with 6 degrees of freedom, with correlations of 0.6 between coordinates."""
    found = 0.4**0.5 * rng.standard_normal(shape) + 0.6**0.5 * rng.standard_normal((shape[0], 1))
    return np.asarray(found / np.sqrt(rng.chisquare(6, (shape[0], 1)) / 6))


def normal(rng: Generator, shape: tuple[int, int]) -> Points:
    return rng.standard_normal(shape)


THIRDS = (1 / 3, 1 / 3, 1 / 3)
LAWS = {
    "3 apart": Law(THIRDS, 5.0, normal, 2),
    "3 overlapping": Law(THIRDS, 2.0, normal, 2),
    "4, one of 12 %": Law((0.4, 0.28, 0.2, 0.12), 4.0, normal, 2),
    "2, heavy tails (t, 3)": Law((0.5, 0.5), 5.0, lambda rng, shape: rng.standard_t(3, shape), 2),
    "3, uniform in 6 dimensions": Law(
        (0.5, 0.3, 0.2), 3.0, lambda rng, shape: rng.uniform(-1.7, 1.7, shape), 6
    ),
    "2, exponential": Law((0.6, 0.4), 4.0, lambda rng, shape: rng.exponential(1.0, shape), 2),
    "3, log-normal": Law((0.4, 0.3, 0.3), 5.0, lambda rng, shape: rng.lognormal(0.0, 0.7, shape), 3),
    "2, Pareto with exponent 3.5": Law((0.5, 0.5), 4.0, lambda rng, shape: rng.pareto(3.5, shape), 2),
    "4, Laplace in 4 dimensions": Law((0.25,) * 4, 5.0, lambda rng, shape: rng.laplace(0.0, 1.0, shape), 4),
    "3, a part of 5 % far out": Law((0.5, 0.3, 0.2), 5.0, far_out, 3),
    "2, skewed in one of 5 dimensions": Law((0.5, 0.5), 3.0, skewed_in_one, 5),
    "3, t of 6 degrees of freedom, correlated": Law((0.4, 0.4, 0.2), 5.0, correlated, 3),
}


def drawn(law: Law, n: int, rng: Generator) -> dict[str, Any]:
    """Draw points, and the clusters that they belong to."""
    angles = 2 * np.pi * np.arange(len(law.shares)) / len(law.shares)
    labels = rng.choice(len(law.shares), n, p=law.shares)
    centres = np.zeros((len(law.shares), law.dimensions))
    centres[:, :2] = law.apart * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return {"X": law.scatter(rng, (n, law.dimensions)) + centres[labels], "labels": labels}


def means(law: Law, n: int, draws: int, rng: Generator) -> Points:
    """Return the mean of each index over samples of n points, without infinite values."""
    found = [adjudge.evaluate(**drawn(law, n, rng), indices=INDICES) for _ in range(draws)]
    values = np.array([[own[name] for name in INDICES] for own in found])
    return np.asarray(np.ma.masked_invalid(values).mean(axis=0).filled(np.nan))


def truths(law: Law, replicates: int) -> dict[int, dict[str, float]]:
    """Return the indices for many points or, if they grow with the number of points, for the size of the sample."""
    rng = np.random.default_rng(1)
    # So many points that the error of the limit is small next to that of the largest judged sample.
    limits, half_as_many = (means(law, n, 25, rng) for n in (4000, 2000))
    grows = ~(np.abs(half_as_many - limits) <= 0.1 * np.abs(limits))
    own = {n: np.where(grows, means(law, n, replicates, rng), limits) for n in SIZES}
    return {n: dict(zip(INDICES, found.tolist(), strict=True)) for n, found in own.items()}


def judged(law: Law, n: int, true: Mapping[str, float], rng: Generator) -> dict[str, Found]:
    """Draw points, and compute the interval of each index."""
    scores = adjudge.evaluate(**drawn(law, n, rng), indices=INDICES, confidence=0.95, random_state=0).scores
    return {name: (scores[name], true[name]) for name in INDICES}


def settings(replicates: int) -> Iterator[Setting]:
    """Yield a setting for each law and number of points."""
    for name, law in LAWS.items():
        true = truths(law, replicates)
        for n in SIZES:
            yield Setting("Internal indices", name, n, partial(judged, law, n, true[n]))


if __name__ == "__main__":
    options = arguments(__doc__, 300).parse_args()
    run(settings(options.replicates), options)
