"""Does `clusters_test` find clusters by DBCV as well as by the silhouette? The share of data sets in which it does.

    python studies/tests_by_dbcv.py [REPLICATES]

k-means into two and three clusters, or HDBSCAN with two sizes, of 200 points; 19 data sets of each kind without
clusters, so that the level is 5 %. Prints one row for each law, clusterer and index: the share of sets that are better
than data without clusters, the share in which there is a valley as well, and in how many there was one cluster only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import make_circles, make_moons

from adjudge import InputError
from adjudge.inference import clusters_test
from cells import Generator
from tests_of_clusters import Points, arc, ball, gaussian, heavy, skewed, spiral

N = 200


def blobs(rng: Generator, k: int, apart: float, p: int = 2) -> Points:
    """Draw from Gaussians around the corners of a regular polygon whose sides are `apart` standard deviations long."""
    turns = 2 * np.pi * np.arange(k) / k
    centres = np.zeros((k, p))
    centres[:, :2] = apart / (2 * np.sin(np.pi / k)) * np.column_stack([np.cos(turns), np.sin(turns)])
    return np.asarray(centres[rng.integers(k, size=N)] + rng.normal(size=(N, p)))


def of_two_densities(rng: Generator) -> Points:
    return np.concatenate([rng.normal(0, 1, (150, 2)), rng.normal((5, 0), 0.3, (50, 2))])


def in_noise(rng: Generator) -> Points:
    return np.concatenate([blobs(rng, 3, 10)[:150], rng.uniform(-8, 8, (50, 2))])


def _seed(rng: Generator) -> int:
    return int(rng.integers(1 << 30))


WITHOUT = {"gaussian": gaussian, "heavy": heavy, "skewed": skewed, "ball": ball, "arc": arc, "spiral": spiral}
LAWS: dict[str, Callable[[Generator], Any]] = {
    **{name: lambda rng, draw=draw: draw(rng, N) for name, draw in WITHOUT.items()},
    "two blobs, 4 sd": lambda rng: blobs(rng, 2, 4),
    "three blobs, 5 sd": lambda rng: blobs(rng, 3, 5),
    "three blobs, 6 sd, 10-d": lambda rng: blobs(rng, 3, 6, 10),
    "stretched pair": lambda rng: blobs(rng, 2, 6) * [1, 4],
    "two densities": of_two_densities,
    "blobs in noise": in_noise,
    "moons .05": lambda rng: make_moons(N, noise=0.05, random_state=_seed(rng))[0],
    "moons .1": lambda rng: make_moons(N, noise=0.1, random_state=_seed(rng))[0],
    "circles": lambda rng: make_circles(N, noise=0.05, factor=0.4, random_state=_seed(rng))[0],
}
CLUSTERERS: dict[str, dict[str, Any]] = {
    "kmeans": {f"K = {k}": KMeans(k, n_init=3, random_state=0) for k in (2, 3)},
    "hdbscan": {f"size {m}": HDBSCAN(min_cluster_size=m, copy=True) for m in (10, 20)},
}


def rows(replicates: int) -> Iterator[str]:
    for law, draw in LAWS.items():
        for name, clusterers in CLUSTERERS.items():
            for index in ("dbcv", "silhouette"):
                better, found, undefined = 0, 0, 0
                for r in range(replicates):
                    X = draw(np.random.default_rng([7, r, len(law)]))
                    try:
                        test = clusters_test(X, clusterers, index=index, n_samples=19, random_state=r)
                    except InputError:
                        undefined += 1
                        continue
                    better += max(test.p_values.values()) <= 0.05
                    found += test.p_value <= 0.05
                shares = f"{better / replicates:.2f} {found / replicates:.2f}"
                yield f"{law:24} {name:8} {index:10} {shares} {undefined}"


if __name__ == "__main__":
    for row in rows(int(sys.argv[1]) if len(sys.argv) > 1 else 20):
        print(row, flush=True)
