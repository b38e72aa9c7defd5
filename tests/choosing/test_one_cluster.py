"""One cluster among the numbers that are compared: who has a value for it, who votes for it, and what is said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

from adjudge import choose_k, report
from adjudge.choosing.verdict import stack_of


def lumps(k: int) -> np.ndarray:
    rng = np.random.default_rng(k)
    return np.concatenate([rng.normal((6 * i, 6 * (i % 2)), 1, size=(50, 2)) for i in range(k)])


def codes(choice: Any) -> list[str]:
    return [notice.code for notice in choice.warnings]


def test_the_verdict_is_that_of_the_other_numbers() -> None:
    options = {
        "random_state": 0,
        "calibration": 4,
        "n_resamples": 3,
        "indices": ["default", "hartigan", "sd"],
    }
    without, found = (choose_k(lumps(3), k=ks, **options) for ks in (range(2, 7), range(1, 7)))
    assert found.ks == (1, 2, 3, 4, 5, 6)
    assert (found.k, found.probability, found.answers) == (without.k, without.probability, without.answers)
    assert found.votes == without.votes
    assert found.structure == without.structure
    assert found.confidence == without.confidence
    assert found.calibrated == without.calibrated
    assert not found.labels[1].any()
    for name, values in without.values.items():
        assert {k: v for k, v in found.values[name].items() if k > 1} == values
        assert math.isnan(found.values[name][1])
        assert found.reasons[name][1] == "there is only one cluster"
    assert set(stack_of("numbers").criteria) <= found.values.keys()


@pytest.mark.parametrize("k", [1, 3])
def test_criteria_that_have_a_value_for_one_cluster_vote(k: int) -> None:
    X = lumps(k)
    ks = range(1, 4)
    choice = choose_k(
        X,
        "gaussian_mixture",
        k=ks,
        indices=["default", "gap", "bic"],
        n_references=8,
        stability=4,
        random_state=0,
    )
    defined = {name for name, values in choice.values.items() if not math.isnan(values[1])}
    assert defined == {"bic", "gap", "prediction_strength"}
    assert {choice.votes[name] for name in defined} == {k}
    whole = GaussianMixture(1).fit(X)
    assert choice.values["bic"][1] == pytest.approx(whole.bic(X))
    assert choice.stability is not None
    assert choice.stability.strength[1] == 1.0
    # Nothing else that resampling finds can be compared with one cluster.
    for other in (choice.stability.jaccard, choice.stability.instability, choice.stability.ambiguity):
        assert set(other) == {2, 3}
    against = {"gap-prefers-one", "bic-prefers-one", "low-prediction-strength"}
    assert against & set(codes(choice)) == (against if k == 1 else set())
    assert choice.probability is not None
    assert set(choice.probability) == {2, 3}


def test_one_cluster_is_recommended_by_those_that_compare_it(tmp_path: Any) -> None:
    choice = choose_k(lumps(1), "gaussian_mixture", k=range(1, 5), indices="bic", random_state=0)
    assert choice.k == 1
    assert choice.words.headline == (
        "No clusters on which two halves of the points agree; the criteria recommend 1."
    )
    assert not choice.profiles
    assert codes(choice) == ["bent-clusters-unseen"]
    report(k_choice=choice, output=tmp_path / "page.html")
    assert choose_k(lumps(2), "gaussian_mixture", k=range(1, 5), indices="bic", random_state=0).k == 2


def test_two_numbers_of_which_one_is_one() -> None:
    """Criteria without a value for one cluster can only vote for two, which says nothing."""
    alone = choose_k(lumps(1), k=(1, 2), random_state=0)
    assert "one-candidate" in codes(alone)
    assert "not compared with any other number" in alone.reason
    for k in (1, 2):
        found = choose_k(lumps(k), k=(1, 2), indices=["default", "gap"], n_references=20, random_state=0)
        assert (found.k, found.voters) == (k, ("gap",))
        assert "one-candidate" not in codes(found)


def test_ready_partitions_may_have_one_cluster() -> None:
    X = lumps(3)
    given = {k: np.arange(150) // 50 % k for k in (1, 2, 3)}
    assert sorted(choose_k(X, given).labels) == [2, 3]
    assert sorted(choose_k(X, given, k=(1, 2, 3)).labels) == [1, 2, 3]
