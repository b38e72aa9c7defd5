"""Nobody needs the distance of a point to itself: where a metric has none, or one by rounding, nothing is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import squareform

import adjudge
from adjudge import InputError
from conftest import raises_line

CODES = np.arange(30) % 3


def rows_with_one_of_zeros(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (30, 6))
    rows[:, 0] |= ~rows.any(axis=1)
    rows[3] = 0
    return rows


def distances(rows: np.ndarray, metric: str) -> np.ndarray:
    from scipy.spatial.distance import pdist

    return squareform(pdist(rows, metric))


@pytest.mark.parametrize("metric", ["dice", "sokalsneath", "braycurtis", "jaccard", "canberra"])
@pytest.mark.parametrize("index", ["silhouette", "dunn", "c_index", "gamma", "mcclain_rao"])
def test_a_row_of_zeros_has_distances_to_the_others(metric: str, index: str) -> None:
    rows = rows_with_one_of_zeros()
    points = rows.astype(bool if metric in ("dice", "sokalsneath", "jaccard") else float)
    function = getattr(adjudge, index)
    expected = function(distances(points, metric), CODES, metric="precomputed")
    assert function(points, CODES, metric=metric) == pytest.approx(expected, rel=1e-12)


def test_two_rows_of_zeros_have_no_distance() -> None:
    rows = rows_with_one_of_zeros()
    rows[17] = 0
    with raises_line(
        InputError,
        "metric='dice' gives nan for the points 3 and 17: distances are finite and not negative",
    ):
        adjudge.silhouette(rows.astype(bool), CODES, metric="dice")


def test_rounding_on_the_diagonal_is_forgiven() -> None:
    X = np.random.default_rng(0).normal(size=(30, 50))
    D = 1 - np.corrcoef(X)
    assert np.diag(D).any()
    clean = D.copy()
    np.fill_diagonal(clean, 0.0)
    for index in (adjudge.silhouette, adjudge.dunn, adjudge.point_biserial, adjudge.gdi62):
        assert index(D, CODES, metric="precomputed") == pytest.approx(
            index(clean, CODES, metric="precomputed"), rel=1e-12
        )
    single = D.astype(np.float32)
    single[5, 5] = 1e-6
    assert adjudge.silhouette((single + single.T) / 2, CODES, metric="precomputed") == pytest.approx(
        adjudge.silhouette(clean, CODES, metric="precomputed"), abs=1e-5
    )


@pytest.mark.parametrize("value", [1e-10, -1e-10, 0.5])
def test_more_than_rounding_is_not(value: float) -> None:
    D = distances(np.random.default_rng(0).normal(size=(30, 2)), "euclidean")
    D[4, 4] = value
    with raises_line(
        InputError, f"X has {value!r} on its diagonal at 4: the distance of a point to itself must be 0"
    ):
        adjudge.silhouette(D, CODES, metric="precomputed")
