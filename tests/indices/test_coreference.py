"""Indices of entity resolution and of whole tables: reference values, degenerate tables, large ones, and intervals."""

from __future__ import annotations

import heapq
import itertools
import math
import time
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import InputError, InputTypeError, evaluate, find_index
from adjudge.inference.chance.targets import Target
from adjudge.inference.common.samples import CrossTabulation
from adjudge.inference.partitions.intervals import TableIntervals
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.information_variance import variance_of_mutual_information
from cases import each
from conftest import as_number, raises_line, read_reference, reference_cases
from naive_coreference import moments_of_logs

#: Our names, by the path of a reference value.
ENTITIES = {
    **{f"{ours}_{part}": (theirs, part) for ours, theirs in (("muc", "muc"), ("lea", "lea"), ("bcubed", "b3"))
       for part in ("f", "precision", "recall")},
    **{f"exact_cluster_{part}": ("exact_cluster", part) for part in ("f", "precision", "recall")},
    "pair_precision": ("pairwise", "precision"),
    "pair_recall": ("pairwise", "recall"),
    "ceaf_m": ("ceaf_m", "f"),
    "ceaf_e": ("ceaf_e", "f"),
    "ceaf_e_precision": ("ceaf_e", "precision"),
    "ceaf_e_recall": ("ceaf_e", "recall"),
    "blanc": ("blanc",),
    "blanc_precision": ("blanc_precision_recall", 0),
    "blanc_recall": ("blanc_precision_recall", 1),
}  # fmt: skip
PARTITIONS = {
    "mari": ("mari",),
    "smi": ("smi",),
    "split_join": ("split_join", "total"),
    "mi": ("mutual_information",),
    "vi": ("variation_of_information",),
}


def found(given: Any, path: tuple[Any, ...]) -> float | None:
    for key in path:
        if isinstance(given, dict) and key not in given:
            return None
        given = given[key]
    return as_number(given)


@each("folder, names", [("entity", ENTITIES), ("partitions", PARTITIONS)])
def test_values_are_those_of_the_reference(folder: str, names: dict[str, tuple[Any, ...]]) -> None:
    checked = 0
    for path in reference_cases(folder):
        case = read_reference(path)
        result = evaluate(case["true"], case["pred"], indices=list(names))
        for name, place in names.items():
            expected = found(case["reference"], place)
            if expected is None:
                continue
            assert result[name] == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True), (path, name)
            assert math.isnan(expected) == (find_index(name, "external").name in result.reasons), (path, name)
            checked += 1
    assert checked > 55


def cheapest(start: list[int], end: list[int], merge: Any, split: Any) -> float:
    """Cost of the cheapest way to a partition, one merge or split at a time; none joins what is apart at the end."""

    def sets(labels: list[int]) -> frozenset[frozenset[int]]:
        return frozenset(
            frozenset(i for i, own in enumerate(labels) if own == label) for label in set(labels)
        )

    costs, pending = {sets(start): 0.0}, [(0.0, 0, sets(start))]
    for number in itertools.count(1):
        cost, _, own = heapq.heappop(pending)
        if own == sets(end):
            return cost
        steps = [
            (merge(len(one), len(other)), own - {one, other} | {one | other})
            for one, other in itertools.combinations(own, 2)
            if any(one | other <= whole for whole in sets(end))
        ]
        for whole in own:
            for size in range(1, len(whole)):
                for some in map(frozenset, itertools.combinations(sorted(whole), size)):
                    steps.append((split(size, len(whole) - size), own - {whole} | {some, whole - some}))
        for i, (step, reached) in enumerate(steps):
            if cost + step < costs.get(reached, math.inf):
                costs[reached] = cost + step
                heapq.heappush(pending, (cost + step, 1000 * number + i, reached))
    raise AssertionError


@each("seed", range(24), keep=8)
def test_merge_distance_is_the_cheapest_way(seed: int) -> None:
    truth, pred = np.random.default_rng(seed).integers(0, 3, (2, 2 + seed % 4)).tolist()
    assert adjudge.merge_distance(truth, pred) == cheapest(pred, truth, lambda x, y: 1, lambda x, y: 1)
    assert adjudge.merge_distance(truth, pred, merge=3, split=0.5) == cheapest(
        pred, truth, lambda x, y: 3, lambda x, y: 0.5
    )
    pairs = adjudge.merge_distance(truth, pred, merge=lambda x, y: x * y, split=lambda x, y: 2 * x * y)
    assert pairs == cheapest(pred, truth, lambda x, y: x * y, lambda x, y: 2 * x * y)


def test_merge_distance_and_what_it_generalises() -> None:
    truth, pred = np.random.default_rng(0).integers(0, 5, (2, 60)).tolist()
    table = Contingency.from_labels(truth, pred)
    by_pairs = adjudge.merge_distance(truth, pred, merge=lambda x, y: x * y, split=lambda x, y: x * y)
    assert by_pairs == table.pairs.yn + table.pairs.ny

    def entropy_lost(x: int, y: int) -> float:
        """Menestrina et al.: with this cost, it is n times the variation of information."""
        return (x + y) * math.log(x + y) - x * math.log(x) - y * math.log(y)

    of_information = adjudge.merge_distance(truth, pred, merge=entropy_lost, split=entropy_lost)
    assert of_information == pytest.approx(60 * adjudge.variation_of_information(truth, pred), rel=1e-12)
    # It counts clusters, not records: one stray record costs as much as half of a cluster.
    assert adjudge.merge_distance([0] * 9 + [1], [0] * 10) == adjudge.merge_distance(
        [0] * 5 + [1] * 5, [0] * 10
    )
    assert adjudge.split_join([0] * 9 + [1], [0] * 10) < adjudge.split_join([0] * 5 + [1] * 5, [0] * 10)
    with raises_line(InputError, "merge=-1: a finite number of at least 0 is needed"):
        adjudge.merge_distance(truth, pred, merge=-1)
    with raises_line(InputError, "split='half': a finite number of at least 0 is needed"):
        adjudge.merge_distance(truth, pred, split="half")


def test_reduced_information_is_that_of_the_reference() -> None:
    for path in reference_cases("partitions"):
        case = read_reference(path)
        expected = case["reference"]["rmi_dirichlet_multinomial_bits"]
        for of, name in (("truth", "true_given_pred"), ("prediction", "pred_given_true")):
            value = adjudge.rmi(case["true"], case["pred"], of=of)
            # Where the message is shortest at an end, the reference stops a little before it.
            assert value == pytest.approx(expected[name], rel=1e-6, abs=1e-7), (path, of)
        program = case["programs"].get("clustering-mi 0.2.2 (labels_true first)", {})
        if "reduced_bits" in program:
            assert adjudge.rmi(case["true"], case["pred"], of="prediction") == pytest.approx(
                as_number(program["reduced_bits"]), abs=5e-3
            )


def test_reduced_information_of_itself_is_the_most() -> None:
    truth = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert adjudge.rmi(truth, truth, normalized=True) == pytest.approx(1, rel=1e-12)
    assert adjudge.rmi(truth, [0, 0, 1, 1, 1, 2, 2, 2, 0], normalized=True) < 0.5
    assert math.isnan(adjudge.rmi([0, 0], [0, 1], normalized=True))
    assert math.isnan(adjudge.rmi([0, 1, 2], [0, 1, 2], normalized=True))
    # Concentrations go beyond the usual ends, so that a large table loses nothing.
    many = np.repeat(np.arange(5000), 2)
    assert adjudge.rmi(many, many, normalized=True) == pytest.approx(1, rel=1e-12)
    saved = adjudge.rmi(many, many)
    assert 0.95 * 5000 * math.log2(5000) < saved < 10_000 * math.log2(5000)
    with raises_line(InputTypeError, "normalized='yes': True or False is needed"):
        adjudge.rmi(truth, truth, normalized="yes")
    with raises_line(InputError, "of='pred' is not known: choose one of 'truth', 'prediction'"):
        adjudge.rmi(truth, truth, of="pred")


def test_variance_of_information_of_middle_and_large_tables() -> None:
    for rows, cols in (
        ([9, 4, 3], [8, 8]),
        ([5, 5, 5, 5], [10, 6, 4]),
        ([12, 12], [8, 8, 8]),
        ([15, 1], [8, 8]),
    ):
        variance = float(moments_of_logs(rows, cols)[1]) / sum(rows) ** 2
        own = variance_of_mutual_information(np.array(rows), np.array(cols), sum(rows))
        assert own == pytest.approx(variance, rel=1e-11, abs=1e-13)
    # n (R - 1)(C - 1) / (2 n^2) is the limit, here of clusters with thousands of possible counts.
    for n, rows, cols in ((2000, [600, 700, 700], [800, 1200]), (10**5, [30_000, 70_000], [50_000, 50_000])):
        own = variance_of_mutual_information(np.array(rows), np.array(cols), n)
        limit = (len(rows) - 1) * (len(cols) - 1) / (2 * n**2)
        assert own == pytest.approx(limit, rel=20 * max(n / min(rows), n / min(cols)) / n)
        assert own == variance_of_mutual_information(np.array(cols), np.array(rows), n)


def test_tables_too_large_for_a_variance_say_so() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 300, (2, 20_000))
    result = evaluate(*labels, indices="smi")
    assert result.reasons["smi"] == (
        "the exact variance of the mutual information of 20,000 instances in 300 x 300 clusters would take too long"
    )


def test_large_sparse_tables_are_matched_in_seconds() -> None:
    rng = np.random.default_rng(1)
    n = 100_000
    truth = rng.integers(0, 30_000, n)
    pred = np.where(rng.random(n) < 0.1, rng.integers(0, 30_000, n), truth)
    start = time.perf_counter()
    values = evaluate(truth, pred, indices=["ceaf_e", "ceaf_m", "muc_f", "lea_f", "exact_cluster_f", "blanc"])
    assert time.perf_counter() - start < 60
    assert all(0.2 < value < 1 for value in values.values.values())
    assert values["ceaf_m"] == adjudge.pivoted_accuracy(truth, pred)


def test_intervals_and_chance() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 5, 300)
    pred = np.where(rng.random(300) < 0.2, rng.integers(0, 5, 300), truth)
    names = [
        "ceaf_m",
        "ceaf_e",
        "blanc",
        "lea_f",
        "mari",
        "muc_f",
        "exact_cluster_f",
        "smi",
        "rmi",
    ]
    result = evaluate(truth, pred, indices=names, confidence=0.95, adjust=True, n_tables=300, random_state=0)
    for name in ("ceaf_m", "ceaf_e", "blanc", "lea_f", "mari"):
        score = result.score(name)
        assert score.low < score.value < score.high
        assert score.high - score.low < 0.5 * max(1, score.value)
        assert score.adjusted == pytest.approx(
            (score.value - score.expected) / (find_index(name).best - score.expected)
        )
    assert (
        result.intervals["ceaf_m"]
        == evaluate(truth, pred, indices="pa", confidence=0.95).intervals["pivoted_accuracy"]
    )
    whole, of_sample = (result.score(name).interval_reason for name in ("exact_cluster_f", "smi"))
    assert whole.startswith("no interval: the index counts whole clusters")
    assert of_sample.startswith("no interval: the value grows with the number of instances")
    assert result.score("muc_f").interval_reason == whole
    for method in ("jackknife", "percentile", "bca"):
        for name, reason in (("exact_cluster_f", whole), ("muc_recall", whole), ("smi", of_sample)):
            found = adjudge.inference.confidence_interval(
                name, truth[:40], pred[:40], method=method, n_resamples=30, random_state=0
            )
            assert math.isnan(found.low)
            assert found.reason == reason


def test_influence_on_lea_is_that_of_leaving_out_instances() -> None:
    rng = np.random.default_rng(5)
    truth = np.r_[rng.integers(0, 12, 80), 20, 21, 22]
    pred = np.r_[np.where(rng.random(80) < 0.3, rng.integers(0, 15, 80), truth[:80]), 20, 3, 3]
    table = Contingency.from_labels(truth, pred)
    intervals = TableIntervals(table, CrossTabulation.of_table(table), {})
    for target in Target.of_several(["lea_f", "lea_precision", "lea_recall"], table, {}):
        own, (rows, cols, counts) = intervals.influence(target), table.cells()
        without = []
        for i, j in zip(rows.tolist(), cols.tolist(), strict=True):
            left = int(np.flatnonzero((truth == table.row_labels[i]) & (pred == table.col_labels[j]))[0])
            without.append(target.record(np.delete(truth, left), np.delete(pred, left)))
        psi = -(table.n - 1) * np.array(without)
        assert own.psi == pytest.approx(psi - counts @ psi / table.n, abs=1e-12)
        assert own.value == target.observed


def test_intervals_of_many_clusters_take_no_dense_table() -> None:
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 20_000, 100_000)
    pred = np.where(rng.random(100_000) < 0.1, rng.integers(0, 20_000, 100_000), truth)
    score = evaluate(truth, pred, indices="lea_f", confidence=0.95).score("lea_f")
    assert score.low < score.value < score.high < score.low + 0.02
    start = time.perf_counter()
    few = evaluate(truth[:600], pred[:600], indices="mari", confidence=0.95).score("mari")
    assert few.low < few.value < few.high
    assert time.perf_counter() - start < 20


def test_sampling_weights_refuse_the_intervals_that_counts_refuse() -> None:
    given = {"sample_weight": [1.0, 2.0, 1.0, 3.0] * 20, "weights": "importance", "confidence": 0.95}
    score = evaluate([0, 0, 1, 1] * 20, [0, 0, 1, 2] * 20, indices="ceaf_e", **given).score("ceaf_e")
    assert score.low is None
    assert "fewer than 10 instances" in score.interval_reason
    given["sample_weight"] = [1.0, 2.0, 1.0, 3.0] * 60
    even = evaluate([0, 0, 1, 1] * 60, [0, 0, 1, 0] * 60, indices="ceaf_e", **given).score("ceaf_e")
    assert even.low < even.value < even.high


def test_intervals_of_links_need_clusters_of_several() -> None:
    truth = [*range(60), *[60] * 40]
    assert (
        "alone in their clusters"
        in evaluate(truth, truth[::-1], indices="lea_recall", confidence=0.9)
        .score("lea_recall")
        .interval_reason
    )


def test_parts_are_named() -> None:
    table = Contingency.from_labels([0, 0, 1], [0, 1, 1])
    assert adjudge.muc_f(table, part="recall") == adjudge.muc_recall(table)
    for name in ("muc_f", "ceaf_e", "blanc", "lea_f", "exact_cluster_f"):
        with raises_line(InputError, "part='all' is not known: choose one of 'f', 'precision', 'recall'"):
            find_index(name)(table, part="all")
