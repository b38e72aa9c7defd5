"""Indices estimated from sampled clusters: reference values, naive sums, intervals, and inputs that cannot be used."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adjudge import InputError, InputTypeError, evaluate
from adjudge.inference.partitions.sampled_clusters import ESTIMABLE, estimates
from adjudge.statistics.sampled_clusters import SampledClusters
from conftest import as_number, raises_line, read_reference, reference_cases

REFERENCE = {
    "pair_precision": "pairwise_precision",
    "pair_recall": "pairwise_recall",
    "exact_cluster_precision": "cluster_precision",
    "exact_cluster_recall": "cluster_recall",
    "bcubed_precision": "b_cubed_precision_records",
    "bcubed_recall": "b_cubed_recall_records",
}
PROGRAM = {"pair_f": "pairwise_f", "exact_cluster_f": "cluster_f"}
TRUTH, PRED = [0, 0, 0, 1, 1, 2, 3, 3], ["a", "a", "b", "b", "b", "c", "d", "c"]


def linked(rng: np.random.Generator, n: int = 900) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.integers(0, n // 3, n)
    return truth, np.where(rng.random(n) < 0.2, rng.integers(0, n // 3, n), truth)


def test_estimates_and_standard_errors_are_those_of_the_reference() -> None:
    cases = [read_reference(path) for path in reference_cases("sampled_clusters")]
    assert len(cases) == 8
    for case in cases:
        given = {"sampled": case["sampled"], "sampling_weights": case["weights"]}
        result = evaluate(case["true"], case["pred"], **given)
        program = case["programs"]["er-evaluation 2.3.0 [estimate, standard deviation]"]
        values = {name: case["reference"][theirs] for name, theirs in REFERENCE.items()}
        values |= {name: program[theirs] for name, theirs in PROGRAM.items()}
        for name, (estimate, deviation, *_) in values.items():
            assert result[name] == pytest.approx(as_number(estimate), rel=1e-9), name
            if not math.isnan(as_number(deviation)):
                errors = result.details["standard_errors"]
                assert errors[name] == pytest.approx(deviation, rel=1e-9, abs=1e-7), name
        p, r = result["bcubed_precision"], result["bcubed_recall"]
        assert result["bcubed_f"] == pytest.approx(2 * p * r / (p + r))
        # Truth of other clusters need not be known, and weights have any scale.
        known = [label if label in case["sampled"] else None for label in case["true"]]
        again = evaluate(
            known,
            case["pred"],
            sampled=case["sampled"],
            sampling_weights=[7 * w for w in case["weights"]],
        )
        assert again.values == pytest.approx(result.values, rel=1e-13)
        assert again.n == len(case["true"])


def test_all_clusters_give_the_value_of_all_records() -> None:
    rng = np.random.default_rng(0)
    truth, pred = linked(rng)
    result = evaluate(truth, pred, sampled=np.unique(truth))
    whole = evaluate(truth, pred, indices=list(ESTIMABLE))
    for name, value in whole.values.items():
        # But for the correction of the bias of a ratio.
        assert result[name] == pytest.approx(value, rel=2 / np.unique(truth).size), name


def test_influence_is_that_of_leaving_out_clusters() -> None:
    """The delete-one jackknife of the plain ratios, from the definitions."""
    rng = np.random.default_rng(1)
    truth, pred = linked(rng, 300)
    # Split more than merged, so that precision and recall differ.
    pred = np.where(rng.random(300) < 0.5, 1000 + np.arange(300), pred)
    chosen = rng.choice(np.unique(truth), 60, replace=False).tolist()
    weights = rng.uniform(0.5, 2, 60)
    places = {c: i for i, c in enumerate(chosen)}
    rows = np.array([i for i, c in enumerate(truth.tolist()) if c in places])
    codes = np.unique(pred, return_inverse=True)[1]
    cluster = np.array([places[c] for c in truth[rows].tolist()])
    found = estimates(SampledClusters.count(cluster, rows, codes, weights))
    of_pred = Counter(pred.tolist())
    members = {c: [p for t, p in zip(truth.tolist(), pred.tolist(), strict=True) if t == c] for c in chosen}

    def bcubed_f(kept: list[Any]) -> float:
        parts = [(weights[places[c]], Counter(members[c]), len(members[c])) for c in kept]
        size = sum(w * n for w, _, n in parts)
        p = sum(w * sum(x * x / of_pred[b] for b, x in cells.items()) for w, cells, _ in parts) / size
        r = sum(w * sum(x * x / n for x in cells.values()) for w, cells, n in parts) / size
        return 2 * p * r / (p + r)

    without = np.array([bcubed_f([d for d in chosen if d != c]) for c in chosen])
    jackknife = math.sqrt(59 / 60 * ((without - without.mean()) ** 2).sum())
    assert found["bcubed_f"].standard_error == pytest.approx(jackknife, rel=0.05)


def test_intervals() -> None:
    rng = np.random.default_rng(2)
    truth, pred = linked(rng, 3000)
    sampled = rng.choice(np.unique(truth), 300, replace=False).tolist()
    result = evaluate(truth, pred, sampled=sampled, confidence=0.95, indices="all")
    assert list(result) == list(ESTIMABLE)
    values = evaluate(truth, pred, indices=list(ESTIMABLE))
    for name in ESTIMABLE:
        score = result.score(name)
        error = result.details["standard_errors"][name]
        assert score.low < score.value < score.high
        assert score.high - score.low == pytest.approx(2 * 1.97 * error, rel=0.1)
        assert abs(score.value - values[name]) < 4 * error
    few = evaluate(truth, pred, sampled=sampled[:20], confidence=0.95, indices="bcubed")
    assert few.score("bcubed_f").interval_reason.startswith("no interval: 20 sampled clusters are worth")
    one = evaluate(truth, pred, sampled=sampled[:1], confidence=0.95, indices=["pair_f"])
    assert one.score("pair_f").interval_reason == "one sampled cluster does not tell how clusters vary"
    assert math.isnan(one.details["standard_errors"]["pair_f"])


def test_perfect_and_empty_samples() -> None:
    alone = evaluate(TRUTH, PRED, sampled=[2])
    assert alone.reasons["pair_recall"] == "0/0: the truth joins no pair"
    undefined = evaluate(range(60), range(60), sampled=[*range(40)], confidence=0.95, indices="pair_f")
    assert undefined.score("pair_f").interval_reason == "the estimate is undefined"
    perfect = evaluate(
        range(60), range(60), sampled=list(range(40)), confidence=0.95, indices="exact_cluster_f"
    )
    assert perfect["exact_cluster_f"] == 1
    low, high = perfect.intervals["exact_cluster_f"]
    assert 0.85 < low < high == 1
    assert "no sampled cluster changes the estimate" in perfect.score("exact_cluster_f").interval_reason


def test_columns_of_a_table(tmp_path: Path) -> None:
    frame = pd.DataFrame({"entity": [0, 0, 0, 1, 1, None, None, 3], "linked": PRED})
    path = tmp_path / "linked.csv"
    frame.astype({"entity": "Int64"}).to_csv(path, index=False)
    known = [None if label != label else int(label) for label in frame["entity"].tolist()]
    weights = pd.Series([1, 2], index=[1, 0])
    expected = evaluate(known, PRED, sampled=[1, 0], sampling_weights=[1, 2]).values
    for table in (frame, path, pl.from_pandas(frame)):
        given = {"truth": "entity", "pred": "linked", "sampled": weights.index, "sampling_weights": weights}
        assert evaluate(table, **given).values == expected
        assert evaluate(table, **given | {"sampled": ["1", "0"]}).values == expected
    with raises_line(InputError, "sampled= has 9, of which column 'entity' has no record"):
        evaluate(path, truth="entity", pred="linked", sampled=[9])
    with raises_line(InputError, "sampled= needs every record: collect the table first"):
        evaluate(pl.scan_csv(path), truth="entity", pred="linked", sampled=[0])


def test_inputs_that_cannot_be_used() -> None:
    listed = ", ".join(ESTIMABLE[:-1]) + f" and {ESTIMABLE[-1]}"
    for given, message in (
        ({"sampled": [9]}, "sampled= has 9, of which labels_true has no record"),
        ({"sampled": [1, 1]}, "sampled= has 1 twice: name each cluster once"),
        ({"sampled": []}, "sampled= has no label: give labels of labels_true"),
        ({"sampled": [0, None]}, "sampled= has no label at position 1: give labels of labels_true"),
        (
            {"sampled": [0, 1], "sampling_weights": [1]},
            "sampling_weights= has 1 entries: 2 clusters need one weight each",
        ),
        (
            {"sampled": [0, 1], "sampling_weights": [1, 0]},
            "sampling_weights= has 0 at position 1: a number above 0 is needed",
        ),
        (
            {"sampled": [0, 1], "sampling_weights": [math.nan, 1]},
            "sampling_weights= has nan at position 0: a number above 0 is needed",
        ),
        (
            {"sampled": [0, 1], "sampling_weights": pd.Series([1, 2], index=[1, 0])},
            "sampling_weights= has the labels of sampled= as its index, in another order: sort them alike",
        ),
        (
            {"sampling_weights": [1]},
            "sampling_weights= are of sampled clusters, which are missing: give sampled=",
        ),
        ({"sampled": [0], "adjust": True}, "adjust= is not an option for sampled=: leave it out"),
        ({"sampled": [0], "n_jobs": 1}, "n_jobs= is not an option for sampled=: leave it out"),
        ({"sampled": [0], "kind": "classification"}, "kind= is not an option for sampled=: leave it out"),
        (
            {"sampled": [0], "indices": "rand"},
            f"rand cannot be estimated from sampled clusters: these can: {listed}",
        ),
    ):
        with raises_line(InputError, message):
            evaluate(TRUTH, PRED, **given)
    with raises_line(
        InputTypeError, "sampled is the text '01': give a sequence of labels, one for each instance"
    ):
        evaluate(TRUTH, PRED, sampled="01")
    with raises_line(InputTypeError, "sampling_weights contains something other than numbers"):
        evaluate(TRUTH, PRED, sampled=[0, 1], sampling_weights=["x", 1])
    with pytest.raises(InputError, match="have the same index in different orders"):
        evaluate(pd.Series(TRUTH), pd.Series(PRED, index=range(7, -1, -1)), sampled=[0])
    with raises_line(
        InputError, "labels_pred has no label at position 1: the predictions of all records are needed"
    ):
        evaluate(TRUTH, [0, None, *PRED[2:]], sampled=[0])
    with raises_line(
        InputError, "labels_pred has 7 entries, labels_true has 8: they must have the same length"
    ):
        evaluate(TRUTH, PRED[1:], sampled=[0])
