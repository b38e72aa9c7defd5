"""Counted cells of partitions beside plain counting of instances."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.given.labels import Labels
from adjudge.inference.common.samples import CrossTabulation, joined, three_way

G, P, Q = np.random.default_rng(3).integers(0, 3, (3, 40))


def made(codes: np.ndarray) -> Labels:
    size = int(codes.max()) + 1
    return Labels(codes.astype(np.int64), 0, size, range(size))


def sample() -> CrossTabulation:
    return three_way(made(G), made(P), made(Q))


def test_joined_labels_run_over_all_pairs() -> None:
    both = joined(made(G), made(P))
    assert np.subtract(both.codes, both.low).tolist() == (G * 3 + P).tolist()
    assert both.n_codes == 9


def pairs(*labels: np.ndarray) -> int:
    _, sizes = np.unique(np.stack(labels), axis=1, return_counts=True)
    return int((sizes * (sizes - 1) // 2).sum())


ALL = ((G,), (P,), (Q,), (G, P), (G, Q), (P, Q))


def test_pairs_of_a_sample() -> None:
    found = sample()
    assert found.n == 40
    assert found.pair_sums == tuple(pairs(*labels) for labels in ALL)
    assert found.swapped().pair_sums == tuple(
        pairs(*labels) for labels in ((G,), (Q,), (P,), (G, Q), (G, P), (P, Q))
    )


@pytest.mark.parametrize("sizes", [(9, 2, 3), (2, 9, 1), (3, 1, 12), (1, 1, 1), (7, 7, 7)])
def test_pairs_of_any_numbers_of_clusters(sizes: tuple[int, int, int]) -> None:
    """Rows may stand for several instances, and codes need not start at 0."""
    rng = np.random.default_rng(sum(sizes))
    g, p, q = (rng.integers(0, size, 30) for size in sizes)
    weights = rng.integers(1, 4, 30)

    def shifted(codes: np.ndarray, size: int) -> Labels:
        return Labels(codes.astype(np.int64) - 5, -5, size, range(size))

    labels = [shifted(codes, size) for codes, size in zip((g, p, q), sizes, strict=True)]
    found = three_way(*labels, weights=weights)
    every = [np.repeat(codes, weights) for codes in (g, p, q)]
    one, first, second = ((codes,) for codes in every)
    groups = (one, first, second, one + first, one + second, first + second)
    assert found.n == weights.sum()
    assert found.pair_sums == tuple(pairs(*own) for own in groups)
    assert three_way(*labels).pair_sums == tuple(
        pairs(*own) for own in ((g,), (p,), (q,), (g, p), (g, q), (p, q))
    )


def test_resamples_come_in_blocks_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sample()
    at_once = 7
    monkeypatch.setattr("adjudge.array_types.BLOCK", at_once * found.counts.size + 1)
    blocks = list(found.resamples(17, np.random.default_rng(0)))
    assert [len(block) for block in blocks] == [7, 7, 3]
    drawn = np.concatenate(blocks)
    assert (drawn.sum(axis=1) == 40).all()
    assert (drawn == np.random.default_rng(0).multinomial(40, found.counts / 40, size=17)).all()
    monkeypatch.setattr("adjudge.array_types.BLOCK", 1)
    assert [len(block) for block in found.resamples(3, np.random.default_rng(0))] == [1, 1, 1]
    assert found.resampled_sums(found.counts[None]) == [found.pair_sums]
