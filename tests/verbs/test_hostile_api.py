"""Whatever is given to the public API gives a value, or none with its reason, or an error of ours in one line."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path
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
from adjudge.inference.partitions.intervals import clustering_intervals
from adjudge.inference.points.internal_intervals import internal_intervals
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
LABELS = [*EXTERNAL, *adjudge.list_indices("classification")]
OF_LABELS = [*EXTERNAL, *(r for r in adjudge.list_indices("classification") if isinstance(r, LabelIndex))]
COMPARATIVE = adjudge.list_indices("comparative")
INTERNAL = adjudge.list_indices("internal")
SELECTION = adjudge.list_indices("selection")
# Criteria that the whole sweep gives; others need their own statistic.
OF_SWEEPS = [record for record in SELECTION if record.requires[0].__name__ == "Sweep"]
few = examples(25)
some = examples(50)

seeds = st.sampled_from([0, None, -1, "x", 1.5, 2**70, True]) | st.builds(np.random.default_rng, st.just(0))
levels = st.sampled_from([None, 0.95, 0.5, 0.0, 1.0, -1, 2, math.nan, math.inf, "x", True])
numbers = st.sampled_from([30, 2, 1, 0, -3, 1.5, math.nan, "x", None, True, np.int64(20)])
threads = st.sampled_from([None, 1, 2, 7, 0, -1, 1.5, "x", True])
missings = st.sampled_from(["raise", "drop", "nonsense", None])
noises = st.sampled_from(["cluster", "singletons", "drop", "nonsense", None])
treatments = st.sampled_from(["cluster", "singletons", "drop"])
noise_labels = st.sampled_from([-1, 0, "a", None, math.nan, (1,), [1], np.int8(2)])


LABEL_OPTIONS = {"missing": missings, "noise": noises, "noise_label": noise_labels}
kinds = st.sampled_from(["clustering", "classification", "nonsense", None])
frequencies = odd_lists | st.lists(st.integers(-1, 4), max_size=9)


def only(**strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any of these options, each with any of its values."""
    return st.fixed_dictionaries({}, optional=strategies)


def records(some_records: list[Index]) -> st.SearchStrategy[Any]:
    return st.lists(
        st.sampled_from([*some_records, *(r.name for r in some_records[:4]), "no index", None, 3]), max_size=3
    )


def one_pair(pairs: Any) -> Any:
    return pairs.yy / (pairs.yy + pairs.yn)


def uniform(table: Any) -> float:
    return float(table.n)


def broken(table: Any) -> Any:
    return "no number"


functions = st.sampled_from([one_pair, uniform, broken])
of_clusterings = st.lists(st.sampled_from(EXTERNAL) | functions | scalars, max_size=3) | odd_things
pairs_of_vectors = label_vectors() | st.lists(odd_labels(), min_size=2, max_size=2)


# labels


@examples(75)
@given(
    vectors=pairs_of_vectors,
    indices=records(LABELS),
    options=only(
        kind=kinds,
        confidence=levels,
        adjust=st.sampled_from([True, False, None, 1, "x"]),
        n_tables=numbers,
        random_state=seeds,
        counts=frequencies,
        **LABEL_OPTIONS,
    ),
)
def test_evaluate_labels(vectors: list[Any], indices: Any, options: dict[str, Any]) -> None:
    found = outcome(adjudge.evaluate, *vectors, indices=indices or "all", **options)
    check_values(found)
    if not isinstance(found, AdjudgeError):
        check_result(found)


def check_intervals(found: Any) -> None:
    for interval in () if isinstance(found, AdjudgeError) else found.values():
        assert interval.reason if math.isnan(interval.low) else interval.low <= interval.high


def check_result(found: Any) -> None:
    """Check that every view of a result can be had."""
    assert str(found)
    assert all(math.isfinite(value) for value in found.flat().values())
    found.to_dict()
    found.to_frame()
    assert "<" in found._repr_html_()


@some
@given(
    vectors=label_vectors(),
    indices=of_clusterings,
    options=only(
        null=st.sampled_from(["fixed_margins", "num", "num1", "all", "all1", "nonsense", None]),
        n_tables=numbers,
        random_state=seeds,
        method=st.sampled_from(["auto", "exact", "simulate", "pearson3", "nonsense", None]),
        n_jobs=threads,
        progress=st.sampled_from([False, lambda what, done, total: None, None]),
        best=st.sampled_from([None, 1.0, 0, math.nan, math.inf, "arithmetic", "min", "nonsense", b"x"]),
    ),
)
def test_null_distributions(vectors: list[Any], indices: Any, options: dict[str, Any]) -> None:
    found = outcome(adjudge.inference.null_distributions, indices, *vectors, **{"n_tables": 50, **options})
    if isinstance(found, AdjudgeError):
        return
    for null in found.values():
        assert str(null)
        for alternative in (None, "greater", "less", "two-sided", "nonsense"):
            p = outcome(null.p_value, alternative)
            assert isinstance(p, AdjudgeError) or math.isnan(p) or 0 <= p <= 1
        for q in (0, 0.5, 1, -1, math.nan, "x"):
            outcome(null.quantile, q)
        assert isinstance(null.z_score, float)
        assert math.isfinite(null.mean) or null.reason


@few
@given(
    record=st.sampled_from([r for r in LABELS if r.parameters]),
    vectors=label_vectors(),
    value=st.sampled_from(
        [0, 1, 2.5, -1, 1e308, 5e-324, math.nan, math.inf, None, "x", "min", "max", True, []]
    ),
)
def test_parameters_of_indices(record: Index, vectors: list[Any], value: Any) -> None:
    for name in record.parameters:
        found = outcome(record, *vectors, **{name: value})
        assert isinstance(found, (float, AdjudgeError))
        for call in (adjudge.inference.null_distribution, adjudge.inference.confidence_interval):
            outcome(call, record, *vectors, random_state=0, **{name: value})


@some
@given(
    vectors=label_vectors(),
    indices=of_clusterings,
    options=only(
        confidence=levels,
        method=st.sampled_from(["score", "percentile", "bca", "jackknife", "nonsense", None]),
        n_resamples=numbers,
        random_state=seeds,
    ),
)
def test_external_intervals(vectors: list[Any], indices: Any, options: dict[str, Any]) -> None:
    found = outcome(
        adjudge.inference.confidence_intervals, indices, *vectors, **{"n_resamples": 20, **options}
    )
    check_intervals(found)


@some
@given(
    vectors=label_vectors(4),
    options=only(
        indices=records(LABELS) | scalars,
        confidence=levels,
        adjust=st.sampled_from([True, False, None, "x"]),
        n_tables=numbers,
        random_state=seeds,
        counts=frequencies,
        **LABEL_OPTIONS,
    ),
    kind=st.sampled_from(["clustering", "classification"]),
    cell=st.sampled_from(["both_right", "right_wrong", "wrong_right", "both_wrong", "nonsense", None]),
    key=st.sampled_from([("p", "q"), ("p", "p"), "p", None, ("p", "x"), ("p",), 0, ("p", "q", "r")]),
)
def test_compare(vectors: list[Any], options: dict[str, Any], kind: Any, cell: Any, key: Any) -> None:
    truth, *others = vectors
    found = outcome(adjudge.compare, truth, dict(zip("pqr", others, strict=True)), kind=kind, **options)
    if isinstance(found, AdjudgeError):
        return
    check_result(found)
    pair = outcome(found.__getitem__, key)
    if not isinstance(pair, AdjudgeError):
        outcome(pair.instances, cell)
        assert str(pair)
        pair.to_dict()


@few
@given(
    vectors=label_vectors(3),
    options=only(
        confidence=levels,
        method=st.sampled_from(["score", "percentile", "bca", "jackknife", "nonsense", None]),
        n_resamples=numbers,
        random_state=seeds,
        **LABEL_OPTIONS,
    ),
    index=st.sampled_from([*EXTERNAL, "rand", None, "no index"]),
    test=st.sampled_from(["jackknife", "bootstrap", "permutation", "nonsense", None]),
)
def test_intervals_and_tests_of_two_clusterings(
    vectors: list[Any], options: dict[str, Any], index: Any, test: Any
) -> None:
    options = {"n_resamples": 20, **options}
    outcome(clustering_intervals, *vectors, **options)
    options.pop("confidence", None)
    options |= {"index": index, "method": test}
    found = outcome(adjudge.inference.equal_goodness_test, *vectors, **options)
    assert isinstance(found, AdjudgeError) or math.isnan(found.p_value) or 0 <= found.p_value <= 1


@few
@given(
    name=st.sampled_from(["matched_clusters", "normalized_confusion_matrix", "normalizing_permutation"]),
    vectors=pairs_of_vectors,
    criterion=st.sampled_from(
        ["pivoted_accuracy", "normalized_accuracy", "pair_sets_index", "nonsense", None, 1]
    ),
    options=only(**LABEL_OPTIONS),
)
def test_matching(name: str, vectors: list[Any], criterion: Any, options: dict[str, Any]) -> None:
    outcome(getattr(adjudge.indices, name), *vectors, criterion=criterion, **options)
    options.pop("missing", None)
    outcome(adjudge.indices.element_centric_scores, *vectors, **options)
    outcome(adjudge.indices.concordance, *vectors, **options)


@few
@given(
    scores=st.dictionaries(
        st.text(max_size=2),
        st.lists(st.sampled_from([0.0, 1.0, 0.5, math.nan, math.inf, -1e308, None]), max_size=4)
        | odd_lists
        | any_arrays,
    )
    | odd_things,
    better=st.sampled_from(["higher", "lower", "nonsense", None]),
    posthoc=st.sampled_from(["wilcoxon-holm", "nemenyi", "nonsense", None]),
    alpha=levels,
)
def test_ranks(scores: Any, better: Any, posthoc: Any, alpha: Any) -> None:
    found = outcome(adjudge.inference.friedman_test, scores, better=better, posthoc=posthoc)
    if not isinstance(found, AdjudgeError):
        outcome(adjudge.displays.CriticalDifferenceDisplay.from_result, found, alpha=alpha)


@few
@given(
    matrix=st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=2, max_size=3),
    rows=odd_things | odd_lists,
    columns=odd_things | odd_lists,
)
def test_names_of_a_table(matrix: Any, rows: Any, columns: Any) -> None:
    table = outcome(adjudge.statistics.Contingency.from_matrix, matrix, rows, columns)
    if not isinstance(table, AdjudgeError):
        check_values(outcome(adjudge.evaluate, table))
        table.transpose().to_array()
        table.to_sparse()
        assert str(table)


@few
@given(key=scalars | odd_things)
def test_names_in_results(key: Any) -> None:
    found = adjudge.evaluate([0, 0, 1], [0, 1, 1], indices=["rand", "purity"])
    outcome(found.__getitem__, key)
    chosen = adjudge.choose_k([[0.0], [1], [5], [6]], k=[2], n_init=1, random_state=0, indices=["ch"])
    outcome(chosen.__getitem__, key)
    outcome(chosen.values_of, key)


@some
@given(values=odd_lists, container=containers, noise=treatments)
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
    record=st.sampled_from(OF_LABELS),
    noise=treatments,
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


@few
@given(right=odd_points(), p=odd_lists | any_arrays | odd_things)
def test_tests_of_many_models(right: Any, p: Any) -> None:
    outcome(adjudge.inference.cochran_q_test, right)
    outcome(adjudge.inference.adjust_p_values, p)


@few
@given(name=scalars | odd_things, kind=st.none() | scalars)
def test_any_name_of_an_index(name: Any, kind: Any) -> None:
    outcome(adjudge.find_index, name)
    outcome(adjudge.list_indices, kind)
    if isinstance(name, str):
        assert name.isidentifier() or not hasattr(adjudge, name)


# points


@some
@given(
    data=extreme_points(),
    indices=records(INTERNAL),
    options=only(
        metric=st.sampled_from(["euclidean", "cityblock", "precomputed", "cosine", None]),
        sample_size=st.sampled_from([1, 10, 100, 0, -1, 1.5, "x", None, True]),
        confidence=levels,
        random_state=seeds,
        exact=st.sampled_from([True, False, None, 1]),
        memory_limit=st.sampled_from([1, 0, -1, 1000, 1 << 30, 1.5, None, "x"]),
        n_jobs=threads,
        progress=st.sampled_from([None, lambda what, done, total: None]),
        compat=st.sampled_from([None, "clusterCrit", "nonsense"]),
        engine=st.sampled_from(["memory", "torch", "nonsense", None]),
        device=st.sampled_from(["cpu", "cuda", "nonsense", None]),
        **LABEL_OPTIONS,
    ),
)
def test_evaluate_points(data: tuple[np.ndarray, list[int]], indices: Any, options: dict[str, Any]) -> None:
    found = outcome(adjudge.evaluate, X=data[0], labels=data[1], indices=indices or "all", **options)
    if not isinstance(found, AdjudgeError):
        check_result(found)
        if options.get("compat") is None:
            check_values(found)


@few
@given(
    n=st.integers(20, 40),
    seed=st.integers(0, 99),
    scale=st.sampled_from([1.0, 1e-60, 1e60, 0.0]),
    sample_size=st.sampled_from([10, 12, 19]),
    k=st.integers(1, 9),
    round_to=st.sampled_from([0, 8]),
)
def test_a_quick_look(n: int, seed: int, scale: float, sample_size: int, k: int, round_to: int) -> None:
    """Samples of a few points, where clusters are small, or points are often the same."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 2)), round_to) * scale
    found = outcome(
        adjudge.evaluate, X=X, labels=rng.integers(0, k, n), sample_size=sample_size, random_state=0
    )
    check_values(found)
    if not isinstance(found, AdjudgeError):
        check_result(found)
        for name, (low, high) in found.intervals.items():
            slack = 1e-9 * abs(found.values[name])
            assert low - slack <= found.values[name] <= high + slack, name


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
@given(data=extreme_points(), record=st.sampled_from(OF_SWEEPS))
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


@few
@given(path=st.sampled_from(["", ".", "no folder/x", "\0", "x", None, 5, b"x", "a" * 300, "\ud800"]))
def test_any_place_of_a_checkpoint(path: Any) -> None:
    X = np.arange(10.0)[:, None]
    outcome(adjudge.evaluate, X=X, labels=[0, 1] * 5, indices="silhouette", checkpoint=path)


@few
@given(content=st.binary(max_size=60))
def test_any_checkpoint(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("checkpoint") / "half"
    path.write_bytes(content)
    X = np.arange(10.0)[:, None]
    found = outcome(adjudge.evaluate, X=X, labels=[0, 1] * 5, indices="silhouette", checkpoint=path)
    assert isinstance(found, AdjudgeError) or path.exists() is False
    if isinstance(found, AdjudgeError):
        assert path.read_bytes() == content


@few
@given(
    data=extreme_points(),
    indices=records(INTERNAL),
    options=only(confidence=levels, n_resamples=numbers, random_state=seeds, missing=missings, noise=noises),
)
def test_internal_intervals(
    data: tuple[np.ndarray, list[int]], indices: Any, options: dict[str, Any]
) -> None:
    found = outcome(internal_intervals, *data, indices, **{"n_resamples": 10, **options})
    check_intervals(found)


sizes = st.integers(-2, 12) | st.sampled_from(
    [10**6, 10**12, 2**70, 1.5, math.nan, None, "x", True, np.int64(9)]
)


@some
@given(
    n=sizes,
    p=sizes,
    k=sizes,
    indices=records(INTERNAL) | st.just("all") | scalars,
    options=only(
        n_jobs=sizes,
        memory_limit=st.sampled_from([0, 1, 1000, 2**70, -1, 1.5, None, "x"]),
        exact=st.sampled_from([True, False, None, "x"]),
    ),
)
def test_plan(n: Any, p: Any, k: Any, indices: Any, options: dict[str, Any]) -> None:
    found = outcome(adjudge.plan, n, p, k, indices=indices, **options)
    if not isinstance(found, AdjudgeError):
        assert str(found)
        assert found.seconds >= 0
        found.to_dict()


# options


POINTS = np.array([[0.0, 1.0], [2.0, 0.5], [5.0, 5.0], [6.0, 4.0], [9.0, 1.0], [9.0, 9.0]])
no_functions = odd_things.filter(lambda value: not callable(value))
of_sweeps = st.sampled_from(
    [None, 5, -1, 0, 1.5, math.nan, "x", b"x", [], {}, object(), ..., True, False, ["gap"], "all"]
)
#: A call, the options of which one is given, and values for it.
OPTIONS: dict[str, tuple[Any, str, Any]] = {
    "labels": (
        lambda **own: adjudge.evaluate(
            [0, 0, 1, 1, 1], [0, 1, 1, 1, 0], **{"indices": ["rand", "pivoted_accuracy"], **own}
        ),
        "indices kind missing noise noise_label counts confidence compat n_tables random_state adjust",
        odd_things | scalars | odd_lists,
    ),
    "points": (
        lambda **own: adjudge.evaluate(X=POINTS[:5].tolist(), labels=[0, 0, 1, 1, 1], **own),
        "metric memory_limit exact n_jobs noise missing compat",
        no_functions | scalars | st.sampled_from([0, -1, 1, 2**70]),
    ),
    "choose_k": (
        lambda **own: adjudge.choose_k(
            POINTS, "kmeans", [2, 3], **{"random_state": 0, "n_init": 1, "indices": ["silhouette"], **own}
        ),
        "n_init random_state tally stability n_resamples calibration n_references reference n_jobs indices",
        of_sweeps,
    ),
}


@pytest.mark.parametrize("verb", OPTIONS)
@some
@given(data=st.data())
def test_any_value_of_an_option(verb: str, data: st.DataObject) -> None:
    call, options, values = OPTIONS[verb]
    outcome(call, **{data.draw(st.sampled_from(options.split())): data.draw(values)})


# estimators


class Anything:
    """An estimator whose labels are whatever it was given."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"answer": self.answer}

    def set_params(self, **parameters: Any) -> Anything:
        self.answer = parameters.get("answer", self.answer)
        return self

    def fit(self, X: Any, y: Any = None) -> Anything:
        self.fitted_ = True
        return self

    def predict(self, X: Any) -> Any:
        return self.answer


class Clusters(Anything):
    """Clusters, the number of which is set."""

    def __init__(self, n_clusters: int = 2, answer: Any = None) -> None:
        self.n_clusters = n_clusters
        self.answer = answer

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"n_clusters": self.n_clusters, "answer": self.answer}

    def set_params(self, **parameters: Any) -> Clusters:
        self.n_clusters = parameters.get("n_clusters", self.n_clusters)
        return self


@few
@given(
    record=st.sampled_from([*LABELS, *COMPARATIVE, *INTERNAL, *SELECTION]),
    options=only(
        greater_is_better=st.sampled_from([True, False, None]),
        undefined=st.sampled_from([math.nan, 0, "raise", "nonsense", None, math.inf]),
        alternative=st.sampled_from(
            [None, lambda X: [0] * len(X), lambda X: None, Anything([0, 1, 1, 0]), 5]
        ),
        kind=kinds,
        noise=noises,
        metric=st.sampled_from(["euclidean", "nonsense", None]),
        nonsense=st.just(1),
    ),
    answer=st.sampled_from(
        [[0, 0, 1, 1], [0] * 4, [0, 1], None, "text", [math.nan] * 4, ["a", "b", "a", "b"]]
    )
    | odd_labels(),
    y=st.sampled_from([None, [0, 1, 0, 1], ["a"] * 4, [1]]) | odd_labels(),
    X=st.just([[0.0], [1.0], [5.0], [6.0]]) | odd_points(),
)
def test_scorers(record: Index, options: dict[str, Any], answer: Any, y: Any, X: Any) -> None:
    scorer = outcome(adjudge.make_scorer, record, **options)
    if isinstance(scorer, AdjudgeError):
        return
    assert repr(scorer)
    score = outcome(scorer, Anything(answer), X, y)
    assert isinstance(score, (float, int, AdjudgeError))


PARTITIONS = {2: [0, 0, 0, 1, 1, 1, 1, 1], 3: [0, 0, 0, 1, 1, 2, 2, 2], 4: [0, 0, 1, 1, 2, 2, 3, 3]}
clusterers = st.sampled_from(
    [
        *("kmeans", "ward", "single", "complete", "average", "gaussian_mixture", "nonsense", "", None, 5),
        Clusters(answer=[0, 0, 0, 1, 1, 1, 1, 1]),
        Clusters(answer=[0, 1]),
        Clusters(answer=None),
        Clusters(answer=[math.nan] * 8),
        Clusters(answer=["a", "b"] * 4),
        Anything([0] * 8),
        Clusters,
        PARTITIONS,
        {2: [0, 1], 3: None},
        {},
        {"one": "kmeans", "two": "ward"},
        {"one": PARTITIONS},
        [],
        ["kmeans", "ward"],
        ["kmeans", "kmeans"],
        [None],
        lambda X, k: np.arange(len(X)) % k,
        lambda X, k: [0] * len(X),
        lambda X, k: None,
        lambda X, k: [0, 1],
    ]
)


@pytest.mark.full
@examples(40)
@given(
    seed=st.integers(0, 20),
    round_to=st.sampled_from([0, 8]),
    scale=st.sampled_from([1.0, 1e60, 1e-60, 0.0]),
    estimator=clusterers,
    k=st.sampled_from([[2], [2, 3, 4], range(2, 5), 3, [7], [8], [1], np.array([2, 3]), [2, 2]]),
    options=only(
        indices=records([*INTERNAL, *SELECTION]) | st.sampled_from(["all", "gap", "bic", "instability"]),
        n_init=numbers,
        random_state=seeds,
        tally=st.sampled_from(["families", "raw", "nonsense", None]),
        stability=st.sampled_from([False, 2, 0, -1, "x", 1.5]),
        n_resamples=st.sampled_from([None, 2, 0, -1, "x", 0.95]),
        calibration=st.sampled_from([False, 2, 0, -1, "x"]),
        n_references=st.sampled_from([2, 1, 0, "x"]),
        reference=st.sampled_from(["pca", "uniform", "nonsense", None]),
        n_jobs=st.sampled_from([None, 1, 0, "x"]),
        progress=st.sampled_from([None, lambda what, done, total: None]),
    ),
)
@pytest.mark.filterwarnings(
    "ignore:Number of distinct clusters"
)  # scikit-learn's, of points that are the same
def test_choose_k(
    seed: int, round_to: int, scale: float, estimator: Any, k: Any, options: dict[str, Any]
) -> None:
    X = np.round(np.random.default_rng(seed).normal(size=(8, 2)), round_to) * scale
    options = {"n_init": 1, "n_references": 2, "indices": ["silhouette", "ch", "hartigan"], **options}
    found = outcome(adjudge.choose_k, X, estimator, k, **options)
    if isinstance(found, AdjudgeError):
        return
    check_result(found)
    assert found.reason
    for name, values in found.values.items():
        for number, value in values.items():
            assert math.isfinite(value) or found.reasons.get(name, {}).get(number), (name, number, value)


@few
@given(
    record=st.sampled_from(OF_SWEEPS),
    keys=st.lists(scalars, max_size=2),
    labels=odd_labels() | st.just([0, 0, 1, 1]),
    X=odd_points() | st.just([[0.0], [1.0], [5.0], [6.0]]),
)
def test_criteria_of_any_partitions(record: Index, keys: list[Any], labels: Any, X: Any) -> None:
    try:
        partitions = dict.fromkeys(keys, labels)
    except TypeError:  # not hashable
        return
    outcome(record, X, partitions)


# tables


@some
@given(
    columns=st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True),
    seed=st.integers(0, 9),
    special=st.sampled_from([None, "null", "nan", "text", "float", "bool", "date", "list"]),
    make=st.sampled_from([dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame, pl.DataFrame.to_arrow]),
    options=only(
        indices=records([*LABELS, *INTERNAL]),
        kind=kinds,
        confidence=levels,
        adjust=st.sampled_from([True, False, "x"]),
        n_tables=st.just(20),
        random_state=seeds,
        compat=st.sampled_from([None, "clusterCrit"]),
        **LABEL_OPTIONS,
    ),
)
def test_tables(columns: list[str], seed: int, special: Any, make: Any, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({name: rng.integers(-1, 3, 7) for name in columns})
    changed = {
        "null": pl.when(pl.int_range(7) == 2).then(None).otherwise(pl.col(columns[-1])),
        "nan": pl.when(pl.int_range(7) == 2).then(math.nan).otherwise(pl.col(columns[-1]).cast(float)),
        "text": pl.col(columns[-1]).cast(pl.String),
        "float": pl.col(columns[-1]) / 2,
        "bool": pl.col(columns[-1]) > 0,
        "date": pl.col(columns[-1]).cast(pl.Date),
        "list": pl.concat_list(pl.col(columns[-1])),
    }
    if special is not None:
        frame = frame.with_columns(changed[special].alias(columns[-1]))
    table = make(
        frame.to_pandas()
        if make is pd.DataFrame
        else frame.to_dict(as_series=False)
        if make is dict
        else frame
    )
    of_pair = {name: value for name, value in options.items() if name != "compat"}
    found = outcome(
        adjudge.compare, table, columns[1:] or None, truth=columns[0], **{"kind": "clustering", **of_pair}
    )
    if not isinstance(found, AdjudgeError):
        check_result(found)
    for features in (None, columns[2:], ["b"], "b", [], [None], 5):
        found = outcome(
            adjudge.evaluate, table, truth=columns[0], pred=columns[-1], features=features, **options
        )
        if not isinstance(found, AdjudgeError):
            check_result(found)


# report


@pytest.mark.full
@examples(20)
@given(
    vectors=label_vectors(3),
    seed=st.integers(0, 9),
    options=only(
        kind=kinds,
        feature_names=odd_lists | odd_things | st.just(["a", "b"]),
        features=odd_lists | odd_things | st.just(["a"]),
        standardize=st.sampled_from([True, False, None, "x"]),
        embedding=odd_points() | any_arrays,
        images=odd_things | odd_lists | any_arrays,
        text=odd_lists | odd_things | st.just("abc"),
        k_choice=st.sampled_from([None, 5, "x"]),
        confidence=levels,
        title=scalars,
        note=scalars,
        indices=records(LABELS),
        adjust=st.booleans(),
        **LABEL_OPTIONS,
    ),
    points=st.sampled_from(["none", "numbers", "frame", "empty", "wrong"]),
    truthless=st.booleans(),
)
def test_report(
    tmp_path_factory: pytest.TempPathFactory,
    vectors: list[Any],
    seed: int,
    options: dict[str, Any],
    points: str,
    truthless: bool,
) -> None:
    truth, p, q = map(list, vectors)
    n = len(truth)
    X = np.random.default_rng(seed).normal(size=(n, 2))
    frame = pd.DataFrame({"a": X[:, 0], "b": ["x", None, "=1"][seed % 3], "when": pd.Timestamp(0)})
    given_points = {"none": None, "numbers": X, "frame": frame, "empty": X[:0], "wrong": X[1:]}[points]
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    options = {"kind": "clustering", **options}
    found = outcome(
        adjudge.report, None if truthless else truth, {"p": p, "q": q}, X=given_points, output=path, **options
    )
    assert path.exists() != isinstance(found, AdjudgeError)


# errors


@pytest.mark.parametrize("kind", [name for name in vars(errors) if name.endswith("Error")])
def test_errors_survive_the_way_out_of_a_worker(kind: str) -> None:
    """Processes hand errors on by pickling them."""
    made = getattr(errors, kind)
    error = made("duckdb", "duckdb", "streaming") if kind == "MissingExtraError" else made("X has\nno rows")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is made
        assert str(again) == str(error)
        assert again.args == error.args
