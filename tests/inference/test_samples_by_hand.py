"""Counted cells of partitions beside plain counting of instances."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from adjudge.given.labels import Labels
from adjudge.inference.samples import Sample, joined, three_way

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
