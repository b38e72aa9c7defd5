"""Mixing of batches against scib-metrics 0.5.10, and against the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import chi2

import adjudge
from adjudge import evaluate


def clouds() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    points = np.round(np.vstack([rng.normal(size=(150, 3)), rng.normal(size=(150, 3)) + 2]), 6)
    return points, rng.integers(0, 3, 300), np.repeat([0, 1], 150)


def test_values_of_scib_metrics() -> None:
    points, batches, types = clouds()
    assert adjudge.kbet(points, batches, n_neighbors=20) == 0.9833333333333333
    assert adjudge.kbet(points, types, n_neighbors=20) == 0.056666666666666664
    assert adjudge.kbet(points, batches, n_neighbors=30) == 0.9966666666666667
    # There, neighbours include the point, and the perplexity is a third of their number, rounded down.
    assert adjudge.scaled_ilisi(points, batches, n_neighbors=30) == pytest.approx(0.65517044, abs=1e-5)
    assert adjudge.scaled_clisi(points, types, n_neighbors=30) == pytest.approx(0.99999976, abs=1e-5)


def test_kbet_by_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    points, batches, _ = clouds()
    near = np.argsort(cdist(points, points), axis=1)[:, :13]
    accepted = []
    for own in near:
        counts = np.bincount(batches[own], minlength=3)
        expected = 13 * np.bincount(batches) / 300
        accepted.append(chi2.sf(((counts - expected) ** 2 / expected).sum(), 2) >= 0.3)
    assert adjudge.kbet(points, batches, n_neighbors=12, alpha=0.3) == np.mean(accepted)
    monkeypatch.setattr("adjudge.indices.batch_mixing._COUNTS", 100)
    assert adjudge.kbet(points, batches, n_neighbors=12, alpha=0.3) == np.mean(accepted)


def test_scaled_lisi_is_the_median_of_the_points() -> None:
    points, batches, _ = clouds()
    codes = np.unique(batches, return_inverse=True)[1]
    three = evaluate(X=points, labels=codes, indices=["scaled_ilisi", "scaled_clisi"], n_neighbors=90)
    assert three["scaled_ilisi"] == pytest.approx(1 - three["scaled_clisi"])


def test_one_batch_or_few_points_have_no_value() -> None:
    points, _, _ = clouds()
    for name in ("kbet", "scaled_ilisi", "scaled_clisi"):
        assert math.isnan(getattr(adjudge, name)(points, np.zeros(300, int)))
        found = evaluate(X=points[:20], labels=[0, 1] * 10, indices=name)
        assert "neighbours are needed" in found.reasons[name]
