"""The nearest place to each point but its own, against all explicit distances."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from adjudge.engines import nearest_prototypes
from adjudge.engines.nearest_prototypes import nearest_places
from adjudge.engines.running.executor import Crew


def points_of(kind: str, n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    X = rng.normal(size=(n, p))
    return {"normal": X, "lattice": np.round(X), "far off": X + 1e7, "in one place": np.ones((n, p))}[kind]


@pytest.mark.full(keep=22)
@pytest.mark.parametrize("kind", ["normal", "lattice", "far off", "in one place"])
@pytest.mark.parametrize(("k", "p"), [(1, 2), (2, 1), (7, 3), (600, 5), (1100, 24)])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_nearest_of_all_places_has_the_digits_of_explicit_differences(
    kind: str, k: int, p: int, n_jobs: int, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(nearest_prototypes, "_IN_CACHE", 300 * k)
    n = 1203
    X, places = points_of(kind, n, p, rng), points_of(kind, k, p, rng)
    codes = rng.integers(0, k, n)
    rises = [np.zeros(k), rng.random(k), np.round(3 * rng.random(k))]
    found = nearest_places(lambda rows: X[rows], codes, places, rises, Crew.of(n_jobs, None))
    squares = cdist(X, places, "sqeuclidean")
    everyone = np.arange(n)
    np.testing.assert_array_equal(found.own, squares[everyone, codes])
    squares[everyone, codes] = np.inf
    for others, rise in zip(found.others, rises, strict=True):
        np.testing.assert_array_equal(others, (squares + rise).min(axis=1))
