"""Points in many dimensions: products of matrices give what the definition in extended precision gives."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.engines.pairs import meetings, products, strips
from adjudge.engines.pairs.extremes import error_bound
from adjudge.engines.points import reduce_points
from adjudge.errors import InputError
from adjudge.kernels.extremes import find_candidates
from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    Hausdorff,
    PairRanks,
    PairSums,
    Silhouettes,
    SingleLinkage,
)
from digits import digits, digits_of_all
from naive_distances import distances, silhouette_widths

SUMS = (PairSums, Silhouettes)
rng = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _products_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Multiply in as many dimensions on any machine."""
    crossing = {"float64": 96, "float32": 24}
    monkeypatch.setattr("adjudge.engines.pairs.euclidean_embeddings.many_dimensions", crossing.__getitem__)


def clouds() -> dict[str, tuple[Any, Any]]:
    """Points that make products lose digits, and some that do not."""
    plain = rng.normal(size=(300, 130)) + rng.normal(size=(4, 130))[np.arange(300) % 4]
    twins = plain.copy()
    # Of many points there is another one at a distance of 1e-6, or none at all.
    twins[150:250] = twins[:100] + 1e-7 * rng.normal(size=(100, 130))
    twins[250:] = twins[:50]
    return {
        "plain": (plain, np.arange(300) % 4),
        "close": (twins, np.arange(300) % 3),
        "far from 0": (np.round(plain, 3) + 1e4, np.arange(300) % 4),
        "tight clusters": (plain[np.arange(300) % 5] + 1e-5 * plain, np.arange(300) % 5),
        "many small clusters": (plain, np.arange(300) % 120),
        "large and small": (plain, np.minimum(np.arange(300), 60)),
        "equal": (np.ones((40, 200)), np.arange(40) % 3),
        "one cluster": (plain[:50], np.zeros(50, int)),
    }


CLOUDS = clouds()


def check(found: Any, D: Any, codes: Any, tolerance: float) -> None:
    k = codes.max() + 1
    joined = codes[:, None] == codes[None, :]
    within = np.array([D[np.ix_(codes == c, codes == c)].sum() / 2 for c in range(k)], float)
    np.testing.assert_allclose(found[PairSums].within, within, rtol=tolerance, atol=1e-300)
    np.testing.assert_allclose(found[PairSums].between, float(D[~joined].sum() / 2), rtol=tolerance)
    if k == 1:
        return
    widths, off = silhouette_widths(D, codes), 10 * tolerance
    np.testing.assert_allclose(found[Silhouettes].values, widths, rtol=off, atol=off)


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation"])
@pytest.mark.parametrize("name", CLOUDS)
def test_is_the_definition(name: str, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes = CLOUDS[name]
    if name == "equal" and metric != "euclidean":
        X = X + np.arange(200)
    D = distances(X, metric)
    # Unit rows are rounded: of points this close in direction that is what is left of their distance.
    tolerance = 1e-11 if name not in ("far from 0", "tight clusters") or metric == "euclidean" else 1e-6
    with monkeypatch.context() as patch:
        patch.setattr(products, "_ROWS", 24)
        patch.setattr(products, "_COLUMNS", 56)
        check(reduce_points(X, codes, SUMS, metric=metric), D, codes, tolerance)
    whole = reduce_points(X, codes, SUMS, metric=metric)
    check(whole, D, codes, tolerance)
    # By tiles, as for anything else that is wanted of the distances.
    tiled = reduce_points(X, codes, (*SUMS, Hausdorff), metric=metric)
    check(tiled, D, codes, tolerance)
    # Without room for a copy each block is read when it is needed.
    poor = reduce_points(X, codes, SUMS, metric=metric, memory_limit=1 << 10)
    assert poor[Silhouettes].values.tobytes() == whole[Silhouettes].values.tobytes()


@pytest.mark.full
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_single_precision_keeps_its_bound(metric: str) -> None:
    for name in ("plain", "close", "many small clusters", "large and small"):
        X, codes = CLOUDS[name]
        X = X.astype(np.float32)
        found = reduce_points(X, codes, SUMS, metric=metric, precision="float32")
        check(found, distances(X, metric), codes, 1e-6)
        exact = reduce_points(X, codes, SUMS, metric=metric)
        # Squared distances to a few centroids are not rounded, either.
        from_centroids = metric == "cosine" and codes.size >= 8 * (codes.max() + 1)
        assert (found[PairSums].between == exact[PairSums].between) == from_centroids
        # All else is computed in double precision.
        others = (Diameters, SingleLinkage, PairRanks)
        one, two = (
            reduce_points(X, codes, others, metric=metric, precision=p) for p in ("float32", "float64")
        )
        assert one[SingleLinkage].smallest == two[SingleLinkage].smallest
        assert one[PairRanks] == two[PairRanks] or vars(one[PairRanks]) == vars(two[PairRanks])
    with pytest.raises(InputError, match="precision='half'"):
        adjudge.evaluate(X=X, labels=codes, indices="silhouette", precision="half")


def test_who_computes_changes_no_digit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 200)
    monkeypatch.setattr(meetings, "_WORTH_THREADS", 1000)
    monkeypatch.setattr(meetings, "_WORTH_SENDING", 100_000)
    X = rng.normal(size=(1500, 100))
    codes = np.minimum(np.arange(1500) % 7, 3)
    types = (*SUMS, Diameters, SingleLinkage)
    runs = digits_of_all(X, codes, types, tmp_path)
    assert len(runs) == 1
    # Elsewhere, too, the extremes come from products.
    assert runs != {repr(digits(reduce_points(X, codes, types, precision="float32")))}


@pytest.mark.full
def test_the_threads_of_blas_change_no_digit(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, adjudge\n"
        "from adjudge.engines.pairs import euclidean_embeddings\n"
        "euclidean_embeddings.many_dimensions = lambda precision: 96\n"
        "X = np.random.default_rng(0).normal(size=(900, 200))\n"
        "print(adjudge.silhouette(X, np.arange(900) % 3).hex())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, str(script)],
            env={**__import__("os").environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(found) == 1


@pytest.mark.parametrize("p", [3, 200])
def test_rows_without_a_direction_are_named(p: int) -> None:
    X = rng.normal(size=(20, p))
    X[7] = 0.0
    with pytest.raises(InputError, match=r"only zeros in row 7: its cosine distances are undefined"):
        adjudge.silhouette(X, np.arange(20) % 2, metric="cosine")
    X[7] = 2.5
    adjudge.silhouette(X, np.arange(20) % 2, metric="cosine")
    with pytest.raises(InputError, match=r"only equal values in row 7: its correlation distances are"):
        adjudge.silhouette(X, np.arange(20) % 2, metric="correlation")


def test_rows_of_any_length_have_a_direction() -> None:
    X = rng.normal(size=(60, 8))
    codes = np.arange(60) % 3
    plain = adjudge.dunn(X, codes, metric="cosine")
    scales = 10.0 ** rng.uniform(-60, 60, 60)
    assert adjudge.dunn(X * scales[:, None], codes, metric="cosine") == pytest.approx(plain, rel=1e-12)


def test_single_precision_points_keep_the_limit_of_memory() -> None:
    X = rng.normal(size=(6000, 256)).astype(np.float32)
    codes = np.arange(6000) % 3
    reduce_points(X[:300], codes[:300], [Silhouettes], memory_limit=1 << 20)
    tracemalloc.start()
    reduce_points(X, codes, [Silhouettes], memory_limit=1 << 20, n_jobs=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Neither of the 12 MB of the copy in double precision, nor of the 6 MB of one in single: blocks alone.
    assert peak < 12 * 2**20


EXTREMES = (Diameters, SingleLinkage, CompleteLinkage)


def hard_for_extremes() -> dict[str, tuple[Any, Any]]:
    generator = np.random.default_rng(1)
    plain = generator.normal(size=(600, 99)) + 3 * generator.normal(size=(4, 99))[np.arange(600) % 4]
    tight = plain[np.arange(600) % 4] + 1e-3 * generator.normal(size=(600, 99))
    pair = plain.copy()
    pair[200] = pair[201] + 1e-9
    equal = np.repeat(plain[:6], 100, axis=0)
    lattice = generator.integers(0, 2, size=(600, 99)).astype(float)
    return {
        "plain": (plain, np.arange(600) % 4),
        "large groups": (
            np.repeat(plain, 3, axis=0) + generator.normal(size=(1800, 99)),
            np.arange(1800) // 1100,
        ),
        "one cluster": (plain, np.zeros(600, int)),
        "tight": (tight, np.arange(600) % 4),
        "spread of 1e-7 far from 0": (1e-7 * plain + 1.0, np.arange(600) % 3),
        "nearly one point": (pair, np.arange(600) % 4),
        "equal points": (equal, np.arange(600) % 4),
        "many ties": (lattice, np.arange(600) % 4),
    }


@pytest.mark.full(keep=8)
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("name", hard_for_extremes())
def test_extremes_have_the_digits_of_differences(
    name: str, metric: str, precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, codes = hard_for_extremes()[name]
    with monkeypatch.context() as patch:
        patch.setattr("adjudge.engines.pairs.euclidean_embeddings.many_dimensions", lambda precision: 10**9)
        expected = reduce_points(X, codes, EXTREMES, metric=metric)
    met: list[str] = []
    meet = products.ProductPoints.meet
    monkeypatch.setattr(
        products.ProductPoints, "meet", lambda self, *given: met.append("a meeting") or meet(self, *given)
    )
    monkeypatch.setattr(products, "_ROWS", 96)
    monkeypatch.setattr(products, "_COLUMNS", 160)
    monkeypatch.setattr("adjudge.engines.pairs.extremes._MEASURED", 50)
    for types in (EXTREMES, (*EXTREMES, *SUMS)):
        found = reduce_points(X, codes, types, metric=metric, precision=precision)
        assert found[Diameters].values.tobytes() == expected[Diameters].values.tobytes()
        for linkage in (SingleLinkage, CompleteLinkage):
            assert found[linkage].matrix.tobytes() == expected[linkage].matrix.tobytes()
            assert str(found[linkage].smallest) == str(expected[linkage].smallest)
    assert met


def test_the_bound_of_the_filter_holds() -> None:
    for p in (24, 130, 700):
        X = rng.normal(size=(200, p)) * 10.0 ** rng.integers(-3, 3, (200, 1)) + 5
        exact = distances(X, "euclidean") ** 2
        for precision in ("float64", "float32"):
            rows = (X - X.mean(axis=0)).astype(precision)
            squares = np.einsum("ij,ij->i", rows, rows)
            found = (squares[:, None] + squares) - 2 * (rows @ rows.T)
            off = np.abs(found - exact) / (squares[:, None] + squares)
            bound = error_bound(p, np.dtype(precision))
            assert off.max() < bound / 2
            assert off.max() > bound / 10**4


def test_pairs_within_a_cluster_are_no_candidates_for_the_closest() -> None:
    places = np.array([0.0, 1.0, 3.0, 7.0])
    squares, exact, own = (places[:, None] - places) ** 2, np.zeros(4), np.array([0, 0, 1, 1])
    least, most = np.full((2, 2), np.inf), np.full((2, 2), -1.0)
    lows, highs, low_pairs, high_pairs = *np.empty((2, 16)), *np.empty((2, 16), np.int64)
    n_low, n_high = find_candidates(
        squares, exact, exact, own, np.array([0, 2, 4]), 0, 0, least, most, lows, low_pairs, highs, high_pairs
    )
    rows, columns = np.divmod(low_pairs[:n_low], 4)
    assert (own[rows] != own[columns]).all()
    assert least.tolist() == [[np.inf, np.inf], [4.0, np.inf]]
    assert most.tolist() == [[1.0, -1.0], [49.0, 16.0]]
    assert {4, 12, 14} <= set(high_pairs[:n_high].tolist())
