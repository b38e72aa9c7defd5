"""Comparisons of models on weighted instances, for instances and for pairs of them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import InputError
from adjudge.given.weights import WeightSums
from adjudge.statistics.agreement import CELLS, WeightedAgreement
from conftest import raises_line

N = 60
MODELS = ("p", "q", "r")
KINDS: tuple[Any, ...] = ("clustering", "classification")


@pytest.fixture
def given(rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    truth = rng.integers(0, 3, N)
    return truth, {name: np.where(rng.random(N) < 0.6, truth, rng.integers(0, 3, N)) for name in MODELS}


def naive_cells(truth: Any, p: Any, q: Any, weights: Any, kind: str) -> dict[str, float]:
    """Add up weights one instance, or one pair of instances, at a time."""
    found = dict.fromkeys(CELLS, 0.0)
    if kind == "classification":
        units = [(p[i] == truth[i], q[i] == truth[i], weights[i]) for i in range(N)]
    else:
        units = [
            (
                (p[i] == p[j]) == (truth[i] == truth[j]),
                (q[i] == q[j]) == (truth[i] == truth[j]),
                weights[i] * weights[j],
            )
            for i, j in combinations(range(N), 2)
        ]
    for p_right, q_right, weight in units:
        cell = CELLS[2 * (not p_right) + (not q_right)]
        found[cell] += weight
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_sampling_weights_are_added_up(given: Any, rng: np.random.Generator, kind: Any) -> None:
    truth, models = given
    weights = rng.exponential(size=N)
    comparison = adjudge.compare(truth, models, kind=kind, sample_weight=weights, weights="importance")
    for p, q in (("p", "q"), ("r", "p")):
        expected = naive_cells(truth, models[p], models[q], weights, kind)
        pair = comparison[p, q]
        for cell in CELLS:
            assert getattr(pair, cell) == pytest.approx(expected[cell], rel=1e-10)
        disagreements = expected["right_wrong"] + expected["wrong_right"]
        assert pair.measures["comparative_deviation"] == pytest.approx(
            (expected["right_wrong"] - expected["wrong_right"]) / disagreements, rel=1e-10
        )
    assert comparison.settings["weights"] == "importance"


@pytest.mark.parametrize("kind", KINDS)
def test_whole_weights_give_what_repetition_gives(given: Any, rng: np.random.Generator, kind: Any) -> None:
    truth, models = given
    weights = rng.integers(0, 4, N)
    options: Any = {"kind": kind, "confidence": 0.9}
    weighted = adjudge.compare(truth, models, sample_weight=weights, weights="frequency", **options)
    repeated = adjudge.compare(
        np.repeat(truth, weights), {name: np.repeat(own, weights) for name, own in models.items()}, **options
    )
    assert weighted.n == repeated.n
    assert weighted.scores == repeated.scores
    for pair in repeated:
        same = weighted[pair.primary, pair.alternative]
        assert same.agreement == pair.agreement
        assert same.intervals == pair.intervals


@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_one_and_their_scale_change_nothing(given: Any, kind: Any) -> None:
    truth, models = given
    plain = adjudge.compare(truth, models, kind=kind)
    for scale in (1.0, 0.37):
        weighted = adjudge.compare(
            truth, models, kind=kind, sample_weight=np.full(N, scale), weights="importance"
        )
        for pair in plain:
            found = weighted[pair.primary, pair.alternative]
            assert found.measures == pytest.approx(pair.measures, rel=1e-12, abs=1e-12)
            if scale == 1.0:
                assert [getattr(found, cell) for cell in CELLS] == [getattr(pair, cell) for cell in CELLS]
                assert found.both_wrong_same == pair.both_wrong_same


@pytest.mark.parametrize("kind", KINDS)
def test_models_that_are_the_same_have_no_deviation(given: Any, rng: np.random.Generator, kind: Any) -> None:
    truth, models = given
    # Other numbers for the same clusters: their sums are taken in another order.
    same = models["p"] if kind == "classification" else 2 - models["p"]
    pair = adjudge.compare(
        truth,
        {"p": models["p"], "same": same},
        kind=kind,
        sample_weight=rng.exponential(size=N),
        weights="importance",
    )["p", "same"]
    assert (pair.right_wrong, pair.wrong_right) == (0.0, 0.0)
    assert "RW + WR = 0" in pair.reasons["comparative_deviation"]


@pytest.mark.parametrize("kind", KINDS)
def test_instances_weigh_what_their_cell_weighs(given: Any, rng: np.random.Generator, kind: Any) -> None:
    truth, models = given
    weights = rng.exponential(size=N)
    truth = truth.copy()
    truth[:5] = -1
    noise = {} if kind == "classification" else {"noise": {"labels_true": "drop"}}
    if kind == "classification":
        truth[:5] = 0
    pair = adjudge.compare(truth, models, kind=kind, sample_weight=weights, weights="importance", **noise)[
        "p", "q"
    ]
    for cell in CELLS:
        found = pair.instances(cell)
        if kind == "classification":
            assert weights[found].sum() == pytest.approx(getattr(pair, cell), rel=1e-12)
        else:
            assert found.shape == (N,)
            assert not found[:5].any()
            # A pair is seen from both of its instances.
            assert weights @ found / 2 == pytest.approx(getattr(pair, cell), rel=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_grouped_rows_are_those_of_the_rows(
    given: Any, rng: np.random.Generator, kind: Any
) -> None:
    truth, models = given
    weights = rng.exponential(size=N)
    rows = np.stack([truth, *models.values()])
    combinations_, inverse = np.unique(rows, axis=1, return_inverse=True)
    sums = WeightSums(np.bincount(inverse, weights), np.bincount(inverse, weights**2))
    options: Any = {"kind": kind, "weights": "importance"}
    apart = adjudge.compare(truth, models, sample_weight=weights, **options)
    grouped = adjudge.compare(
        combinations_[0], dict(zip(MODELS, combinations_[1:], strict=True)), sample_weight=sums, **options
    )
    for pair in apart:
        found = grouped[pair.primary, pair.alternative]
        for cell in CELLS:
            assert getattr(found, cell) == pytest.approx(getattr(pair, cell), rel=1e-10)
    for name, scores in apart.scores.items():
        assert grouped.scores[name] == pytest.approx(scores, rel=1e-10, nan_ok=True)


def test_what_is_refused(given: Any) -> None:
    truth, models = given
    with raises_line(
        InputError,
        "sample_weight= can mean two things: pass weights='frequency' if each row stands for that number of instances, "
        "or weights='importance' for sampling weights",
    ):
        adjudge.compare(truth, models, kind="clustering", sample_weight=np.ones(N))
    with raises_line(
        InputError,
        "confidence= needs to know how rows were drawn: pass weights='importance' with the weight of each row, "
        "weights='frequency', or units=",
    ):
        adjudge.compare(truth, models, kind="classification", sample_weight=np.ones(N), confidence=0.9)
    fractions = WeightSums(np.ones(N), np.ones(N), 0.5)
    with pytest.raises(InputError, match=r"sample_weight has 0\.5, which is not a number of instances"):
        adjudge.compare(truth, models, kind="clustering", sample_weight=fractions, weights="frequency")


def test_the_swapped_matrix_keeps_its_weights() -> None:
    assert WeightedAgreement(2.5, 0.5, 0.0, 1.0).swap() == WeightedAgreement(2.5, 0.0, 0.5, 1.0)
    assert WeightedAgreement(1.0, -1e-17, 0.0, 0.0).right_wrong == 0.0
