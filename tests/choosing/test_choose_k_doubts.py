"""What a choice of K says against itself, and one cluster among the numbers compared."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture

import adjudge
from adjudge import InputError, choose_k, report
from adjudge.choosing.k_warnings import doubts_about
from adjudge.choosing.verdict import stack_of
from adjudge.presentation.numbers import percent_text


def codes(choice: Any) -> list[str]:
    return [notice.code for notice in choice.warnings]


@pytest.fixture(scope="module")
def iris() -> Any:
    return load_iris().data


def blobs(k: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(k)
    X = np.concatenate([rng.normal((6 * i, 6 * (i % 2)), 0.3, size=(40, 2)) for i in range(k)])
    return X, np.repeat(np.arange(k), 40)


def test_iris_is_told_that_no_partition_may_show_the_species(iris: Any) -> None:
    choice = choose_k(iris, random_state=0)
    said = {notice.code: notice for notice in choice.warnings}
    some = sum(choice.probability.values())
    assert some < 0.5
    assert f"shows the clusters is {percent_text(1 - some)}" in said["none-may-be-right"].message


def test_the_tally_the_bootstrap_and_other_numbers_are_heard_against_it() -> None:
    sure = choose_k(blobs(3)[0], k=range(2, 6), random_state=0)
    against = dataclasses.replace(
        sure,
        tally={2: 5.0, 3: 1.5},
        confidence={2: 0.6, 3: 0.4},
        probability={2: 0.2, 3: 0.4, 4: 0.05, 5: 0.25},
        answers=(3, 5),
    )
    said = {notice.code: notice for notice in doubts_about(against, against.n)}
    assert said.keys() == {"close-call", "several-answers", "tally-disagrees", "bootstrap-disagrees"}
    assert "K = 2, with 5.00 votes to 1.50" in said["tally-disagrees"].message
    assert said["bootstrap-disagrees"].message == "K = 2 wins in 60 % of the bootstrap samples, K = 3 in 40 %"
    assert "a probability of only 44 %" in said["close-call"].message
    assert said["close-call"].remedy == "look at the partitions into 2 and 5 clusters too"
    assert said["several-answers"].message.startswith("K = 5 stands out")


def test_two_criteria_that_agree_on_another_number_are_heard() -> None:
    sure = choose_k(blobs(3)[0], k=range(2, 6), random_state=0)

    def said(**votes: int | None) -> dict[str, str]:
        changed = dataclasses.replace(sure, votes=sure.votes | votes)
        return {notice.code: notice.message for notice in doubts_about(changed, changed.n)}

    assert said(cvnn=4, log_det_ratio=4)["two-prefer-another"].startswith(
        "cvnn and log_det_ratio both vote for K = 4: the two were right more often than the verdict on"
    )
    for cvnn, other in ((4, 3), (3, 3), (4, None), (None, None), (4, 5)):
        assert "two-prefer-another" not in said(cvnn=cvnn, log_det_ratio=other)
    # Without a probability there is no verdict of the study that they could contradict.
    votes = dataclasses.replace(sure, probability=None, votes=sure.votes | {"cvnn": 4, "log_det_ratio": 4})
    assert "two-prefer-another" not in codes(
        dataclasses.replace(votes, warnings=doubts_about(votes, votes.n))
    )


def test_criteria_of_the_verdict_that_have_nothing_to_say_are_named() -> None:
    X, _ = blobs(4)
    dependent = np.column_stack([X, 10 - X.sum(axis=1), np.full(160, 3.0)])
    plain = choose_k(X, k=range(2, 7), random_state=0)
    found = choose_k(dependent, plain.labels, random_state=0)
    # Columns that follow from others take no reading away.
    assert found.values["log_det_ratio"] == pytest.approx(plain.values["log_det_ratio"])
    assert found.votes["log_det_ratio"] == 4
    assert "lacking-axes" not in codes(plain)
    (said,) = [notice.message for notice in found.warnings if notice.code == "lacking-axes"]
    assert said.startswith("the points differ along 2 of the 4 axes only")
    assert "the determinants of log_det_ratio are those on these axes" in said
    assert "reading-drops-out" not in codes(plain) + codes(found)

    def without(*given: Any, **options: Any) -> list[str]:
        choice = choose_k(*given, random_state=0, **options)
        assert choice.probability is not None
        return [own.message for own in choice.warnings if own.code == "reading-drops-out"]

    assert without(X, k=(3, 4)) == [
        "the verdict is without log_det_ratio, which has no vote for these numbers of clusters (its differences need "
        "three of them)",
        "the verdict is without cvnn, which has no value for these numbers of clusters (0/0: no near neighbour of any "
        "of the partitions lies in another cluster)",
    ]
    few = np.random.default_rng(0).normal(size=(20, 30))
    assert without(few, k=range(2, 6)) == [
        "the verdict is without log_det_ratio, which has no value for these numbers of clusters (division by zero: the "
        "within-cluster scatter matrix is singular)"
    ]


def test_votes_that_are_divided_are_said(iris: Any) -> None:
    choice = choose_k(iris, random_state=0, indices=["calinski_harabasz", "ccc", "silhouette", "gdi13"])
    assert choice.probability is None
    said = {notice.code: notice for notice in choice.warnings}
    votes = sum(choice.votes[name] == choice.k for name in choice.voters)
    assert said["weak-plurality"].message.startswith(f"only {votes} of the 4 criteria vote")


def test_every_front_end_says_it(iris: Any) -> None:
    choice = choose_k(iris, random_state=0, indices="all")
    for notice in choice.warnings:
        assert str(notice) in repr(choice)
        assert notice.message.split(":")[0] in choice._repr_html_()
    assert [w["code"] for w in json.loads(json.dumps(choice.to_dict()))["warnings"]] == codes(choice)


@pytest.mark.parametrize(("ks", "edge"), [([2, 3], "largest"), ([3, 4, 5], "smallest"), ([2, 3, 4], None)])
def test_the_end_of_the_range_is_said_if_it_could_go_on(ks: list[int], edge: str | None) -> None:
    choice = choose_k(blobs(3)[0], k=ks, random_state=0, indices="all")
    assert choice.k == 3
    found = [notice.message for notice in choice.warnings if notice.code == "range-edge"]
    assert found == ([] if edge is None else [f"K = 3 is the {edge} number of clusters that was tried"])


def test_two_clusters_are_no_edge() -> None:
    choice = choose_k(blobs(2)[0], k=range(2, 6), random_state=0, indices="all")
    assert choice.k == 2
    assert "range-edge" not in codes(choice)


def test_a_clear_answer_has_nothing_against_it() -> None:
    assert codes(choose_k(blobs(3)[0], k=range(2, 7), random_state=0, n_resamples=10, indices="all")) == []


def test_a_single_candidate_is_not_a_choice() -> None:
    choice = choose_k(blobs(3)[0], k=3, random_state=0, indices="all")
    assert codes(choice) == ["one-candidate"]
    assert choice.reason.endswith("; K = 3 was not compared with any other number of clusters")
    assert "give several to k=" in str(choice.warnings[0])


def test_noise_of_ready_labels_is_said_and_left_out() -> None:
    X, truth = blobs(3)
    noisy = np.where(np.arange(120) % 20 == 0, -1, truth)
    merged = np.where(noisy == 2, 1, noisy)
    with pytest.raises(InputError, match=r"labels\[2\] has 3 clusters.*noise, which noise='drop' leaves out"):
        choose_k(X, {2: merged, 3: noisy}, [2, 3])
    said = choose_k(X, {3: merged, 4: noisy}, [3, 4], indices="all")
    assert "noise-is-a-cluster" in codes(said)
    assert "6 in K = 3" in str(said.warnings[0])
    dropped = choose_k(X, {2: merged, 3: noisy}, [2, 3], noise="drop", indices="all")
    kept = noisy >= 0
    alone = choose_k(X[kept], {2: merged[kept], 3: noisy[kept]}, [2, 3], indices="all")
    assert dropped.values == alone.values
    assert (dropped.k, dropped.n) == (3, 114)
    assert np.array_equal(dropped.labels[3], noisy)
    assert "noise-is-a-cluster" not in codes(dropped)


def test_noise_that_is_not_there_is_said() -> None:
    X, truth = blobs(3)
    labels = {2: np.minimum(truth, 1), 3: truth}
    assert "no-noise-found" in codes(choose_k(X, labels, [2, 3], noise="drop", indices="all"))
    named = {k: np.where(np.arange(120) % 40 == 0, "none", own.astype(str)) for k, own in labels.items()}
    assert choose_k(X, named, [2, 3], noise="drop", noise_label="none", indices="all").n == 117


def test_noise_is_not_left_out_of_resamples() -> None:
    def with_noise(X: Any, k: int) -> Any:
        labels = adjudge.choosing.estimators.KMeans(1).fit(X, [k], np.random.SeedSequence(0))[k].codes.copy()
        labels[labels == 0] = np.where(np.arange((labels == 0).sum()) == 0, -1, 0)
        return labels

    X, _ = blobs(3)
    assert choose_k(X, with_noise, [2, 3], noise="drop", indices="silhouette").n < 120
    with pytest.raises(InputError, match="leave out n_resamples="):
        choose_k(X, with_noise, [2, 3], noise="drop", n_resamples=5)


def test_singletons_are_refused() -> None:
    with pytest.raises(InputError, match="noise='singletons' is not known"):
        choose_k(blobs(3)[0], noise="singletons")


def test_a_choice_from_few_of_the_points_is_said() -> None:
    X, truth = blobs(4)
    noisy = np.where(np.arange(160) % 40 < 25, -1, truth)
    labels = {3: np.where(noisy == 3, 2, noisy), 4: noisy}
    choice = choose_k(X, labels, [3, 4], noise="drop", indices="all")
    (found,) = [notice for notice in choice.warnings if notice.code == "low-coverage"]
    assert found.message.startswith("62.5 % of the points are left out as noise")


@pytest.mark.parametrize("estimator", ["kmeans", "ward", "gaussian_mixture"])
def test_few_distinct_points_allow_few_clusters(estimator: str) -> None:
    rows = np.random.default_rng(0).integers(0, 6, size=200)
    places = np.array([[0, 0], [0, 9], [9, 0], [9, 9], [30, 0], [0, 30]], float)
    choice = choose_k(places[rows], estimator, random_state=0)
    assert choice.ks == (2, 3, 4, 5)
    (said,) = [notice for notice in choice.warnings if notice.code == "few-distinct-points"]
    assert said.message == "only 6 of the points are distinct, so no more than 5 clusters can be compared"
    assert "range-edge" not in codes(choice)
    assert "few-distinct-points" not in codes(choose_k(places[rows], estimator, [2, 3], random_state=0))
    with pytest.raises(InputError, match="X has 2 distinct points: at least 3 are needed to compare K"):
        choose_k(places[rows % 2], estimator)


def test_one_draw_of_places_does_not_refute_halves_that_agree() -> None:
    choice = choose_k(blobs(3)[0], k=range(2, 6), random_state=0)
    even = dataclasses.replace(choice, structure={**choice.structure, "hopkins_p_value": 0.4})
    silent = dataclasses.replace(even, structure={**even.structure, "halves_agree": 0.1})
    assert choice.there_are
    assert "spread-evenly" not in {notice.code for notice in doubts_about(even, even.n)}
    assert "spread-evenly" in {notice.code for notice in doubts_about(silent, silent.n)}


def lumps(k: int) -> np.ndarray:
    rng = np.random.default_rng(k)
    return np.concatenate([rng.normal((6 * i, 6 * (i % 2)), 1, size=(50, 2)) for i in range(k)])


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
