"""Ranks of distances in order, and sums of their tails, beside a comparison of every distance with every other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from adjudge.engines.labellings import reduce_labellings
from adjudge.engines.pairs import buckets, reduction
from adjudge.engines.pairs import ranks as ranks_of_distances
from adjudge.engines.pairs.buckets import Buckets
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.points import reduce_points
from adjudge.engines.running.executor import Crew
from adjudge.errors import InputError
from adjudge.given.point_options import PointOptions
from adjudge.kernels.pair_ranks import sort_keys, tally_keys
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, TailSums

RANKED = {PairRanks, DistanceTies, TailSums}
Floats = NDArray[np.float64]


def shapes() -> dict[str, Floats]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 2))
    far = X.copy()
    far[0] = 1e9
    # Three quarters in one place, the others around them: many large distances are nearly equal, the smallest are 0.
    angles, radii = np.arange(400) * (2 * np.pi / 100), 2000 + 1e-7 * X[:, 0]
    around = np.column_stack([np.cos(angles), np.sin(angles)]) * radii[:, None]
    around[:300] = 0.0
    return {
        "plain": X,
        "lattice": np.round(2 * X),
        "one far away": far,
        "all equal": np.ones((400, 2)),
        "around a place": around,
    }


def labels_of(share: float) -> NDArray[np.int64]:
    """Three clusters, one of which has at least a share of the points: up to most pairs are within clusters."""
    rng = np.random.default_rng(4)
    return np.where(rng.random(400) < share, 0, rng.integers(0, 3, 400))


def naive(X: Floats, labels: NDArray[np.int64], metric: str = "euclidean") -> dict[str, Any]:
    """Compare every distance with every other, and add the sorted ones up one after the other."""
    distances = squareform(pdist(X, metric))[np.triu_indices(X.shape[0], 1)]
    joined = (labels[:, None] == labels[None, :])[np.triu_indices(X.shape[0], 1)]
    within, between = distances[joined], np.sort(distances[~joined])
    below, upto = np.searchsorted(between, within, "left"), np.searchsorted(between, within, "right")
    _, often = np.unique(distances, return_counts=True)
    ordered = np.sort(distances)
    return {
        "s_minus": int(below.sum()),
        "ties": int((upto - below).sum()),
        "tied": int((often * (often - 1) // 2).sum()),
        # A cumulative sum adds in order.
        "smallest": float(np.cumsum(ordered)[within.size - 1]),
        "largest": float(np.cumsum(ordered[::-1])[within.size - 1]),
    }


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("shape", shapes())
@pytest.mark.parametrize("share", [0.0, 0.6, 0.95])
@pytest.mark.parametrize(("few", "held"), [(True, 1 << 25), (False, 1 << 25), (False, 30_000)])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "minkowski"])
def test_ranks_are_those_of_one_order(
    shape: str, share: float, few: bool, held: int, metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, labels = shapes()[shape], labels_of(share)
    monkeypatch.setattr(reduction, "_FEW_DISTANCES", 1 << 30 if few else 0)
    monkeypatch.setattr(reduction, "_HELD", held)
    monkeypatch.setattr(ranks_of_distances, "_IN_CACHE", 1 << 12)
    told: list[tuple[int, int]] = []
    progress = lambda *now: told.append(now)  # noqa: E731
    found = reduce_points(X, labels, RANKED, n_jobs=2, metric=metric, progress=progress)
    assert told[-1][0] == told[-1][1]
    expected = naive(X, labels, metric)
    ranks, tails = found[PairRanks], found[TailSums]
    assert (ranks.s_minus, ranks.ties, found[DistanceTies].tied) == (
        expected["s_minus"],
        expected["ties"],
        expected["tied"],
    )
    assert ranks.s_plus + ranks.s_minus + ranks.ties == ranks.n_within * ranks.n_between
    assert (tails.smallest, tails.largest) == (expected["smallest"], expected["largest"])
    # What needs no sums, and no ties, leaves bins out.
    assert vars(reduce_points(X, labels, {PairRanks}, metric=metric)[PairRanks]) == vars(ranks)


@pytest.mark.parametrize("shape", shapes())
@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("metric", ["euclidean", "minkowski"])
def test_ranks_of_several_partitions_are_those_of_each(
    shape: str, few: bool, metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, rng = shapes()[shape], np.random.default_rng(5)
    monkeypatch.setattr(buckets, "_BUCKET_LOG2", 10)
    monkeypatch.setattr(buckets, "_CHUNK_LOG2", 12)
    monkeypatch.setattr(reduction, "_FEW_DISTANCES", 1 << 30 if few else 0)
    monkeypatch.setattr(ranks_of_distances, "_IN_CACHE", 1 << 12)
    # More than are ranked together, of one cluster and of single points as well.
    partitions = {k: np.unique(rng.integers(0, k, 400), return_inverse=True)[1] for k in range(1, 67)}
    partitions |= {400: np.arange(400), 0: labels_of(0.95)}
    options = PointOptions(metric=metric, n_jobs=2)
    found = reduce_labellings(X, partitions, RANKED, options=options)
    for k, codes in partitions.items():
        alone = reduce_points(X, codes, RANKED, metric=metric)
        assert found[k].keys() == RANKED
        assert all(vars(found[k][t]) == vars(alone[t]) for t in RANKED - {TailSums}), k
        # Sums within clusters come from a pass that adds in another order if it counts bins as well.
        assert vars(found[k][TailSums]) == pytest.approx(vars(alone[TailSums]), rel=1e-14)
    expected = naive(X, partitions[0], metric)
    tails = found[0][TailSums]
    assert (tails.smallest, tails.largest) == (expected["smallest"], expected["largest"])


def test_several_partitions_are_ranked_together_if_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    X, passes = shapes()["plain"], []
    one = ranks_of_distances.ranks_of_several
    monkeypatch.setattr(reduction, "ranks_of_several", lambda *given: passes.append(given) or one(*given))
    partitions = {k: np.arange(400) % k for k in (2, 3)}
    for limit, n in ((1 << 23, 1), (1 << 20, 1)):
        found = reduce_labellings(X, partitions, {PairRanks}, options=PointOptions(memory_limit=limit))
        assert len(passes) == n
        assert {k: set(own) for k, own in found.items()} == {2: {PairRanks}, 3: {PairRanks}}


@pytest.mark.parametrize("shape", shapes())
@pytest.mark.parametrize("share", [0.0, 0.6, 0.95])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_tails_that_are_too_many_to_hold_are_summed_to_rounding(
    shape: str, share: float, metric: str
) -> None:
    X, labels = shapes()[shape], labels_of(share)
    ordered = np.sort(pdist(X, metric))
    runs = [
        reduce_points(X, labels, {TailSums}, metric=metric, memory_limit=1 << 13, bins=bins, n_jobs=jobs)[
            TailSums
        ]
        for bins, jobs in ((1 << 16, 1), (1 << 16, 2), (1 << 20, 1))
    ]
    assert vars(runs[0]) == vars(runs[1])
    for tails in runs:
        assert tails.smallest == pytest.approx(math.fsum(ordered[: tails.n_within]), rel=1e-13)
        assert tails.largest == pytest.approx(math.fsum(ordered[-tails.n_within :]), rel=1e-13)


def test_each_call_of_a_function_is_remembered() -> None:
    X, calls = np.arange(40.0).reshape(-1, 1), []

    def metric(a: Any, b: Any) -> float:
        calls.append(1)
        return float(abs(a[0] - b[0]))

    for wanted in ({PairRanks, TailSums}, {TailSums}):
        calls.clear()
        reduce_points(X, np.arange(40) % 3, wanted, metric=metric, n_jobs=1)
        # Some pairs are called both ways to see whether the function is symmetric.
        assert len(calls) == 40 * 39 // 2 + 2 * 64


def test_keys_in_order_are_compared_as_one_by_one(rng: np.random.Generator) -> None:
    values = rng.integers(0, 30, 400) / 7
    kinds = rng.integers(0, 2, 400)
    keys = np.sort(values.view(np.uint64) << np.uint64(1) | kinds.astype(np.uint64))
    own, others = values[kinds == 1], values[kinds == 0]
    pairs = (values[:, None] == values[None, :])[np.triu_indices(400, 1)]
    assert tally_keys(keys) == (
        int((own[:, None] > others).sum()),
        int((own[:, None] == others).sum()),
        int(pairs.sum()),
    )


@pytest.mark.parametrize("n", [0, 1, 17, 5000, (1 << 20) + 3])
def test_keys_of_each_bucket_are_sorted(n: int, rng: np.random.Generator) -> None:
    values = rng.random(n)
    kinds = {
        "even": values,
        "a lattice": np.floor(20 * values),
        "one": np.zeros(n),
        "nearly one": 1 + 1e-15 * values,
    }
    kinds |= {
        "over many powers": 2.0 ** (600 * values),
        "one far away": np.append(values[1:], [1e300] * min(n, 1)),
    }
    for name, distances in kinds.items():
        keys = distances.view(np.uint64) << np.uint64(1) | rng.integers(0, 2, n).astype(np.uint64)
        edges = np.array([n // 5, n // 2, n // 2, n])
        expected = np.concatenate([keys[: n // 5], np.sort(keys[n // 5 : n // 2]), np.sort(keys[n // 2 :])])
        sort_keys(keys, edges)
        assert np.array_equal(keys, expected), name
    with pytest.raises(ValueError, match="buckets beyond the keys"):
        sort_keys(np.zeros(n, np.uint64), np.array([0, n + 1]))


def test_more_distances_than_were_counted_are_refused() -> None:
    wanted = np.ones(1, bool)
    many = Buckets(Histogram.of_one_bin(2, 1), wanted)
    with pytest.raises(InputError, match="different distances for the same points"):
        many.put(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    few = Buckets(Histogram.of_one_bin(2, 1), wanted)
    few.put(np.array([1.0]), np.array([3.0]))
    with pytest.raises(InputError, match="different distances for the same points"):
        few.tally(Crew(1))


@pytest.mark.parametrize("times", [1, 4])
def test_distances_in_order_are_held_once(times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import tracemalloc

    rng = np.random.default_rng(0)
    monkeypatch.setattr(reduction, "_HELD", -(-3500 * 3499 // 2 // times))
    X, labels = rng.normal(size=(3500, 2)), np.arange(3500) % 4
    reduce_points(X[:200], labels[:200], RANKED)
    tracemalloc.start()
    reduce_points(X, labels, RANKED, memory_limit=1 << 27, n_jobs=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Bins, and a task, come on top.
    assert peak < 3500 * 3499 // 2 * 8 // times + (1 << 24)
