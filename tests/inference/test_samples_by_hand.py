"""Counted cells of partitions beside plain counting of instances."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from adjudge.given.labels import Labels
from adjudge.inference.common import samples
from adjudge.inference.common.samples import Sample, joined, three_way

G, P, Q = np.random.default_rng(3).integers(0, 3, (3, 40))


def made(codes: np.ndarray) -> Labels:
    size = int(codes.max()) + 1
    return Labels(codes.astype(np.int64), 0, size, range(size))


def sample() -> Sample:
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


def test_pairs_without_an_instance() -> None:
    found = sample()
    codes = [grouping[0] for grouping in found.groupings[:3]]
    for cell, sums in enumerate(found.without_one()):
        first = next(i for i in range(40) if (G[i], P[i], Q[i]) == tuple(int(c[cell]) for c in codes))
        assert sums == tuple(pairs(*(np.delete(one, first) for one in labels)) for labels in ALL)


@pytest.mark.parametrize("most", [10_000, 50])
def test_placements_of_one_more_instance(most: int) -> None:
    """Its label of one prediction is another instance's; partners are counted among all instances."""
    found = sample()
    shares, partners = found.placements(most)
    assert shares.sum() == pytest.approx(1)
    assert partners.shape == (7, shares.size)
    cells = [codes for codes, _ in found.groupings[:3]]
    counted: dict[tuple[float, ...], float] = {}
    for share, column in zip(shares, partners.T, strict=True):
        counted[tuple(column)] = counted.get(tuple(column), 0.0) + float(share)
    expected: dict[tuple[float, ...], float] = {}
    for redrawn, (one, other) in product((1, 2), product(range(found.counts.size), repeat=2)):
        g, p, q = (int(cells[i][other if i == redrawn else one]) for i in range(3))
        masks = (g == G), (p == P), (q == Q)
        key = tuple(
            float(np.sum(mask))
            for mask in (*masks, masks[0] & masks[1], masks[0] & masks[2], masks[1] & masks[2], G >= 0)
        )
        share = found.counts[one] * found.counts[other] / 40**2 / 2
        expected[key] = expected.get(key, 0.0) + float(share)
    if most == 10_000:
        assert counted == pytest.approx(expected)
    else:
        assert counted.keys() <= expected.keys()


def test_jackknife_error_of_a_mean() -> None:
    """That of the mean is the usual standard error."""
    found = sample()
    values = np.random.default_rng(0).normal(size=found.counts.size)
    each = np.repeat(values, found.counts)
    without = (each.sum() - values) / 39
    assert found.jackknife_error(without) == pytest.approx(each.std(ddof=1) / np.sqrt(40))


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
    monkeypatch.setattr(samples, "_COUNTS_AT_ONCE", at_once * found.counts.size + 1)
    blocks = list(found.resamples(17, np.random.default_rng(0)))
    assert [len(block) for block in blocks] == [7, 7, 3]
    drawn = np.concatenate(blocks)
    assert (drawn.sum(axis=1) == 40).all()
    assert (drawn == np.random.default_rng(0).multinomial(40, found.counts / 40, size=17)).all()
    monkeypatch.setattr(samples, "_COUNTS_AT_ONCE", 1)
    assert [len(block) for block in found.resamples(3, np.random.default_rng(0))] == [1, 1, 1]
    assert found.resampled_sums(found.counts[None]) == [found.pair_sums]


def test_placements_are_drawn_by_how_many_instances_there_are() -> None:
    """The same ones each time: nine of ten instances lie in one cell."""
    counts = np.array([90, 4, 3, 3])
    grouped = Sample.groupings_of(*(np.array(codes) for codes in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0])))
    found = Sample(counts, grouped)
    assert found.placements(16)[0].size == 2 * 16  # all of them, for either prediction
    shares, partners = found.placements(15)
    assert (shares == 1 / 30).all()
    again = found.placements(15)
    assert (again[1] == partners).all()
    assert (partners[0] == 94).mean() > 0.8
    assert (partners[-1] == 100).all()
