"""Sums of distances of each point to each cluster, beside their definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

from adjudge import evaluate
from adjudge.engines import cluster_sums
from adjudge.engines.cluster_sums import sums_to_clusters
from adjudge.engines.pairs import strips

SIZES = {
    "few large clusters": [300, 200, 100],
    "many small ones": [2] * 150,
    "large and small": [250, 5, 2, 2, 40, 3, 8],
    "one": [50],
}


def drawn(sizes: list[int], p: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(len(sizes))
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.normal(size=(codes.size, p)) + rng.normal(size=(len(sizes), p))[codes], codes


def by_definition(distances: Any, codes: Any) -> Any:
    return np.stack(
        [distances[:, codes == cluster].sum(axis=1) for cluster in range(codes.max() + 1)], axis=1
    )


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize(("metric", "p"), [("euclidean", 3), ("euclidean", 200), ("cosine", 4), ("cosine", 300),
                                           ("cityblock", 3), ("canberra", 2)])  # fmt: skip
def test_sums_to_clusters(sizes: list[int], metric: str, p: int) -> None:
    X, codes = drawn(sizes, p)
    expected = by_definition(cdist(X, X, metric), codes)
    assert sums_to_clusters(X, codes, metric) == pytest.approx(expected, rel=1e-11, abs=1e-10)


def test_clusters_in_parts() -> None:
    whole = strips.Strips.of(np.zeros(40_000, np.int64), np.array([40_000]))
    assert len(whole.each) > 1
    X, codes = drawn([20_000, 300, 17_000], 2)
    found = sums_to_clusters(X, codes, "euclidean")
    some = np.random.default_rng(0).choice(codes.size, 50, replace=False)
    distances = cdist(X[some], X)
    expected = np.stack([distances[:, codes == cluster].sum(axis=1) for cluster in range(3)], axis=1)
    assert found[some] == pytest.approx(expected, rel=1e-11)


def test_digits_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes = drawn([400, 300], 3)
    asked = []
    real = cluster_sums.Crew.of
    monkeypatch.setattr(
        cluster_sums.Crew, "of", lambda n_jobs, told: asked.append(n_jobs) or real(n_jobs, told)
    )
    alone, together = (sums_to_clusters(X, codes, "euclidean", n_jobs) for n_jobs in (1, 2))
    assert (alone == together).all()
    assert asked == [1, 2]
    asked.clear()
    evaluate(X=X, labels=codes, indices="silhouette", confidence=0.95, n_jobs=1)
    assert set(asked) == {1}


@pytest.mark.full
def test_other_distances() -> None:
    X, codes = drawn(SIZES["large and small"], 4)

    def own(a: Any, b: Any) -> float:
        return float(np.abs(a - b).max())

    distances = cdist(X, X, own)
    expected = by_definition(distances, codes)
    assert sums_to_clusters(X, codes, own) == pytest.approx(expected, rel=1e-12)
    assert sums_to_clusters(distances, codes, "precomputed") == pytest.approx(expected, rel=1e-12)
    filled = np.where(X > 0.5, X, 0.0) + np.array([0.1, 0, 0, 0])
    expected = by_definition(cdist(filled, filled, "cosine"), codes)
    assert sums_to_clusters(csr_matrix(filled), codes, "cosine") == pytest.approx(
        expected, rel=1e-9, abs=1e-9
    )
