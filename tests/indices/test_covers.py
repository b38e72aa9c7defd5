"""Indices of overlapping clusterings against published programs' values, and against their definitions."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import adjudge
from adjudge import Cover, InputError, InputTypeError, evaluate
from adjudge.statistics import covers
from adjudge.statistics.covers import SharedClusters
from cases import each
from conftest import raises_line

FILES = sorted((Path(__file__).parents[1] / "reference" / "covers").glob("*.json"))
RNG = np.random.default_rng(11)


def same(found: float, wanted: Any) -> bool:
    wanted = float(wanted)
    return math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-12) or (
        math.isnan(found) and math.isnan(wanted)
    )


@each("file", FILES)
def test_reference_values(file: Path) -> None:
    case = json.loads(file.read_text("utf-8"))
    true, pred = Cover(case["true"], case["n"]), Cover(case["pred"], case["n"])
    values = case["reference"]
    wanted = {
        "omega": values["omega"]["omega"],
        "onmi": values["onmi"]["lfk"],
        "onmi_max": values["onmi"]["max"],
        **{
            f"extended_bcubed_{part}": values["extended_bcubed"][part]
            for part in ("f", "precision", "recall")
        },
    }
    found = evaluate(true, pred, indices=list(wanted))
    for name, value in wanted.items():
        assert same(found[name], value), name
        assert math.isnan(found[name]) == (name in found.reasons)
    for average in ("sum", "min", "sqrt"):
        assert same(adjudge.onmi_max(true, pred, average=average), values["onmi"][average]), average
    assert same(adjudge.onmi(true, pred, ties="weak"), values["onmi_ge"]["lfk"])


# --- the definitions -------------------------------------------------------------------------------------------

CLUSTERS = st.lists(st.sets(st.integers(0, 8), min_size=1), min_size=1, max_size=4)


def shared(clusters: list[set[int]], i: int, j: int) -> int:
    return sum(i in own and j in own for own in clusters)


@given(true=CLUSTERS, pred=CLUSTERS)
def test_pairs_by_definition(true: list[set[int]], pred: list[set[int]]) -> None:
    n = 9
    a, b = Cover(true, n), Cover(pred, n)
    pairs = list(combinations(range(n), 2))
    t, p = [shared(true, *pair) for pair in pairs], [shared(pred, *pair) for pair in pairs]
    counted = Counter(zip(t, p, strict=True))
    found = SharedClusters.make(a, b)
    assert {(v, w): int(c) for (v, w), c in np.ndenumerate(found.pairs) if c} == counted
    observed = sum(one == other for one, other in zip(t, p, strict=True)) / len(pairs)
    expected = sum(Counter(t)[v] * Counter(p)[v] for v in set(t)) / len(pairs) ** 2
    assert adjudge.omega(a, b) == pytest.approx(
        1.0 if observed == 1 else (observed - expected) / (1 - expected)
    )
    for name, one, other in (("precision", pred, true), ("recall", true, pred)):
        values = []
        for i in range(n):
            mates = [j for j in range(n) if shared(one, i, j)]
            if mates:
                parts = [min(shared(one, i, j), shared(other, i, j)) / shared(one, i, j) for j in mates]
                values.append(sum(parts) / len(parts))
        assert getattr(adjudge, f"extended_bcubed_{name}")(a, b) == pytest.approx(sum(values) / len(values))


def h(count: int, n: int) -> float:
    return -count / n * math.log2(count / n) if count else 0.0


@given(true=CLUSTERS, pred=CLUSTERS)
def test_information_by_definition(true: list[set[int]], pred: list[set[int]]) -> None:
    n = 9
    whole, left = [], []
    for one, other in ((true, pred), (pred, true)):
        entropies, conditional = [], []
        for x in one:
            best = entropy = h(len(x), n) + h(n - len(x), n)
            for y in other:
                both, only_x, only_y = len(x & y), len(x - y), len(y - x)
                neither = n - both - only_x - only_y
                alike, unlike = h(neither, n) + h(both, n), h(only_x, n) + h(only_y, n)
                if alike > unlike + 1e-12:
                    best = min(best, alike + unlike - h(len(y), n) - h(n - len(y), n))
            entropies.append(entropy)
            conditional.append(max(best, 0.0))
        whole.append(entropies)
        left.append(conditional)
    a, b = Cover(true, n), Cover(pred, n)
    if all(map(all, whole)):
        means = [
            sum(c / e for c, e in zip(cs, es, strict=True)) / len(es)
            for cs, es in zip(left, whole, strict=True)
        ]
        assert adjudge.onmi(a, b) == pytest.approx(1 - sum(means) / 2, abs=1e-12)
    sums = [sum(own) for own in whole]
    if max(sums) > 0:
        common = (sum(sums) - sum(map(sum, left))) / 2
        assert adjudge.onmi_max(a, b) == pytest.approx(common / max(sums), abs=1e-12)


@given(true=CLUSTERS, pred=CLUSTERS)
def test_best_match_by_definition(true: list[set[int]], pred: list[set[int]]) -> None:
    def f(x: set[int], y: set[int]) -> float:
        return 2 * len(x & y) / (len(x) + len(y))

    means = [
        sum(max(f(x, y) for y in other) for x in one) / len(one)
        for one, other in ((true, pred), (pred, true))
    ]
    assert adjudge.best_match_f(Cover(true, 9), Cover(pred, 9)) == pytest.approx(sum(means) / 2)


def random_cover(n: int, k: int, each_in: int) -> Cover:
    instances = np.repeat(np.arange(n), each_in)
    return Cover.from_pairs(instances, RNG.integers(0, k, instances.size), n)


def test_both_ways_of_counting_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    true, pred = random_cover(300, 12, 4), random_cover(300, 7, 3)
    by_sets = SharedClusters.make(true, pred)
    monkeypatch.setattr(covers, "_takes_sets", lambda *_: False)
    monkeypatch.setattr(covers, "_MOST_ENTRIES", 40_000)  # several blocks
    by_pairs = SharedClusters.make(true, pred)
    for name in ("pairs", "equal", "true_shared", "pred_shared"):
        assert (getattr(by_sets, name) == getattr(by_pairs, name)).all(), name
    for name in ("precision", "recall"):
        assert getattr(by_sets, name) == pytest.approx(getattr(by_pairs, name), nan_ok=True)


def test_sets_beyond_the_places_of_an_array_are_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    true, pred = random_cover(200, 12, 4), random_cover(200, 7, 3)
    expected = SharedClusters.make(true, pred)
    monkeypatch.setattr(covers, "_MOST_PLACES", 10)
    for buckets in (covers._BUCKETS, 101, 7):
        monkeypatch.setattr(covers, "_BUCKETS", buckets)
        assert (SharedClusters.make(true, pred).pairs == expected.pairs).all(), buckets


# --- relations ---------------------------------------------------------------------------------------------------


def test_of_partitions_they_are_the_indices_of_partitions() -> None:
    t, p = RNG.integers(0, 4, 60), RNG.integers(0, 5, 60)
    found = evaluate(Cover.from_pairs(np.arange(60), t), Cover.from_pairs(np.arange(60), p), indices="all")
    assert found["omega"] == pytest.approx(adjudge.adjusted_rand(t, p))
    for part in ("precision", "recall", "f"):
        assert found[f"extended_bcubed_{part}"] == pytest.approx(getattr(adjudge, f"bcubed_{part}")(t, p))


def test_order_and_names_change_nothing() -> None:
    true, pred = random_cover(80, 6, 2), random_cover(80, 5, 2)
    order = RNG.permutation(80)
    expected = evaluate(true, pred, indices="all")
    found = evaluate(true.take(order), pred.take(order), indices="all")
    swapped = evaluate(pred, true, indices="all")
    for name, score in expected.scores.items():
        assert found[name] == pytest.approx(score.value, abs=1e-12), name
        if score.index.symmetric:
            assert swapped[name] == pytest.approx(score.value, abs=1e-12), name
        else:
            assert swapped[name.replace("precision", "recall")] == pytest.approx(
                expected[name.replace("recall", "precision")]
            )


def test_labels_beside_a_cover_are_a_partition() -> None:
    cover, labels = random_cover(30, 4, 2), RNG.integers(0, 3, 30)
    assert adjudge.omega(cover, labels) == adjudge.omega(cover, Cover.from_pairs(np.arange(30), labels))
    with raises_line(
        InputError, "labels_pred has 29 instances, labels_true has 30: they must be the same instances"
    ):
        evaluate(cover, labels[:-1])


def test_the_interval_of_omega_holds_the_value_of_the_population() -> None:
    """Samples of a population of covers, whose omega is known: the influence gives the standard error."""
    true = RNG.random((4000, 4)) < [0.5, 0.3, 0.2, 0.2]
    pred = np.where(RNG.random(true.shape) < 0.1, ~true, true)
    whole = adjudge.omega(Cover(true), Cover(pred))
    hits, widths, values = 0, [], []
    for _ in range(100):
        rows = RNG.choice(4000, 150, replace=False)
        score = evaluate(Cover(true[rows]), Cover(pred[rows]), indices="omega", confidence=0.95).score(
            "omega"
        )
        assert score.low is not None
        assert score.high is not None
        hits += score.low <= whole <= score.high
        widths.append(score.high - score.low)
        values.append(score.value)
    assert np.mean(widths) == pytest.approx(2 * 1.96 * np.std(values), rel=0.2)
    assert hits >= 88


def test_chance_of_unrelated_covers_is_near_zero() -> None:
    found = evaluate(
        random_cover(120, 5, 2), random_cover(120, 5, 2), indices="omega", adjust=True, random_state=3
    ).score("omega")
    assert found.expected == pytest.approx(0, abs=0.01)
    assert found.p_value is not None
    assert found.p_value > 0.01
    true = random_cover(120, 5, 2)
    same_ones = evaluate(true, true, indices="omega", adjust=True, n_tables=99, random_state=3).score("omega")
    assert same_ones.adjusted == 1
    assert same_ones.p_value == pytest.approx(1 / 100)


# --- what may be given -------------------------------------------------------------------------------------------


def test_every_form_of_a_cover_is_the_same() -> None:
    sets: list[set[int]] = [{0, 1}, {1, 2, 3}]
    matrix = np.array([[1, 0], [1, 1], [0, 1], [0, 1], [0, 0]])
    forms = [
        Cover(sets, 5),
        Cover({"a": {0, 1}, "b": [1, 2, 3]}, 5),
        Cover(matrix),
        Cover(matrix.astype(bool)),
        Cover(csr_array(matrix)),
        Cover(pd.DataFrame(matrix, columns=["a", "b"])),
        Cover.from_pairs([0, 1, 1, 2, 3, 3], ["a", "a", "b", "b", "b", "b"], 5),
        Cover([*sets, set()], 5),
    ]
    for own in forms:
        assert (own.n, own.n_clusters) == (5, 2)
        assert own.instances.tolist() == [0, 1, 1, 2, 3]
        assert own.clusters.tolist() == [0, 0, 1, 1, 1]


def test_several_covers_are_judged_by_name() -> None:
    true, other = random_cover(40, 4, 2), random_cover(40, 4, 2)
    found = evaluate(true, {"same": true, "other": other})
    assert found["same", "omega"] == 1
    assert found["other", "omega"] == adjudge.omega(true, other)


@each(
    "values, n, message",
    [
        ([{0, 5}], 5, "a cluster has the instance 5: instances are numbered from 0 to 4"),
        ([{0, -1}], 5, "a cluster has the instance -1: instances are numbered from 0 to 4"),
        ([{0.5}], 5, "instances are numbered from 0, and one is 0.5: give whole numbers"),
        ([{"a"}], 5, "instances are numbered from 0, and one is 'a': give whole numbers"),
        ([set()], 5, "no instance is in a cluster: there is nothing to judge"),
        ([{0}], None, "the number of instances is not known: give n="),
        ([{0}], 0, "n=0: a whole number of at least 1 is needed"),
        (
            np.array([[2, 0]]),
            None,
            "clusters holds 2: an indicator matrix holds 0 and 1",
        ),
        (
            [[1, 0], [1, 0], [0, 1]],
            3,
            "clusters may be a matrix of 0 and 1, or instances 0 and 1: pass a NumPy array, or sets",
        ),
        (np.eye(3), 4, "the matrix has 3 rows, and n is 4: leave n out"),
    ],
)
def test_hostile_covers(values: Any, n: int | None, message: str) -> None:
    with raises_line(InputError, message):
        Cover(values, n)


def test_covers_that_are_no_collections() -> None:
    with raises_line(InputTypeError, "a cluster is an int: give the instances of each cluster"):
        Cover([0, 1], 3)
    for clusters, options, message in [
        (
            ["a", None],
            {},
            "clusters has a missing name at position 1: leave out such rows",
        ),
        (["a", "b"], {"n": "2"}, "n='2': a whole number of at least 1 is needed"),
    ]:
        with raises_line(InputError, message):
            Cover.from_pairs([0, 1], clusters, **options)
    for missing in (None, math.nan, pd.NA):
        with raises_line(InputError, "found has a missing label at position 1: leave it out of the set"):
            Cover.from_instances([{"b"}, {"a", missing}], "found")
    with raises_line(InputTypeError, "clusters are a str: give the instances of each cluster"):
        Cover("ab", 3)


def test_degenerate_covers_say_why() -> None:
    one = Cover([{0}], 1)
    assert evaluate(one, one, indices="omega").reasons["omega"] == "there is one instance"
    whole = Cover([{0, 1, 2}], 3)
    found = evaluate(whole, whole, indices=["onmi", "onmi_max", "omega"])
    assert found.reasons["onmi"] == "0/0: a cluster holds all instances, which says nothing"
    assert found.reasons["onmi_max"] == "0/0: every cluster of a cover holds all instances"
    assert found["omega"] == 1
