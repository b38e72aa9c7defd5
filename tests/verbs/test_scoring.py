"""Scorers give what the index gives, with the sign that scikit-learn maximises, wherever it takes a scorer."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, check_scoring, f1_score
from sklearn.model_selection import GridSearchCV, ShuffleSplit, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import adjudge
from adjudge import InputError
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.label_record import external
from adjudge.indices.structure_record import StructureIndex
from conftest import raises_line

X, Y = load_iris(return_X_y=True)
SPLITS = ShuffleSplit(2, test_size=60, random_state=0)
KMEANS = KMeans(3, n_init=2, random_state=0)
FITTED = clone(KMEANS).fit(X)
OTHER = KMeans(4, n_init=2, random_state=0).fit(X)


def scorer_of(record: Any) -> Any:
    options: dict[str, Any] = {}
    if record.better is None:
        options["greater_is_better"] = True
    if record.kind in ("comparative", "diversity"):
        options |= {"alternative": OTHER, "kind": "clustering"}
    return adjudge.make_scorer(record, **options)


def value_of(record: Any, points: Any, truth: Any, labels: Any) -> float:
    if record.kind == "internal":
        return record(points, labels)
    if record.kind in ("comparative", "diversity"):
        return record(truth, labels, OTHER.predict(points), kind="clustering")
    return record(truth, labels)


def signed(record: Any, value: float) -> float:
    return -value if record.better == "lower" else value


JUDGES_ONE = [
    r
    for r in adjudge.list_indices()
    if r.kind not in ("selection", "raters", "multilabel", "values") and not isinstance(r, StructureIndex)
]
CLUSTERING = [r for r in JUDGES_ONE if r.kind != "classification"]


def test_every_index_is_a_scorer_in_cross_validate() -> None:
    scoring = {record.name: scorer_of(record) for record in CLUSTERING}
    found = cross_validate(
        KMEANS, X, Y, cv=SPLITS, scoring=scoring, error_score="raise", return_estimator=True
    )
    assert len(CLUSTERING) > 90
    folds = zip(found["estimator"], SPLITS.split(X), strict=True)
    for fold, (estimator, (_, test)) in enumerate(folds):
        labels = estimator.predict(X[test])
        for record in CLUSTERING:
            value = signed(record, value_of(record, X[test], Y[test], labels))
            assert found[f"test_{record.name}"][fold] == pytest.approx(value, nan_ok=True), record.name


def test_what_reads_no_labels_is_no_scorer() -> None:
    with raises_line(InputError, "omega judges no labels that an estimator predicts: use evaluate()"):
        adjudge.make_scorer("omega")


@pytest.mark.full
def test_scores_of_classifiers_in_cross_validate() -> None:
    records = adjudge.list_indices("classification")
    scoring = {record.name: scorer_of(record) for record in records}
    classifier = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    found = cross_validate(classifier, X, Y, cv=SPLITS, scoring=scoring, return_estimator=True)
    for fold, (_, test) in enumerate(SPLITS.split(X)):
        fitted = found["estimator"][fold]
        for record in records:
            forecast = isinstance(record, ForecastIndex)
            judged = fitted.predict_proba(X[test]) if forecast else fitted.predict(X[test])
            expected = signed(record, record(Y[test], judged))
            assert found[f"test_{record.name}"][fold] == pytest.approx(expected, nan_ok=True), record.name
    assert found["test_accuracy"].min() > 0.9
    assert found["test_roc_auc"].min() > 0.9


def test_what_scores_of_probabilities_read() -> None:
    binary = Y == 2
    logistic = LogisticRegression(max_iter=1000).fit(X, binary)
    P, decisions = logistic.predict_proba(X), logistic.decision_function(X)
    assert adjudge.make_scorer("log_loss")(logistic, X, binary) == -adjudge.log_loss(binary, P)
    by_decisions = adjudge.make_scorer("partial_auc", response="scores")(logistic, X, binary)
    assert by_decisions == adjudge.partial_auc(binary, scores=decisions)
    machine = LinearSVC(dual="auto").fit(X, binary)
    expected = adjudge.roc_auc(binary, scores=machine.decision_function(X))
    assert adjudge.make_scorer("roc_auc")(machine, X, binary) == expected > 0.9
    with raises_line(adjudge.InputTypeError, "a LinearSVC has no predict_proba, which brier_score needs"):
        adjudge.make_scorer("brier_score")(machine, X, binary)
    with raises_line(
        adjudge.InputError, "brier_score needs probabilities: response='scores' only rank the instances"
    ):
        adjudge.make_scorer("brier_score", response="scores")
    with raises_line(adjudge.InputError, "accuracy reads labels: leave response= out"):
        adjudge.make_scorer("accuracy", response="scores")
    # Of a fold without one of the classes the columns are still known by what the estimator has learnt.
    some = np.flatnonzero(Y < 2)
    three = LogisticRegression(max_iter=1000).fit(X, Y)
    found = adjudge.make_scorer("log_loss")(three, X[some], Y[some])
    assert found == -adjudge.log_loss(Y[some], three.predict_proba(X[some]), classes=[0, 1, 2])


@pytest.mark.parametrize("name", ["positive", "pos_label"])
def test_a_positive_class_is_named_as_in_scikit_learn(name: str) -> None:
    points, truth = X[50:], np.where(Y[50:] == 1, "churn", "stay")
    option = {name: "churn"}
    logistic = LogisticRegression(C=0.001, max_iter=1000).fit(points, truth)
    machine = LinearSVC(C=0.0001, dual="auto").fit(points, truth)
    found = adjudge.make_scorer("f1", kind="classification", **option)(logistic, points, truth)
    assert found == pytest.approx(f1_score(truth, logistic.predict(points), pos_label="churn"))
    is_churn = truth == "churn"
    scorer = adjudge.make_scorer("average_precision", **option)
    found = scorer(logistic, points, truth)
    assert found == pytest.approx(average_precision_score(is_churn, logistic.predict_proba(points)[:, 0]))
    # Decision values are always those of the second class.
    found = scorer(machine, points, truth)
    assert found == pytest.approx(average_precision_score(is_churn, -machine.decision_function(points)))


def test_a_class_that_only_the_order_says_is_asked_for() -> None:
    points, truth = X[50:], np.where(Y[50:] == 1, "churn", "stay")
    logistic = LogisticRegression(C=0.001, max_iter=1000).fit(points, truth)
    for name in ("f1", "recall", "average_precision", "maximum_f1"):
        with raises_line(
            adjudge.InputError,
            f"{name} is of one class: pass make_scorer() positive='churn' or positive='stay'",
        ):
            adjudge.make_scorer(name)(logistic, points, truth)
    # Nothing is asked if the order changes nothing, or convention says what is meant.
    for name in ("accuracy", "roc_auc", "informedness", "log_loss"):
        adjudge.make_scorer(name)(logistic, points, truth)
    adjudge.make_scorer("f1", average="macro")(logistic, points, truth)
    numbers = (truth == "churn").astype(int)
    of_numbers = LogisticRegression(C=0.001, max_iter=1000).fit(points, numbers)
    found = adjudge.make_scorer("f1")(of_numbers, points, numbers)
    assert found == pytest.approx(f1_score(numbers, of_numbers.predict(points)))


def test_a_name_that_means_two_things_means_what_the_estimator_is() -> None:
    scorer = adjudge.make_scorer("f1")
    assert repr(scorer) == "make_scorer('f1')"
    classifier = make_pipeline(StandardScaler(), KNeighborsClassifier(3)).fit(X, Y)
    assert scorer(classifier, X, Y) == adjudge.f1(Y, classifier.predict(X))
    assert scorer(FITTED, X, Y) == adjudge.pair_f(Y, FITTED.predict(X))
    assert pickle.loads(pickle.dumps(scorer))(FITTED, X, Y) == scorer(FITTED, X, Y)
    # Only the score of classes has a positive class.
    assert adjudge.make_scorer("f1", positive=2).index is adjudge.f1
    with raises_line(
        adjudge.InputError,
        "a StandardScaler is neither a classifier nor a clusterer: pass make_scorer() kind='clustering' for pair_f of "
        "pairs of instances, or kind='classification' for f1 of classes",
    ):
        scorer(StandardScaler(), X, Y)
    assert adjudge.make_scorer("f1", kind="classification").index is adjudge.f1
    assert adjudge.make_scorer("f1", kind="clustering").index is adjudge.pair_f
    assert adjudge.make_scorer("silhouette", kind="clustering").index is adjudge.silhouette


@pytest.mark.parametrize(("name", "best"), [("davies_bouldin", min), ("silhouette", max), ("ari", max)])
def test_a_grid_search_takes_the_better_end(name: str, best: Any) -> None:
    grid = {"n_clusters": [2, 3, 5, 8]}
    search = GridSearchCV(KMEANS, grid, scoring=adjudge.make_scorer(name), cv=SPLITS).fit(X, Y)
    record = adjudge.find_index(name)
    means = {}
    for k in grid["n_clusters"]:
        values = []
        for train, test in SPLITS.split(X):
            labels = clone(KMEANS).set_params(n_clusters=k).fit(X[train]).predict(X[test])
            values.append(value_of(record, X[test], Y[test], labels))
        means[k] = float(np.mean(values))
    assert search.best_params_["n_clusters"] == best(means, key=means.__getitem__)
    assert search.best_score_ == pytest.approx(signed(record, best(means.values())))


def test_an_internal_index_needs_no_truth() -> None:
    found = cross_validate(KMEANS, X, cv=SPLITS, scoring=adjudge.make_scorer("dunn"))
    assert (found["test_score"] > 0).all()
    with raises_line(adjudge.InputError, "rand compares labels with the truth: y is missing"):
        adjudge.make_scorer("rand")(FITTED, X)


@pytest.mark.parametrize("estimator", [DBSCAN(eps=0.8), AgglomerativeClustering(3)], ids=["dbscan", "ward"])
def test_an_estimator_without_predict_clusters_what_it_is_judged_on(estimator: Any) -> None:
    judged = X[::2]
    expected = adjudge.adjusted_rand(Y[::2], clone(estimator).fit_predict(judged))
    estimator.fit(X)
    assert adjudge.make_scorer("ari")(estimator, judged, Y[::2]) == expected > 0.3
    assert estimator.labels_.shape == Y.shape  # the estimator itself is left as it was fitted


def test_parameters_reach_the_index() -> None:
    dbscan = DBSCAN(eps=0.4).fit(X)
    labels = dbscan.labels_
    assert (labels == -1).any()
    for noise in ("cluster", "singletons", "drop"):
        assert adjudge.make_scorer("rand", noise=noise)(dbscan, X, Y) == adjudge.rand(Y, labels, noise=noise)
    manhattan = adjudge.make_scorer("silhouette", metric="manhattan")(FITTED, X)
    assert manhattan == adjudge.silhouette(X, FITTED.labels_, metric="manhattan")


def test_the_other_model_may_be_a_function() -> None:
    options = {"kind": "clustering"}
    by_estimator = adjudge.make_scorer("effective_superiority", alternative=OTHER, **options)
    by_function = adjudge.make_scorer("effective_superiority", alternative=OTHER.predict, **options)
    assert by_estimator(FITTED, X, Y) == by_function(FITTED, X, Y) != 0


def test_undefined_is_nan_or_what_was_asked_for() -> None:
    one = KMeans(1, n_init=1, random_state=0).fit(X)
    assert math.isnan(adjudge.make_scorer("silhouette")(one, X))
    assert adjudge.make_scorer("silhouette", undefined=-1)(one, X) == -1
    # The number is the score: it is not negated where lower is better.
    assert adjudge.make_scorer("davies_bouldin", undefined=-9.0)(one, X) == -9
    with pytest.raises(adjudge.InputError, match="silhouette is undefined for these labels"):
        adjudge.make_scorer("silhouette", undefined="raise")(one, X)


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite:UserWarning")
def test_a_grid_search_ranks_undefined_last() -> None:
    search = GridSearchCV(
        KMEANS, {"n_clusters": [1, 2]}, scoring=adjudge.make_scorer("silhouette"), cv=SPLITS
    ).fit(X)
    assert search.best_params_ == {"n_clusters": 2}
    assert search.cv_results_["rank_test_score"].tolist() == [2, 1]


@pytest.mark.parametrize(
    "how", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))], ids=["copy", "pickle"]
)
@pytest.mark.parametrize("name", ["ari", "davies_bouldin", "silhouette"])
def test_a_scorer_travels(how: Any, name: str) -> None:
    scorer = adjudge.make_scorer(name, noise="drop", undefined=-2.0)
    again = how(scorer)
    assert again == scorer
    assert again.index is scorer.index
    assert again(FITTED, X, Y) == scorer(FITTED, X, Y)


def test_a_scorer_is_cloned_with_its_search() -> None:
    search = GridSearchCV(KMEANS, {"n_clusters": [3]}, scoring=adjudge.make_scorer("ari"), cv=SPLITS)
    assert clone(search).fit(X, Y).best_score_ == search.fit(X, Y).best_score_


def test_a_scorer_is_a_scorer_to_scikit_learn() -> None:
    scorer = adjudge.make_scorer("ari")
    assert check_scoring(KMEANS, scoring=scorer) is scorer
    assert repr(adjudge.make_scorer("davies_bouldin", noise="drop")) == (
        "make_scorer('davies_bouldin', noise='drop', greater_is_better=False)"
    )


def test_a_record_of_ones_own_is_a_scorer() -> None:
    @external(title="Share", better="lower", range=(0, 1), reference="rand1971")
    def unlike(pairs: adjudge.statistics.PairCounts) -> float:
        """Pairs on which the partitions differ."""
        return (pairs.yn + pairs.ny) / pairs.total

    scorer = adjudge.make_scorer(unlike)
    assert scorer(FITTED, X, Y) == pytest.approx(adjudge.rand(Y, FITTED.labels_) - 1)
    assert copy.copy(scorer) == scorer


@pytest.mark.parametrize("name", [r.name for r in adjudge.list_indices("selection")])
def test_criteria_of_a_sweep_are_sent_to_choose_k(name: str) -> None:
    line = f"{name} reads partitions into several numbers of clusters: use choose_k()"
    with raises_line(adjudge.InputError, line):
        adjudge.make_scorer(name)


WEIGHT = np.random.default_rng(0).integers(1, 5, Y.size).astype(float)
LOGISTIC = LogisticRegression(C=0.01)


@pytest.fixture
def _routed() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def weighed(name: str, kind: Any = "clustering") -> Any:
    """A scorer that asks for weights."""
    meaning = {} if kind == "classification" else {"weights": "importance"}
    return adjudge.make_scorer(name, kind=kind, **meaning).set_score_request(sample_weight=True)


def test_weights_reach_the_index() -> None:
    labels, classifier = FITTED.predict(X), clone(LOGISTIC).fit(X, Y)
    scorer = adjudge.make_scorer("ari", weights="frequency")
    assert scorer(FITTED, X, Y) == adjudge.adjusted_rand(Y, labels)
    found = scorer(FITTED, X, Y, sample_weight=WEIGHT)
    assert found == adjudge.adjusted_rand(Y, labels, sample_weight=WEIGHT, weights="frequency")
    repeated = np.repeat(np.arange(Y.size), WEIGHT.astype(int))
    assert (
        found == pytest.approx(adjudge.adjusted_rand(Y[repeated], labels[repeated])) != scorer(FITTED, X, Y)
    )
    of_points = adjudge.make_scorer("davies_bouldin", weights="importance")
    expected = -adjudge.davies_bouldin(X, labels, sample_weight=WEIGHT, weights="importance")
    assert of_points(FITTED, X, sample_weight=WEIGHT) == expected
    forecast = adjudge.make_scorer("log_loss")(classifier, X, Y, sample_weight=WEIGHT)
    assert forecast == -adjudge.log_loss(Y, classifier.predict_proba(X), sample_weight=WEIGHT)
    ambiguous = adjudge.make_scorer("f1")(classifier, X, Y, sample_weight=WEIGHT)
    assert ambiguous == adjudge.f1(Y, classifier.predict(X), sample_weight=WEIGHT)
    with pytest.raises(InputError, match="sample_weight= can mean two things: pass weights='frequency'"):
        adjudge.make_scorer("ari")(FITTED, X, Y, sample_weight=WEIGHT)


@pytest.mark.usefixtures("_routed")
@pytest.mark.parametrize("name", ["ari", "accuracy"])
def test_weights_are_routed_in_cross_validate(name: str) -> None:
    kind = "clustering" if name == "ari" else "classification"
    estimator = clone(KMEANS if name == "ari" else LOGISTIC).set_fit_request(sample_weight=True)
    options = {} if name == "accuracy" else {"weights": "importance"}
    plain = adjudge.make_scorer("mcc").set_score_request(sample_weight=False)
    found = cross_validate(
        estimator,
        X,
        Y,
        cv=SPLITS,
        scoring={"weighed": weighed(name, kind), "plain": plain},
        params={"sample_weight": WEIGHT},
        return_estimator=True,
        error_score="raise",
    )
    index = adjudge.find_index(name)
    for i, ((train, test), fitted) in enumerate(zip(SPLITS.split(X), found["estimator"], strict=True)):
        again = clone(estimator).fit(X[train], Y[train], sample_weight=WEIGHT[train])
        labels = fitted.predict(X[test])
        assert np.array_equal(labels, again.predict(X[test]))
        expected = index(Y[test], labels, sample_weight=WEIGHT[test], **options)
        assert found["test_weighed"][i] == expected != index(Y[test], labels)
        assert found["test_plain"][i] == adjudge.matthews_correlation(Y[test], labels)


@pytest.mark.usefixtures("_routed")
def test_weights_are_routed_in_a_grid_search() -> None:
    estimator = clone(LOGISTIC).set_fit_request(sample_weight=True)
    scorer = weighed("balanced_accuracy", "classification")
    search = GridSearchCV(estimator, {"C": [1e-4, 1.0]}, scoring=scorer, cv=SPLITS)
    search.fit(X, Y, sample_weight=WEIGHT)
    expected = []
    for train, test in SPLITS.split(X):
        fitted = clone(estimator).set_params(**search.best_params_)
        labels = fitted.fit(X[train], Y[train], sample_weight=WEIGHT[train]).predict(X[test])
        expected.append(adjudge.balanced_accuracy(Y[test], labels, sample_weight=WEIGHT[test]))
    assert search.best_score_ == pytest.approx(np.mean(expected))
    # Another name, and a request that is missing or refused.
    alias = adjudge.make_scorer("accuracy").set_score_request(sample_weight="grams")
    options: dict[str, Any] = {"cv": SPLITS, "params": {"grams": WEIGHT}}
    found = cross_validate(clone(LOGISTIC), X, Y, scoring=alias, **options)
    unasked = cross_validate(clone(LOGISTIC), X, Y, scoring=adjudge.make_scorer("accuracy"), cv=SPLITS)
    assert not np.array_equal(found["test_score"], unasked["test_score"])
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        cross_validate(
            estimator, X, Y, scoring=adjudge.make_scorer("accuracy"), params={"sample_weight": WEIGHT}
        )
    refused = adjudge.make_scorer("accuracy").set_score_request(sample_weight=False)
    plain = cross_validate(estimator, X, Y, scoring=refused, cv=SPLITS, params={"sample_weight": WEIGHT})
    assert plain["test_score"].shape == (2,)
    again = pickle.loads(pickle.dumps(alias))
    assert again.requests == alias.requests == {"sample_weight": "grams"}


def test_a_search_without_routing_passes_weights_on() -> None:
    scorers = {name: adjudge.make_scorer(name, weights="frequency") for name in ("ari", "davies_bouldin")}
    search = GridSearchCV(
        KMEANS, {"n_clusters": [3]}, scoring=scorers, refit="ari", cv=SPLITS, error_score="raise"
    )
    search.fit(X, Y, sample_weight=WEIGHT)
    values = []
    for train, test in SPLITS.split(X):
        labels = clone(KMEANS).fit(X[train], sample_weight=WEIGHT[train]).predict(X[test])
        values.append(adjudge.adjusted_rand(Y[test], labels, sample_weight=WEIGHT[test], weights="frequency"))
    assert search.best_score_ == pytest.approx(np.mean(values))
    # scikit-learn warns of what has no weights, or none that are known to mean something.
    search = GridSearchCV(KMEANS, {"n_clusters": [3]}, scoring=adjudge.make_scorer("ari"), cv=SPLITS)
    with pytest.warns(UserWarning, match="does not support sample_weight"):
        search.fit(X, Y, sample_weight=WEIGHT)


@pytest.mark.usefixtures("_routed")
def test_weights_that_cannot_be_asked_for() -> None:
    superiority = adjudge.make_scorer("effective_superiority", alternative=OTHER, kind="clustering")
    for call in (
        lambda: superiority.set_score_request(sample_weight=True),
        lambda: superiority(FITTED, X, Y, sample_weight=WEIGHT),
    ):
        with raises_line(InputError, "effective_superiority has no weights: leave sample_weight= out"):
            call()
    with raises_line(
        InputError,
        "sample weights of adjusted_rand can mean two things: pass make_scorer() weights='frequency' or "
        "weights='importance'",
    ):
        adjudge.make_scorer("ari").set_score_request(sample_weight=True)
    unasked = adjudge.make_scorer("ari").set_score_request(sample_weight=False)
    assert unasked.requests == {"sample_weight": False}
    with (
        sklearn.config_context(enable_metadata_routing=False),
        raises_line(
            InputError,
            "scikit-learn routes no metadata: call sklearn.set_config() with enable_metadata_routing=True",
        ),
    ):
        adjudge.make_scorer("accuracy").set_score_request(sample_weight=True)


BAD: list[tuple[dict[str, Any], str]] = [
    (
        {"index": "joint_entropy"},
        "neither high nor low values of joint_entropy are better: pass greater_is_better=True or False",
    ),
    ({"index": "rand", "undefined": "zero"}, "undefined='zero' is not known: give a number, or 'raise'"),
    (
        {"index": "rand", "alternative": OTHER},
        "rand judges one model: alternative= is for measures that compare two models",
    ),
    (
        {"index": "polarization", "kind": "clustering"},
        "polarization compares two models: pass alternative=, a fitted estimator",
    ),
    (
        {"index": "polarization", "alternative": OTHER},
        "polarization needs kind='clustering' or kind='classification'",
    ),
    (
        {"index": "rand", "weights": "grams"},
        "weights='grams' is not known: choose one of 'frequency', 'importance'",
    ),
]


@pytest.mark.parametrize(("call", "line"), BAD, ids=[line for _, line in BAD])
def test_what_cannot_be_is_said_at_once(call: dict[str, Any], line: str) -> None:
    with raises_line(adjudge.InputError, line):
        adjudge.make_scorer(**call)


def test_what_is_of_a_wrong_type_is_said_at_once() -> None:
    line = "alternative is an int: give a fitted estimator, or a function of X"
    with raises_line(adjudge.InputTypeError, line):
        adjudge.make_scorer("polarization", kind="clustering", alternative=3)
    line = "rand has no parameter 'beta': choose one of weights, missing, noise, noise_label"
    with raises_line(adjudge.InputTypeError, line):
        adjudge.make_scorer("rand", beta=2)


def test_an_estimator_that_labels_nothing() -> None:
    with raises_line(
        adjudge.InputTypeError, "a StandardScaler cannot label points: it has neither predict nor fit_predict"
    ):
        adjudge.make_scorer("ari")(StandardScaler(), X, Y)


def test_a_baseline_is_worse() -> None:
    baseline = DummyClassifier().fit(X, Y)
    scorer = adjudge.make_scorer("comparative_rightness", alternative=baseline, kind="classification")
    assert cross_validate(KNeighborsClassifier(), X, Y, cv=SPLITS, scoring=scorer)["test_score"].min() > 0.4
