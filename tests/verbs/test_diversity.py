"""How alike two classifiers err, and where both are wrong with the same label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge import compare
from adjudge.errors import InputError
from adjudge.inference.classes.outcome_intervals import diversity_intervals
from adjudge.inference.interval import METHOD
from adjudge.statistics import Agreement
from conftest import as_number, case_name, read_reference, reference_cases

CASES = reference_cases("classifiers/paired_labels")
NAMES = {
    "q_statistic": "q_statistic",
    "correctness_correlation": "correlation_rho",
    "correctness_kappa": "kappa_of_correctness",
    "disagreement": "disagreement",
    "double_fault": "double_fault",
    "negative_flip_rate": "negative_flip_rate_first_to_second",
    "positive_flip_rate": "positive_flip_rate_first_to_second",
    "new_error_share": "negative_flip_rate_relative_to_new_error",
}


@pytest.mark.parametrize("path", CASES, ids=case_name)
def test_reference_values(path: Path) -> None:
    case = read_reference(path)
    result = compare(case["labels_true"], case["predictions"], kind="classification")
    for wanted in case["exact"]["pairs"]:
        pair = result[tuple(wanted["pair"])]
        assert (pair.both_right, pair.both_wrong) == (wanted["both_right"], wanted["both_wrong"])
        for name, theirs in NAMES.items():
            found = pair.diversity[name]
            assert found.value == pytest.approx(as_number(wanted[theirs]), rel=1e-12, nan_ok=True), name
            assert (found.reason is None) == np.isfinite(found.value)


@pytest.mark.parametrize("seed", range(8))
def test_both_wrong_is_split(seed: int) -> None:
    rng = np.random.default_rng(seed)
    g, p, q = rng.integers(0, 4, (3, 40))
    result = compare(g, {"p": p, "q": q}, kind="classification")["p", "q"]
    same = [i for i in range(40) if p[i] == q[i] != g[i]]
    different = [i for i in range(40) if g[i] != p[i] != q[i] != g[i]]
    assert result.both_wrong_same == len(same)
    assert result.both_wrong_different == len(different)
    assert result.both_wrong == len(same) + len(different)
    assert result.instances("both_wrong_same").tolist() == same
    assert result.instances("both_wrong_different").tolist() == different
    assert result.to_dict()["both_wrong_same"] == len(same)
    weights = rng.integers(0, 4, 40)
    counted = compare(g, {"p": p, "q": q}, kind="classification", counts=weights)["p", "q"]
    assert counted.both_wrong_same == weights[same].sum()


def test_labels_that_only_one_model_knows() -> None:
    pair = compare(["a", "b", "c"], {"p": ["a", "x", "x"], "q": ["b", "x", "c"]}, kind="classification")[
        "p", "q"
    ]
    assert (pair.both_wrong, pair.both_wrong_same, pair.both_wrong_different) == (1, 1, 0)


def test_clusterings_and_tables() -> None:
    clusters = compare([0, 0, 1], {"p": [0, 0, 1], "q": [0, 1, 1]}, kind="clustering")["p", "q"]
    assert clusters.both_wrong_same is None
    assert clusters.both_wrong_different is None
    with pytest.raises(InputError, match="cell='both_wrong_same' is not known"):
        clusters.instances("both_wrong_same")
    with pytest.raises(InputError, match="only classifiers have these intervals"):
        clusters.diversity_intervals()
    frame = pl.DataFrame({"g": [0, 1, 2, 2], "p": [0, 2, 1, 0], "q": [0, 2, 0, 1]})
    pair = adjudge.compare(frame, truth="g", kind="classification")["p", "q"]
    assert (pair.both_wrong_same, pair.both_wrong_different) == (1, 2)
    assert pair.instances("both_wrong_same").tolist() == [1]
    pair = adjudge.compare(frame.lazy(), truth="g", kind="classification")["p", "q"]
    assert pair.instances("both_wrong_same").collect().rows() == [(1, 2, 2)]
    assert pair.instances("both_wrong_different").collect().rows() == [(2, 1, 0), (2, 0, 1)]


@pytest.mark.parametrize("cells", [(38, 9, 5, 8), (10, 0, 0, 0), (0, 3, 0, 4), (1, 1, 1, 1), (0, 0, 0, 5)])
def test_intervals_hold_the_value(cells: tuple[int, ...]) -> None:
    matrix = Agreement(*cells)
    found = diversity_intervals(matrix)
    assert found.keys() == {record.name for record in adjudge.list_indices("diversity")}
    for record in adjudge.list_indices("diversity"):
        value: Any = record.of(matrix)
        interval = found[record.name]
        if not np.isnan(value) and not np.isnan(interval.low):
            assert interval.low <= value <= interval.high, record.name


def test_complementarity_is_of_the_primary() -> None:
    assert adjudge.complementarity.of(Agreement(5, 2, 3, 1)) == 0.75
    assert adjudge.complementarity([0, 0, 1, 1], [1, 0, 0, 1], [0, 0, 0, 1], kind="classification") == 0.5


@pytest.mark.parametrize(
    ("name", "of", "among"),
    [
        ("disagreement", 9 + 5, 60),
        ("double_fault", 8, 60),
        ("complementarity", 5, 5 + 8),
        ("negative_flip_rate", 9, 60),
        ("positive_flip_rate", 5, 60),
        ("new_error_share", 9, 9 + 8),
    ],
)
def test_proportions_have_wilsons_interval(name: str, of: int, among: int) -> None:
    from scipy.stats import binomtest

    found = diversity_intervals(Agreement(38, 9, 5, 8), confidence=0.9)[name]
    expected = binomtest(of, among).proportion_ci(0.9, "wilson")
    assert list(found) == pytest.approx([expected.low, expected.high])
    assert (found.confidence, found.method, found.reason) == (0.9, "wilson", None)


def test_what_no_instance_tells_may_have_every_value() -> None:
    found = diversity_intervals(Agreement(10, 0, 0, 0), confidence=0.9)
    for name in ("complementarity", "new_error_share"):
        assert list(found[name]) == [0.0, 1.0]
        assert found[name].method == METHOD
        assert str(found[name].reason).endswith(": every value is possible")
    one = diversity_intervals(Agreement(1, 0, 0, 0), confidence=0.9)["q_statistic"]
    assert (one.low, one.high, one.confidence) == (-1.0, 1.0, 0.9)
