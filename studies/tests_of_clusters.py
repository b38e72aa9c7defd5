"""Is this cluster real? How often tests say so for data without clusters, and for data with two.

    python studies/tests_of_clusters.py [--replicates 100] [--out CSV] [--only PART]

k-means splits data in two, and the silhouette judges the split; for rings and half moons, single linkage and DBCV.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans

import adjudge
from cells import Found, Generator, Setting, arguments, run

Points = np.ndarray[Any, np.dtype[np.float64]]
Draw = Callable[[Generator, int], Points]


def gaussian(rng: Generator, n: int, p: int = 2) -> Points:
    return rng.normal(size=(n, p))


def heavy(rng: Generator, n: int) -> Points:
    """Draw from Student's t with 3 degrees of freedom."""
    return np.asarray(rng.normal(size=(n, 2)) / np.sqrt(rng.chisquare(3, (n, 1)) / 3))


def skewed(rng: Generator, n: int) -> Points:
    return rng.exponential(size=(n, 2))


def correlated(rng: Generator, n: int) -> Points:
    return np.asarray(rng.normal(size=(n, 2)) @ np.linalg.cholesky([[1, 0.9], [0.9, 1]]).T)


def ball(rng: Generator, n: int, p: int = 3) -> Points:
    X = rng.normal(size=(n, p))
    return np.asarray(X / np.linalg.norm(X, axis=1, keepdims=True) * rng.random((n, 1)) ** (1 / p))


def shell(rng: Generator, n: int) -> Points:
    X = rng.normal(size=(n, 3))
    return np.asarray(X / np.linalg.norm(X, axis=1, keepdims=True) * rng.normal(1, 0.05, (n, 1)))


def arc(rng: Generator, n: int, angle: float = np.pi, noise: float = 0.1) -> Points:
    angles = rng.uniform(0, angle, n)
    return np.column_stack([np.cos(angles), np.sin(angles)]) + rng.normal(0, noise, (n, 2))


def spiral(rng: Generator, n: int) -> Points:
    """Draw from a spiral, with about the same number of points per unit of length."""
    radius = np.sqrt(rng.uniform(0.05, 1, n))
    angles = 3 * np.pi * radius
    line = 3 * radius[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.asarray(line + rng.normal(0, 0.05, (n, 2)))


def sine(rng: Generator, n: int) -> Points:
    """Draw from two periods of a sine wave."""
    along = rng.uniform(0, 4 * np.pi, n)
    return np.column_stack([along, 2 * np.sin(along)]) + rng.normal(0, 0.15, (n, 2))


def frame(rng: Generator, n: int) -> Points:
    """Draw from a square with a square hole."""
    X = rng.uniform(-2, 2, (8 * n, 2))
    return X[np.abs(X).max(axis=1) > 1.2][:n]


def bars(rng: Generator, n: int) -> Points:
    """Draw from three bars that meet."""
    along, across, arm = (
        rng.uniform(0, 3, n),
        rng.uniform(-0.3, 0.3, n),
        2 * np.pi / 3 * rng.integers(0, 3, n),
    )
    x, y = along * np.cos(arm) - across * np.sin(arm), along * np.sin(arm) + across * np.cos(arm)
    return np.column_stack([x, y])


def bent_sheet(rng: Generator, n: int) -> Points:
    """Draw from a sheet bent into three quarters of a cylinder."""
    angle = rng.uniform(0, 1.5 * np.pi, n)
    return np.column_stack([np.cos(angle), np.sin(angle), rng.uniform(0, 3, n)])


def rings(rng: Generator, n: int) -> Points:
    radius = np.where(np.arange(n) < n // 3, 1, 3)[:, None]
    return np.asarray(radius * arc(rng, n, 2 * np.pi, 0) + rng.normal(0, 0.15, (n, 2)))


def moons(rng: Generator, n: int) -> Points:
    X = arc(rng, n, np.pi, 0)
    X[n // 2 :] = [1, 0.5] - X[n // 2 :]
    return np.asarray(X + rng.normal(0, 0.07, (n, 2)))


def pair(draw: Draw, distance: float, share: float = 0.5) -> Draw:
    """Move a share of the points along the first coordinate."""

    def moved(rng: Generator, n: int) -> Points:
        X = draw(rng, n)
        X[: round(share * n), 0] += distance
        return X

    return moved


WITHOUT: dict[str, Draw] = {
    "Gaussian": gaussian,
    "Gaussian, 10 variables": partial(gaussian, p=10),
    "correlated Gaussian (0.9)": correlated,
    "heavy tails (t, 3 degrees of freedom)": heavy,
    "skewed (exponential)": skewed,
    "square": lambda rng, n: rng.random((n, 2)),
    "ball in 3 dimensions": ball,
    "shell in 3 dimensions": shell,
    "noisy half circle": arc,
    "noisy circle": partial(arc, angle=2 * np.pi),
    "spiral": spiral,
    "sine wave": sine,
    "frame of a square": frame,
    "three bars that meet": bars,
    "bent sheet": bent_sheet,
}
WITH: dict[str, Draw] = {
    "two Gaussians, 3 apart": pair(gaussian, 3.0),
    "two Gaussians, 5 apart": pair(gaussian, 5.0),
    "two Gaussians of 20 and 80 %, 5 apart": pair(gaussian, 5.0, 0.2),
    "two Gaussians of 10 variables, 5 apart": pair(partial(gaussian, p=10), 5.0),
    "two heavy-tailed, 6 apart": pair(heavy, 6.0),
    "two skewed, 4 apart": pair(skewed, 4.0),
    "two balls, 2.5 radii apart": pair(ball, 2.5),
    "two rings (single linkage)": rings,
    "two half moons (single linkage)": moons,
}


def two_means(X: Points) -> Any:
    return KMeans(2, n_init=1, random_state=0).fit_predict(X)


def two_of_single_linkage(X: Points) -> Any:
    return AgglomerativeClustering(2, linkage="single").fit_predict(X)


def judged(draw: Draw, n: int, single: bool, rng: Generator) -> dict[str, Found]:
    """Return the p-values of all tests."""
    X = draw(rng, n)
    fit, index = (two_of_single_linkage, "dbcv") if single else (two_means, "silhouette")
    labels = fit(X)
    both = partial(
        adjudge.inference.cluster_difference_test, X, fit, (labels.min(), labels.max()), random_state=rng
    )
    clusters = adjudge.inference.clusters_test(
        X, fit, index=index, n_samples=19, random_state=rng, progress=False
    )
    linkage: Any = "single" if single else "ward"
    tree = adjudge.inference.tree_test(
        X, linkage=linkage, n_samples=30, least_size=n, random_state=rng, progress=False
    )
    return {
        "clusters_test": clusters.p_value,
        "tree_test": tree.splits[0].p_value,
        "clusters_dip_test": adjudge.inference.clusters_dip_test(X, fit, random_state=rng).p_value,
        "cluster_difference_test": both(n_samples=60).p_value,
        "cluster_difference_test, thinning": both(method="thinning").p_value,
    }


def settings() -> Iterator[Setting]:
    """Yield data without clusters, then data with two."""
    for part, data in (("Without clusters", WITHOUT), ("Power: two clusters", WITH)):
        for n in (100, 300):
            for name, draw in data.items():
                fewer = (1 if part[0] == "W" else 2) * n // 100
                yield Setting(part, name, n, partial(judged, draw, n, "single" in name), fewer)


if __name__ == "__main__":
    run(settings(), arguments(__doc__, 100).parse_args())
