"""Whatever is given to the public API: a value, an undefined value with its reason, or an error of ours in one line."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge import errors
from adjudge.errors import AdjudgeError
from adjudge.indices.label_record import LabelIndex
from adjudge.indices.record import Index
from adjudge.inference.classes.outcome_intervals import classification_intervals
from hostile import (
    any_arrays,
    check_values,
    containers,
    extreme_points,
    label_vectors,
    odd_labels,
    odd_lists,
    odd_points,
    odd_things,
    outcome,
    scalars,
)
from profiles import examples

EXTERNAL = adjudge.list_indices("external")
CLASSIFICATION = [r for r in adjudge.list_indices("classification") if isinstance(r, LabelIndex)]
COMPARATIVE = adjudge.list_indices("comparative")
INTERNAL = adjudge.list_indices("internal")
SELECTION = [record for record in adjudge.list_indices("selection") if record.requires[0].__name__ == "Sweep"]

few = examples(25)
some = examples(50)


# labels


@pytest.mark.full
@some
@given(
    truth=odd_labels(),
    pred=odd_labels(),
    kind=st.sampled_from(["clustering", "classification"]),
    drop=st.booleans(),
)
def test_any_labels(truth: Any, pred: Any, kind: str, drop: bool) -> None:
    check_values(outcome(adjudge.evaluate, truth, pred, kind=kind, missing="drop" if drop else "raise"))


@some
@given(values=odd_lists, container=containers, noise=st.sampled_from(["cluster", "singletons", "drop"]))
def test_any_label_against_itself(values: list[Any], container: Any, noise: str) -> None:
    try:
        given_ = pd.Series(values) if container is pl.Series else container(values)  # Polars panics itself
    except Exception:  # the container's own business
        return
    if container is iter:
        given_ = list(given_)
    check_values(outcome(adjudge.evaluate, given_, given_, noise=noise, missing="drop"))


@some
@given(
    vectors=label_vectors(),
    record=st.sampled_from([*EXTERNAL, *CLASSIFICATION]),
    noise=st.sampled_from(["cluster", "singletons", "drop"]),
)
def test_every_index_of_labels_by_name(vectors: list[Any], record: Index, noise: str) -> None:
    index = getattr(adjudge, record.name)
    value = outcome(index, *vectors, noise=noise)
    assert isinstance(value, (float, AdjudgeError))
    low, high = record.range
    assert isinstance(value, AdjudgeError) or math.isnan(value) or low - 1e-9 <= value <= high + 1e-9


@pytest.mark.full
@few
@given(
    truth=odd_labels(),
    models=st.one_of(
        odd_labels(),
        st.dictionaries(st.one_of(st.text(max_size=3), st.none() | st.integers()), odd_labels(), max_size=3),
    ),
    kind=st.sampled_from(["clustering", "classification"]),
)
def test_compare_any_labels(truth: Any, models: Any, kind: Any) -> None:
    outcome(adjudge.compare, truth, models, kind=kind, missing="drop")


@few
@given(
    vectors=label_vectors(3),
    record=st.sampled_from(COMPARATIVE),
    kind=st.sampled_from(["clustering", "classification"]),
)
def test_comparative_indices_by_name(vectors: list[Any], record: Index, kind: Any) -> None:
    value = outcome(getattr(adjudge, record.name), *vectors, kind=kind)
    assert isinstance(value, (float, AdjudgeError))


@some
@given(matrix=any_arrays | st.lists(odd_lists, max_size=4))
def test_any_contingency_table(matrix: Any) -> None:
    check_values(outcome(adjudge.evaluate, matrix))
    outcome(adjudge.statistics.Contingency.from_matrix, matrix)


@few
@given(
    rows=st.integers(1, 4).flatmap(
        lambda c: st.lists(
            st.lists(st.sampled_from([0, 1, 2, 7, 2**31, 2**40, 2**53, 2**62]), min_size=c, max_size=c),
            min_size=1,
            max_size=4,
        )
    )
)
def test_huge_counts(rows: list[list[int]]) -> None:
    check_values(outcome(adjudge.evaluate, np.array(rows, dtype=object)))
    check_values(outcome(adjudge.evaluate, np.array(rows)))


FROM_LABELS = (
    *("concordance", "element_centric_scores", "matched_clusters"),
    *("normalized_confusion_matrix", "normalizing_permutation"),
)


@some
@given(
    name=st.sampled_from(FROM_LABELS),
    truth=odd_labels(),
    pred=odd_labels(),
)
def test_matching_functions_take_anything(name: str, truth: Any, pred: Any) -> None:
    outcome(getattr(adjudge.indices, name), truth, pred)


# points


@some
@given(X=odd_points(), labels=odd_labels(), record=st.sampled_from(INTERNAL))
def test_any_points(X: Any, labels: Any, record: Index) -> None:
    outcome(getattr(adjudge, record.name), X, labels)
    n = len(X) if isinstance(X, list) or getattr(X, "ndim", 0) else 2
    outcome(getattr(adjudge, record.name), X, [i % 2 for i in range(n)])


@few
@given(
    data=extreme_points(),
    metric=st.sampled_from(
        [
            "cityblock",
            "cosine",
            "correlation",
            "chebyshev",
            "precomputed",
            "nonsense",
            "mahalanobis",
            3,
            None,
            lambda a, b: -1.0,
            lambda a, b: math.nan,
        ]
    ),
)
def test_other_distances(data: tuple[np.ndarray, list[int]], metric: Any) -> None:
    check_values(outcome(adjudge.evaluate, X=data[0], labels=data[1], metric=metric))


@few
@given(data=extreme_points(), record=st.sampled_from(SELECTION))
def test_criteria_of_ready_partitions(data: tuple[np.ndarray, list[int]], record: Index) -> None:
    X, labels = data
    n = len(X)
    partitions = {k: [i % k for i in range(n)] for k in range(1, n + 1)}
    outcome(getattr(adjudge, record.name), X, partitions)
    outcome(getattr(adjudge, record.name), X, {2: labels})
    outcome(getattr(adjudge, record.name), X, labels)


@few
@given(
    values=odd_lists | odd_things,
    index=st.sampled_from([*INTERNAL, "silhouette", "no index", "rand", None, 3]),
)
def test_best_partition(values: Any, index: Any) -> None:
    found = outcome(adjudge.best_partition, values, index)
    assert found is None or isinstance(found, (int, AdjudgeError))


# chance, intervals, tests


@few
@given(index=st.sampled_from(["rand", "no index", None, 3]), truth=odd_labels(), pred=odd_labels())
def test_chance_of_anything(index: Any, truth: Any, pred: Any) -> None:
    for call in (
        adjudge.inference.expected_by_chance,
        adjudge.inference.adjusted_for_chance,
        adjudge.inference.null_distribution,
        adjudge.inference.confidence_interval,
    ):
        outcome(call, index, truth, pred, random_state=0)


counts = st.integers(-1, 3) | st.sampled_from([2**40, 2**70, 1.5, math.nan, None, "x", True])


@few
@given(
    cells=st.tuples(counts, counts, counts, counts),
    method=st.sampled_from(["mid-p", "exact", "asymptotic", "corrected", "nonsense", None]),
)
def test_agreements(cells: tuple[Any, ...], method: Any) -> None:
    agreement = outcome(adjudge.statistics.Agreement, *cells)
    outcome(adjudge.statistics.PairCounts, *cells)
    if not isinstance(agreement, AdjudgeError):
        outcome(adjudge.inference.mcnemar_test, agreement, method=method)
        outcome(classification_intervals, agreement)
        for record in COMPARATIVE:
            value, reason = record.assess(agreement)
            assert math.isfinite(value) or reason


@pytest.mark.full
@few
@given(
    right=odd_points(),
    scores=odd_things | st.dictionaries(st.text(max_size=2), odd_lists | any_arrays, max_size=4),
    p=odd_lists | any_arrays | odd_things,
)
def test_tests_of_many_models(right: Any, scores: Any, p: Any) -> None:
    outcome(adjudge.inference.cochran_q_test, right)
    outcome(adjudge.inference.friedman_test, scores)
    outcome(adjudge.inference.adjust_p_values, p)


# options


@some
@given(
    option=st.sampled_from(
        [
            "indices",
            "kind",
            "missing",
            "noise",
            "noise_label",
            "counts",
            "confidence",
            "compat",
            "n_tables",
            "random_state",
            "adjust",
        ]
    ),
    value=odd_things | scalars | odd_lists,
)
def test_any_option_of_evaluate(option: str, value: Any) -> None:
    options = {"indices": ["rand", "pivoted_accuracy"], option: value}
    outcome(adjudge.evaluate, [0, 0, 1, 1, 1], [0, 1, 1, 1, 0], **options)


@some
@given(
    option=st.sampled_from(["metric", "memory_limit", "exact", "n_jobs", "noise", "missing", "compat"]),
    value=odd_things.filter(lambda v: not callable(v)) | scalars | st.sampled_from([0, -1, 1, 2**70]),
)
def test_any_option_of_points(option: str, value: Any) -> None:
    X = [[0.0, 1.0], [2.0, 0.5], [5.0, 5.0], [6.0, 4.0], [9.0, 1.0]]
    outcome(adjudge.evaluate, X=X, labels=[0, 0, 1, 1, 1], **{option: value})


@some
@given(
    option=st.sampled_from(
        [
            "n_init",
            "random_state",
            "tally",
            "stability",
            "n_resamples",
            "calibration",
            "n_references",
            "reference",
            "n_jobs",
            "indices",
        ]
    ),
    value=st.sampled_from(
        [None, 5, -1, 0, 1.5, math.nan, "x", b"x", [], {}, object(), ..., True, False, ["gap"], "all"]
    ),
)
def test_any_option_of_choose_k(option: str, value: Any) -> None:
    X = np.array([[0.0, 1.0], [2.0, 0.5], [5.0, 5.0], [6.0, 4.0], [9.0, 1.0], [9.0, 9.0]])
    options = {"random_state": 0, "n_init": 1, "indices": ["silhouette"], option: value}
    outcome(adjudge.choose_k, X, "kmeans", [2, 3], **options)


@few
@given(name=scalars | odd_things, kind=st.none() | scalars)
def test_any_name_of_an_index(name: Any, kind: Any) -> None:
    outcome(adjudge.find_index, name)
    outcome(adjudge.list_indices, kind)
    if isinstance(name, str):
        assert name.isidentifier() or not hasattr(adjudge, name)


@pytest.mark.parametrize("kind", [name for name in vars(errors) if name.endswith("Error")])
def test_errors_survive_the_way_out_of_a_worker(kind: str) -> None:
    """Processes hand errors on by pickling them."""
    made = getattr(errors, kind)
    error = made("duckdb", "duckdb", "streaming") if kind == "MissingExtraError" else made("X has\nno rows")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is made
        assert str(again) == str(error)
        assert again.args == error.args
