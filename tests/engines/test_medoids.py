"""Medoids are found without the sums of most points, and are the same as from all sums."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from adjudge.engines import medoids
from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import by_cluster


def some_points(kind: str, p: int) -> np.ndarray:
    rng = np.random.default_rng(p)
    X = rng.normal(size=(1800, p))
    if kind == "heavy tails":
        X = rng.standard_t(1.5, size=X.shape)
    elif kind == "ring":
        X /= np.linalg.norm(X, axis=1)[:, None]
    elif kind == "lattice":
        X = np.round(X)
    elif kind == "one place":
        X[:] = 0.1
    elif kind == "far off":
        X += 1e7
    elif kind == "two places":
        X[:900], X[900:] = 0.1, 0.3
    elif kind == "flat":
        X[:, 1:] *= 1e-9
    return X


KINDS = ["normal", "heavy tails", "ring", "lattice", "one place", "far off", "two places", "flat"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [1, 2, 10])
def test_sums_that_are_left_out_are_not_least(kind: str, p: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X = some_points(kind, p)
    codes = np.random.default_rng(0).choice(3, 1800, p=[0.5, 0.4, 0.1])
    order, bounds = by_cluster(codes)
    monkeypatch.setattr(medoids, "_MANY_POINTS", 512)
    found = medoids.medoids_from_points(X, order, bounds, Crew(2))
    monkeypatch.setattr(medoids, "_MANY_POINTS", 10**9)
    assert found.tolist() == medoids.medoids_from_points(X, order, bounds, Crew(1)).tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [1, 2, 10])
def test_no_bound_is_above_a_sum(kind: str, p: int) -> None:
    X = some_points(kind, p)
    bounds, sums = medoids._bounds_of_sums(X), cdist(X, X).sum(axis=1)
    assert (bounds <= sums).all()


@pytest.mark.parametrize("p", [2, 10, 40])
def test_few_sums_are_computed(p: int) -> None:
    X = np.random.default_rng(p).normal(size=(4000, p))
    hopeless = medoids._hopeless(X, np.array([0, 2000, 4000]), Crew(1))
    assert hopeless.mean() > 0.9
