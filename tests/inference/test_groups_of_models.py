"""Which models are alike, and what the data say of each two of them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.given.labels import Labels
from adjudge.given.score_table import ScoreTable
from adjudge.inference.classes.outcome_intervals import classification_intervals
from adjudge.inference.common.samples import three_way
from adjudge.inference.data_sets.rank_comparison import alike_groups, pairwise_tests
from adjudge.inference.differences import head_to_head
from adjudge.inference.differences.head_to_head import assess_classifiers, assess_clusterings, takes_long
from adjudge.inference.partitions.intervals import clustering_intervals
from adjudge.statistics import Agreement


@pytest.mark.parametrize("seed", range(12))
def test_groups_of_models_that_are_alike_by_trying_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"m{i}" for i in rng.permutation(6)]
    alike = {frozenset(pair) for pair in combinations(names, 2) if rng.random() < 0.15 * (seed % 6 + 1)}

    def fits(group: tuple[str, ...]) -> bool:
        return all(frozenset(pair) in alike for pair in combinations(group, 2))

    found = [list(g) for size in range(2, 7) for g in combinations(names, size) if fits(g)]
    largest = [g for g in found if not any(set(g) < set(other) for other in found)]
    expected = sorted(largest, key=lambda g: [names.index(name) for name in g])
    assert alike_groups(names, alike) == expected


def labels(codes: list[int]) -> Labels:
    size = max(codes) + 1
    return Labels(np.array(codes), 0, size, range(size))


def test_classifiers_are_tested_once_a_pair() -> None:
    """Both orders have the same test, with its p-value corrected for all pairs."""
    cells = {("a", "b"): (50, 12, 5, 5), ("b", "c"): (52, 3, 9, 8), ("a", "c"): (55, 9, 2, 6)}
    agreements = {}
    for (p, q), (br, rw, wr, bw) in cells.items():
        agreements[p, q], agreements[q, p] = Agreement(br, rw, wr, bw), Agreement(br, wr, rw, bw)
    found = assess_classifiers(agreements, 0.9)
    assert found.keys() == agreements.keys()
    raw = [adjudge.inference.mcnemar_test(agreements[pair]).p_value for pair in cells]
    adjusted = adjudge.inference.adjust_p_values(raw)
    for pair, p, corrected in zip(cells, raw, adjusted, strict=True):
        for order in (pair, pair[::-1]):
            told = found[order].tested
            assert told["p_value"] == p
            assert told["adjusted_p_value"] == corrected
            assert (told["name"], told["method"], told["reason"]) == ("McNemar's test", "mid-p", None)
            assert told["hypothesis"] == adjudge.inference.mcnemar_test(agreements[pair]).hypothesis
            assert {interval.confidence for interval in found[order].intervals.values()} == {0.9}
        one, other = (found[order].intervals["comparative_deviation"] for order in (pair, pair[::-1]))
        assert [one.low, one.high] == pytest.approx([-other.high, -other.low])


def test_clusterings_are_tested_once_a_pair() -> None:
    g, p, q = np.random.default_rng(0).integers(0, 3, (3, 60)).tolist()
    samples = {("p", "q"): three_way(labels(g), labels(p), labels(q))}
    samples["q", "p"] = samples["p", "q"].swapped()
    found = assess_clusterings(samples, 0.8)
    told = [found[pair].tested for pair in samples]
    assert told[0] == told[1]
    assert told[0]["name"] == "Test of equal Rand indices"
    assert told[0]["p_value"] == pytest.approx(adjudge.inference.equal_goodness_test(g, p, q).p_value)
    one, other = (found[pair].intervals["comparative_deviation"] for pair in samples)
    assert [one.low, one.high] == pytest.approx([-other.high, -other.low])
    assert one.confidence == 0.8


def test_many_combinations_of_clusters_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the truth and two clusterings there are at most as many as clusters multiply, or instances."""
    truth = labels([0, 1, 2, 3] * 5)
    two, three, five = labels([0, 1] * 10), labels([0, 1, 2, 2] * 5), labels([0, 1, 2, 3, 4] * 4)
    for clusterings, n in (([two, three], 20), ([two, two], 16), ([two, three, five], 60), ([two], 0)):
        for most, long in ((n, False), (n - 1, True)):
            monkeypatch.setattr(head_to_head, "MOST_CELLS", most)
            assert takes_long(truth, clusterings) is long


def test_pairs_of_models_as_a_table() -> None:
    rows = np.random.default_rng(0).normal([0, 0, 2], 1, (12, 3))
    found = pairwise_tests(ScoreTable.of(range(12), "abc", rows, "higher"))
    assert len(found) == 3 == len(list(found))
    assert repr(found).startswith("Pairs of models: ranks, shaffer")
    assert "<table" in found._repr_html_()
    assert found.table().columns == ("first", "second", "data sets", "statistic", "p", "p (adjusted)")
    shown = [row[5] for row in found.table().rows]
    assert shown == sorted(shown)
    assert (
        {row[:2] for row in found.table().rows[:2]} == {("a", "c"), ("b", "c")} == set(found.different(0.05))
    )
    against = pairwise_tests(ScoreTable.of(range(12), "abc", rows, "higher"), control="c")
    assert repr(against).startswith("Pairs of models: ranks, holm, each against c")
    with pytest.raises(KeyError):
        against["a", "b"]
    assert math.isclose(against["a", "c"], against["c", "a"])


def test_intervals_of_comparisons_are_those_of_their_kind() -> None:
    g, p, q = np.random.default_rng(1).integers(0, 3, (3, 40))
    of_clusterings = adjudge.inference.comparison_intervals(g, p, q, kind="clustering", confidence=0.9)
    assert of_clusterings == clustering_intervals(g, p, q, confidence=0.9)
    drawn = {"method": "percentile", "n_resamples": 9, "random_state": 3}
    assert adjudge.inference.comparison_intervals(
        g, p, q, kind="clustering", **drawn
    ) == clustering_intervals(g, p, q, **drawn)
    right, other = p == g, q == g
    counts = [int(np.sum(cell)) for cell in (right & other, right & ~other, ~right & other, ~right & ~other)]
    of_classifiers = adjudge.inference.comparison_intervals(g, p, q, kind="classification", confidence=0.9)
    assert of_classifiers == classification_intervals(Agreement(*counts), confidence=0.9)
    with pytest.raises(InputError, match=r"^kind='nonsense'"):
        adjudge.inference.comparison_intervals(g, p, q, kind="nonsense")
