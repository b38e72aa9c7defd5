"""Tests generated from the catalog: what a record says of its index holds, whatever the labels.

Whoever adds an index of labels gets these without writing any; only its naive twin belongs into naive.py.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, example, given
from hypothesis import strategies as st

import adjudge
import naive
from adjudge import evaluate
from adjudge.indices.label_record import LabelIndex
from adjudge.indices.record import Index
from adjudge.indices.references import REFERENCES
from adjudge.statistics import Agreement, Contingency
from adjudge.statistics.confusion import Confusion
from cases import each

EXTERNAL = adjudge.list_indices("external")
CLASSIFICATION = [r for r in adjudge.list_indices("classification") if isinstance(r, LabelIndex)]
COMPARATIVE = adjudge.list_indices("comparative")
OF_LABELS = [*EXTERNAL, *CLASSIFICATION]

Pair = list[tuple[int, int]]


def may_be_classes(pairs: Pair) -> bool:
    """Whether they can be true and predicted classes; for clusterings their names do not matter."""
    a, b = ({pair[i] for pair in pairs} for i in (0, 1))
    return not a.isdisjoint(b) or min(len(a), len(b)) < 2


def pairs_up_to(k: int, most: int) -> st.SearchStrategy[Pair]:
    code = st.integers(0, k - 1)
    return st.lists(st.tuples(code, code), min_size=1, max_size=most).filter(may_be_classes)


PAIRS = st.integers(1, 6).flatmap(lambda k: pairs_up_to(k, 24))
PARTITION = st.lists(st.integers(0, 5), min_size=1, max_size=24)

ONE_CLUSTER_EACH = [(0, 0)] * 4
SINGLETONS_EACH = [(i, i) for i in range(4)]
ONE_AGAINST_SINGLETONS = [(0, i) for i in range(4)]
SINGLETONS_AGAINST_ONE = [(i, 0) for i in range(4)]


def same(one: float, other: float, tolerance: float = 1e-12) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return one == other or abs(one - other) <= tolerance * max(1.0, abs(one), abs(other))


def of_ordered_classes(record: Any) -> bool:
    """Whether it matters in which order the classes are: how far they are apart, or which is the positive one."""
    return record.requires == (Confusion,) or ("average" in record.parameters and not record.fixed)


def split(pairs: Pair) -> tuple[list[int], list[int]]:
    a, b = zip(*pairs, strict=True)
    return list(a), list(b)


def values(
    records: list[Any], labels_true: Any, labels_pred: Any = None, **options: Any
) -> Iterator[tuple[Any, float]]:
    table = adjudge.statistics.contingency.reduce_labels(labels_true, labels_pred, **options)
    for record in records:
        yield record, record.of(*record.read(table))


# --- facts of a record ------------------------------------------------------------------------------------------


@each("record", adjudge.list_indices())
def test_facts(record: Index) -> None:
    assert record.name.isidentifier()
    assert record.name == record.name.lower()
    assert record.title
    assert record.reference in REFERENCES
    assert record.citation == REFERENCES[record.reference]
    assert record.summary.endswith(".")
    assert record.formula
    low, high = record.range
    assert low < high
    assert record.better in ("higher", "lower", None)
    if record.best is not None:
        assert record.best == (high if record.better == "higher" else low)
    if record.better is None:
        assert record.best is None
    assert not (record.identical_is_best and record.best is None)
    assert repr(record) == f"<{record.kind} index {record.name}: {record.title}>"
    assert getattr(adjudge, record.name) is record
    for fact in (record.undefined, record.note, record.summary):
        assert "\n" not in fact
    if record.variant_of is not None:
        family = adjudge.find_index(record.variant_of)
        assert family.kind == record.kind
        assert record.fixed.keys() <= family.parameters.keys()


#: What perfect agreement gives depends on the sizes of the classes or clusters.
NO_FIXED_BEST = ("phi_crit", "detection_rate", "accuracy_over_no_information")


@each("record", OF_LABELS)
def test_facts_of_measures_on_labels(record: Index) -> None:
    assert len(record.requires) == 1
    assert record.best_k is None
    if record.better is not None and math.isfinite(record.range[1 if record.better == "higher" else 0]):
        assert record.best is not None or record.name in NO_FIXED_BEST


# --- ranges, and where an index is undefined --------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("records", [EXTERNAL, CLASSIFICATION], ids=["external", "classification"])
@given(pairs=PAIRS)
@example(pairs=ONE_CLUSTER_EACH)
@example(pairs=SINGLETONS_EACH)
@example(pairs=ONE_AGAINST_SINGLETONS)
@example(pairs=SINGLETONS_AGAINST_ONE)
@example(pairs=[(0, 0)])
@example(pairs=[(0, 0)] * 6 + [(0, 1), (1, 2)])
def test_range(records: list[Any], pairs: Pair) -> None:
    table = Contingency.from_labels(*split(pairs))
    for record in records:
        value, reason = record.assess(*record.read(table))
        assert type(value) is float
        if math.isnan(value):
            assert reason, record.name
            assert record.undefined, f"{record.name} does not say where it is undefined"
            continue
        assert record.range[0] <= value <= record.range[1], f"{record.name} = {value!r}"
        assert (reason is not None) == math.isinf(value), record.name


@given(*[st.one_of(st.integers(0, 3), st.integers(0, 10**20))] * 4)
def test_range_of_comparative_measures(br: int, rw: int, wr: int, bw: int) -> None:
    agreement = Agreement(br, rw, wr, bw)
    for record in COMPARATIVE:
        value, reason = record.assess(agreement)
        assert math.isnan(value) == (reason is not None)
        if math.isnan(value):
            assert record.undefined
        else:
            assert record.range[0] <= value <= record.range[1], record.name


def test_indices_said_to_be_undefined_somewhere_are() -> None:
    """The record's words are about something that happens."""
    cases = [ONE_CLUSTER_EACH, SINGLETONS_EACH, ONE_AGAINST_SINGLETONS, SINGLETONS_AGAINST_ONE, [(0, 0)]]
    two = [(0, 0), (1, 0), (2, 1), (3, 1)]
    completed = [(0, 0), (0, 1)]  # of the usual pair 0 and 1, one is only predicted
    tables = [Contingency.from_labels(*split(pairs)) for pairs in [*cases, two, completed]]
    tables.append(Contingency.from_labels(["low", "mid", "high"], ["low", "high", "mid"]))  # in no order
    for record in OF_LABELS:
        # A family says where any of its members is undefined.
        of_family = record.kind == "external" and "average" in record.parameters and not record.fixed
        averages = ["geometric", "min"] if of_family else []
        ways: list[dict[str, Any]] = [{}, *({"average": average} for average in averages)]
        ever = any(math.isnan(record.of(*record.read(table), **way)) for table in tables for way in ways)
        if record.name == "accuracy_where_answered":
            nothing = Contingency.from_labels(["yes", "no"], ["unsure", "?"])
            ever = math.isnan(record.of(*record.read(nothing, classes=["no", "yes"])))
        assert ever == bool(record.undefined), record.name


# --- what may change without changing the value -----------------------------------------------------------------


@pytest.mark.full
@given(pairs=PAIRS, seed=st.integers(0, 99))
def test_names_of_clusters_and_order_of_instances_do_not_matter(pairs: Pair, seed: int) -> None:
    draw = random.Random(seed)
    a, b = split(pairs)
    names_a = draw.sample(range(-50, 50), 6)
    names_b = draw.sample(["x", "", "long name", "é", "B", "0"], 6)
    order = draw.sample(range(len(pairs)), len(pairs))
    renamed = [names_a[a[i]] for i in order], [names_b[b[i]] for i in order]
    for (record, before), (_, after) in zip(values(EXTERNAL, a, b), values(EXTERNAL, *renamed), strict=True):
        assert same(before, after), f"{record.name}: {before!r} becomes {after!r}"
    # A classifier's labels have to be renamed alike.
    renamed = [names_a[a[i]] for i in order], [names_a[b[i]] for i in order]
    unordered = [record for record in CLASSIFICATION if not of_ordered_classes(record)]
    both = zip(values(unordered, a, b), values(unordered, *renamed), strict=True)
    for (record, before), (_, after) in both:
        assert same(before, after), f"{record.name}: {before!r} becomes {after!r}"


@given(pairs=PAIRS)
def test_truth_and_prediction_may_be_swapped_where_the_record_says_so(pairs: Pair) -> None:
    a, b = split(pairs)
    # The classes of a classifier are those of the truth, unless they are named.
    classes = sorted({*a, *b})
    for record in OF_LABELS:
        if record.symmetric:
            one, other = (
                record.of(*record.read(Contingency.from_labels(*given), classes=classes))
                for given in ((a, b), (b, a))
            )
            assert same(one, other), f"{record.name}: {one!r} becomes {other!r}"


def test_truth_and_prediction_may_not_be_swapped_where_the_record_says_no() -> None:
    cases = [
        ([0, 0, 0, 1, 1, 2, 2], [0, 1, 1, 0, 0, 0, 2]),
        ([0, 0, 0, 0, 1, 2], [0, 0, 1, 1, 2, 2]),
        ([0, 0, 1, 1, 1], [0, 0, 0, 0, 0]),
        ([0, 0, 1, 1], [0, 0, 1, 2]),
    ]
    for record in OF_LABELS:
        if not record.symmetric:
            assert any(not same(record(a, b), record(b, a)) for a, b in cases), f"{record.name} is symmetric"


# --- direction --------------------------------------------------------------------------------------------------


@given(partition=PARTITION)
@example(partition=[0])
@example(partition=[0] * 5)
@example(partition=[0, 1, 2, 3])
def test_identical_partitions_are_best(partition: list[int]) -> None:
    renamed = [5 - x for x in partition]
    for record, value in [
        *values(EXTERNAL, partition, renamed),
        *values(CLASSIFICATION, partition, partition),
    ]:
        if record.best is None or not record.identical_is_best:
            continue
        if record.identical_is_defined:
            assert value == record.best, f"{record.name} = {value!r}"
        else:
            assert math.isnan(value) or value == pytest.approx(record.best, rel=1e-15), record.name


def test_what_identical_partitions_are_said_not_to_reach_they_do_not() -> None:
    one, singletons, two = [0] * 4, [0, 1, 2, 3], [0, 0, 1, 1]
    for record in OF_LABELS:
        found = [record(labels, labels) for labels in (one, singletons, two, [0])]
        if record.best is not None:
            assert record.identical_is_best == all(
                math.isnan(v) or v == pytest.approx(record.best) for v in found
            )
        assert record.identical_is_defined == (not any(map(math.isnan, found))) or record.best is None


@each("record", [r for r in OF_LABELS if r.better and r.name != "answered_share"])
def test_direction(record: Any) -> None:
    """The more labels are wrong, the worse the value, on average."""
    rng = np.random.default_rng(7)
    # Large clusters are hardly ever found exactly.
    truth = np.arange(240) // 2 if record.name.startswith("exact_cluster") else np.arange(240) % 6
    sign = 1 if record.better == "higher" else -1
    means = []
    for wrong in (0.0, 0.15, 0.4, 0.8):
        results = []
        for _ in range(12):
            prediction = np.where(
                rng.random(truth.size) < wrong, rng.integers(0, truth.max() + 1, truth.size), truth
            )
            results.append(sign * record(truth, prediction))
        means.append(float(np.mean(results)))
    assert means == sorted(means, reverse=True)
    assert len(set(means)) == 4


# --- ways to call -----------------------------------------------------------------------------------------------


@pytest.mark.full
@given(pairs=PAIRS)
def test_all_ways_to_call_agree(pairs: Pair) -> None:
    a, b = split(pairs)
    table = Contingency.from_labels(a, b)
    at_once = evaluate(a, b, indices=EXTERNAL)
    for record in EXTERNAL:
        value = record(a, b)
        assert same(value, record.of(*record.read(table)), 0)
        assert same(value, record(table), 0)
        assert same(value, at_once[record.name], 0)
        assert same(value, record(table.to_array()), 0), record.name
        assert same(value, record(scipy.sparse.csr_array(table.to_array()))), record.name
    at_once = evaluate(a, b, indices=CLASSIFICATION, kind="classification")
    for record in CLASSIFICATION:
        assert same(record(a, b), record(table), 0)
        assert same(record(a, b), at_once[record.name], 0)


@pytest.mark.full
@given(pairs=PAIRS, data=st.data())
def test_counts_equal_repetition(pairs: Pair, data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, 3), min_size=len(pairs), max_size=len(pairs)).filter(any))
    a, b = split(pairs)
    counted = [pair for pair, times in zip(pairs, counts, strict=True) for _ in range(times)]
    assume(may_be_classes(counted))
    repeated = split(counted)
    for (record, weighted), (_, plain) in zip(
        values(OF_LABELS, a, b, counts=counts), values(OF_LABELS, *repeated), strict=True
    ):
        assert same(weighted, plain, 0), record.name


# --- the definition ---------------------------------------------------------------------------------------------


@pytest.mark.full
@given(pairs=pairs_up_to(5, 14))
@example(pairs=ONE_CLUSTER_EACH)
@example(pairs=SINGLETONS_EACH)
@example(pairs=ONE_AGAINST_SINGLETONS)
@example(pairs=SINGLETONS_AGAINST_ONE)
def test_naive_twins(pairs: Pair) -> None:
    a, b = split(pairs)
    twins = naive.external_indices(a, b)
    for record, value in values(EXTERNAL, a, b):
        assert record.name in twins, f"{record.name} has no naive twin: add its definition to tests/naive.py"
        # The twin of a description length searches for its least value more coarsely.
        tolerance = 1e-6 if record.name == "rmi" else 1e-12
        assert same(value, twins[record.name], tolerance), (
            f"{record.name} = {value!r}, naively {twins[record.name]!r}"
        )
    for name in ("pair_sets_index", "simplified_pair_sets_index"):
        unclipped = adjudge.find_index(name)(a, b, clipped=False)
        assert same(unclipped, twins[f"{name}_unclipped"])
    twins = naive.classification_scores(a, b)
    for record, value in values(CLASSIFICATION, a, b):
        missing = f"{record.name} has no naive twin: add its definition to tests/naive_classes.py"
        assert record.name in twins, missing
        assert same(value, twins[record.name]), f"{record.name} = {value!r}, naively {twins[record.name]!r}"


@given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=14))
def test_naive_element_centric_scores(pairs: Pair) -> None:
    a, b = split(pairs)
    np.testing.assert_allclose(
        adjudge.indices.element_centric_scores(a, b), naive.element_centric_scores(a, b), rtol=1e-14
    )


@given(counts=st.tuples(*[st.integers(0, 10**12)] * 4))
def test_naive_comparative_measures(counts: tuple[int, int, int, int]) -> None:
    twins = naive.prayatul_measures(*counts)
    assert twins.keys() == {record.name for record in COMPARATIVE}
    for record in COMPARATIVE:
        assert record.of(Agreement(*counts)) == pytest.approx(twins[record.name], rel=1e-15, nan_ok=True)
