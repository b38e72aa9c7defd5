"""Ranks of distances that are brought into order batch by batch: the digits are those of all in order at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from adjudge.engines.pairs import order_statistics, reduction
from adjudge.engines.pairs.buckets import Buckets
from adjudge.engines.pairs.counted_ranges import everything, first_keys
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.points import reduce_points
from adjudge.engines.running.executor import Crew
from adjudge.errors import InputError
from adjudge.kernels.pair_ranks import tally_keys
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, TailSums

RANKED = {PairRanks, DistanceTies, TailSums}
Floats = NDArray[np.float64]


def shapes() -> dict[str, Floats]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 2))
    far = X.copy()
    far[0] = 1e9
    return {"plain": X, "lattice": np.round(2 * X), "one far away": far, "all equal": np.ones((400, 2))}


def labels_of(share: float) -> NDArray[np.int64]:
    """Three clusters, one of which has at least a share of the points: up to most pairs are within clusters."""
    rng = np.random.default_rng(4)
    return np.where(rng.random(400) < share, 0, rng.integers(0, 3, 400))


def naive(X: Floats, labels: NDArray[np.int64]) -> dict[str, Any]:
    """Compare every distance with every other, and add the sorted ones up one after the other."""
    distances = squareform(pdist(X))[np.triu_indices(X.shape[0], 1)]
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
@pytest.mark.parametrize("most", [2000, 20_000, 1 << 20])
@pytest.mark.parametrize("held", [True, False])
def test_batches_give_the_digits_of_one_order(
    shape: str, share: float, most: int, held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, labels = shapes()[shape], labels_of(share)
    monkeypatch.setattr(reduction, "_FEW_DISTANCES", 1 << 30 if held else 0)
    monkeypatch.setattr(reduction, "_batch", lambda job: most)
    monkeypatch.setattr("adjudge.engines.pairs.ranks._FEW", 0)
    monkeypatch.setattr(order_statistics, "_IN_CACHE", 1 << 12)
    found = reduce_points(X, labels, RANKED, n_jobs=2)
    expected = naive(X, labels)
    ranks, tails = found[PairRanks], found[TailSums]
    assert (ranks.s_minus, ranks.ties, found[DistanceTies].tied) == (
        expected["s_minus"],
        expected["ties"],
        expected["tied"],
    )
    assert ranks.s_plus + ranks.s_minus + ranks.ties == ranks.n_within * ranks.n_between
    assert (tails.smallest, tails.largest) == (expected["smallest"], expected["largest"])
    # What needs no sums, and no ties, leaves ranges out.
    assert vars(reduce_points(X, labels, {PairRanks})[PairRanks]) == vars(ranks)


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


@pytest.mark.parametrize("largest", [1e-300, 0.3, 7.0, 1e200])
def test_bins_begin_where_the_kernel_counts_from(largest: float) -> None:
    histogram = Histogram.up_to(largest, 1000)
    bins = np.arange(1, 1000)
    keys = first_keys(histogram, bins)
    assert (np.floor(keys.view(np.float64) * histogram.scale) >= bins).all()
    assert (np.floor((keys - 1).view(np.float64) * histogram.scale) < bins).all()


def test_more_distances_than_were_counted_are_refused() -> None:
    buckets = Buckets(everything(2, 1))
    with pytest.raises(InputError, match="different distances for the same points"):
        buckets.put(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    few = Buckets(everything(2, 1))
    few.put(np.array([1.0]), np.array([3.0]))
    with pytest.raises(InputError, match="different distances for the same points"):
        few.tally(Crew(1))


def test_a_batch_takes_a_third_of_the_memory_of_all_distances() -> None:
    import tracemalloc

    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(3500, 2)), np.arange(3500) % 4
    reduce_points(X[:200], labels[:200], RANKED)
    tracemalloc.start()
    reduce_points(X, labels, RANKED, memory_limit=1 << 26, n_jobs=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Of 49 MB of distances a quarter of the limit is in order at a time; bins, and a task, come on top.
    assert peak < (1 << 24) + (1 << 23) + (1 << 22)
