"""The runner: fits in parallel, resumes, records what fails; and the data sets that come with the package."""

from __future__ import annotations

import math
import shlex
import sys
from typing import ClassVar

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import Perceptron
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import adjudge
from adjudge import benchmark
from adjudge.benchmarking.fitting import _prepared, fit_clusters, fit_fold
from adjudge.benchmarking.folder import read_suite
from adjudge.benchmarking.runner import Plan
from adjudge.errors import InputError, InputTypeError
from adjudge.indices.catalog import find_index

SETS = ["generated/blobs", "generated/moons", "generated/rings", "sklearn/iris"]
CALLS: list[int] = []


def halves(X):
    CALLS.append(1)
    return (X[:, 0] > X[:, 0].mean()).astype(int)


def fails_in_low_dimensions(X, n_clusters):
    if X.shape[1] < 3:
        raise ValueError("needs three\ncoordinates")
    return np.arange(len(X)) % n_clusters


@pytest.fixture(autouse=True)
def _forget():
    CALLS.clear()


def test_clusterers_functions_and_failures():
    models = {
        "ward": AgglomerativeClustering(),
        "mixture": GaussianMixture(n_init=1),
        "halves": halves,
        "broken": fails_in_low_dimensions,
    }
    result = benchmark.run(models, SETS)
    iris = benchmark.suite(["sklearn/iris"])["sklearn/iris"]
    ward = AgglomerativeClustering(3).fit_predict(iris.X)
    assert result.scores["sklearn/iris"]["ward"] == adjudge.adjusted_rand(iris.y, ward)
    assert math.isnan(result.scores["generated/moons"]["broken"])
    assert result.reasons["generated/moons", "broken"] == "ValueError: needs three coordinates"
    assert not math.isnan(result.scores["sklearn/iris"]["broken"])
    assert result.n_complete == 1
    assert any("3 fits failed" in note for note in result.notes)
    assert all(value > 0 for value in result.costs["seconds"].values())
    assert result.across("ward", "halves").pooled.total > 0
    filled = benchmark.run(models, SETS, missing_score=0.0)
    assert filled.n_complete == 4
    assert [row[0] for row in filled.table_of_costs().rows] == list(models)


@pytest.mark.full
def test_finished_fits_are_not_done_again(tmp_path):
    pytest.importorskip("polars")
    models = {"halves": halves, "k-means": KMeans(n_init=1)}
    first = benchmark.run(models, SETS, work=tmp_path, n_repeats=2)
    assert len(CALLS) == 8
    again = benchmark.run(models, SETS, work=tmp_path, n_repeats=2)
    assert len(CALLS) == 8
    assert again.scores == first.scores
    assert again.costs == first.costs
    changed = {"halves": halves, "k-means": KMeans(n_init=2)}
    lost = sorted(tmp_path.glob("*halves*.json"))[0]
    lost.unlink()
    benchmark.run(changed, SETS, work=tmp_path, n_repeats=2)
    assert len(CALLS) == 9
    benchmark.run(models, SETS, work=tmp_path, n_repeats=2, random_state=1)
    assert len(CALLS) == 17


def test_a_run_that_was_killed_goes_on(tmp_path):
    pytest.importorskip("polars")

    def stops(X):
        if len(CALLS) == 2:
            raise KeyboardInterrupt
        return halves(X)

    models = {"stops": stops, "ward": AgglomerativeClustering()}
    with pytest.raises(KeyboardInterrupt):
        benchmark.run(models, SETS, work=tmp_path)
    assert len(list(tmp_path.glob("*.parquet"))) == 4
    CALLS.append(1)
    result = benchmark.run(models, SETS, work=tmp_path)
    assert len(CALLS) == 5
    assert result.n_complete == 4


def test_predictions_are_parquet(tmp_path):
    polars = pytest.importorskip("polars")
    sets = {"a": (np.random.default_rng(0).normal(size=(60, 2)), np.repeat(["x", "y"], 30))}
    sets["b"] = sets["a"]
    models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}
    benchmark.run(models, sets, cv=3, work=tmp_path)
    frame = polars.read_parquet(next(tmp_path.glob("a-nb-0*.parquet")))
    assert frame.columns == ["fold", "row", "label"]
    assert sorted(frame["row"].to_list()) == list(range(60))
    assert set(frame["label"].to_list()) <= {"x", "y"}
    assert benchmark.run(models, sets, cv=3, work=tmp_path).scores == benchmark.run(models, sets, cv=3).scores


@pytest.mark.full
def test_classifiers_meet_the_same_folds():
    models = {"knn": KNeighborsClassifier(), "again": KNeighborsClassifier(), "nb": GaussianNB()}
    result = benchmark.run(models, ["sklearn/iris", "sklearn/wine"], cv=5, n_repeats=2)
    assert result.scores["sklearn/iris"]["knn"] == result.scores["sklearn/iris"]["again"]
    assert result.folds.scores["sklearn/wine"]["nb"].shape == (10,)
    assert result.folds.test_shares["sklearn/wine"] == pytest.approx(0.2)
    agreement = result.across("knn", "nb").by_dataset["sklearn/iris"]
    assert agreement.total == 150
    one = benchmark.run(models, ["sklearn/iris", "sklearn/wine"], cv=5)
    correct = (agreement.both_right + agreement.right_wrong) / 150
    assert one.scores["sklearn/iris"]["knn"] == pytest.approx(correct)
    assert result.bayesian(test="hierarchical", rope=0.01, n_draws=400)["knn", "nb"].mean is not None


@pytest.mark.full
def test_results_do_not_depend_on_the_number_of_workers():
    models = {"k-means": KMeans(n_init=1), "mixture": GaussianMixture()}
    found = [benchmark.run(models, SETS[:2], n_jobs=n).scores for n in (1, 2)]
    assert found[0] == found[1]


CLUSTER = (
    "import sys, numpy as np; X = np.loadtxt(sys.argv[1], delimiter=','); "
    "np.savetxt(sys.argv[2], (X[:, 0] > X[:, 0].mean()).astype(int), fmt='%d')"
)
CLASSIFY = (
    "import sys, csv, collections; y = [r[-1] for r in csv.reader(open(sys.argv[1]))]; "
    "top = collections.Counter(y).most_common(1)[0][0]; "
    "open(sys.argv[3], 'w').writelines(top + chr(10) for _ in open(sys.argv[2]))"
)


@pytest.mark.full
def test_commands_cluster_and_classify():
    run = f"{shlex.quote(sys.executable)} -c {shlex.quote(CLUSTER)} {{data}} {{labels}}"
    result = benchmark.run({"command": run, "function": halves}, SETS[:2])
    assert all(row["command"] == row["function"] for row in result.scores.values())
    run = f"{shlex.quote(sys.executable)} -c {shlex.quote(CLASSIFY)} {{train}} {{test}} {{labels}}"
    result = benchmark.run({"most frequent": run, "nb": GaussianNB()}, ["sklearn/iris", "sklearn/wine"], cv=3)
    assert result.scores["sklearn/iris"]["most frequent"] == pytest.approx(1 / 3, abs=0.02)


def test_commands_that_fail_are_recorded():
    models = {
        "fails": "echo no luck >&2; exit 3 # {data} {labels}",
        "silent": "true {data} {labels}",
        "halves": halves,
    }
    result = benchmark.run(models, SETS[:2], missing_score=0.0)
    assert result.reasons["generated/moons", "fails"] == "RuntimeError: the command ended with 3: no luck"
    assert result.reasons["generated/moons", "silent"] == "RuntimeError: the command wrote no labels"


def test_what_a_model_is_told():
    told = _prepared(make_pipeline(PCA(n_components=2), GaussianMixture()), 7, 5)
    assert (told[0].n_components, told[1].n_components, told[1].random_state) == (2, 5, 7)
    assert fit_clusters(lambda X: [0, 1], np.zeros((3, 1)), None, 0).error.startswith("3 labels are needed")


@pytest.mark.parametrize(
    ("estimators", "options", "message"),
    [
        ({"a": halves}, {}, "two or more"),
        ({"a": halves, "b": 3}, {}, "'b' is an int"),
        ({"a": halves, "b": "run {data}"}, {}, "lacks {labels}"),
        ({"a": halves, "b": "run {data} {labels} {what}"}, {}, "may hold"),
        ({"a": halves, "b": halves}, {"cv": 1}, "cv=1"),
        ({"a": halves, "b": halves}, {"n_repeats": 0}, "n_repeats=0"),
        ({"a": halves, "b": halves}, {"datasets": {"x": ([[1]], [1, 2])}}, "X has shape"),
        ({"a": halves, "b": halves}, {"datasets": "nothing"}, "neither a folder nor a battery"),
    ],
)
def test_what_cannot_be_run_is_refused(estimators, options, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        benchmark.run(estimators, **{"datasets": SETS[:1], **options})


def test_the_data_sets_of_the_package():
    suite = benchmark.suite()
    assert repr(suite["sklearn/iris"]) == "<Dataset sklearn/iris: 150 points, 4 columns, 3 clusters>"
    assert len(suite) == 26
    for name, data in suite.items():
        assert data.X.shape[0] == data.y.size, name
        assert np.isfinite(data.X).all()
        assert 2 <= data.n_clusters <= 12
        assert data.source
        assert data.licence
    assert suite["wut/mk1"].X.shape == (300, 2)
    again = benchmark.suite("generated")
    assert all((again[name].X == suite[name].X).all() for name in again)


def test_a_suite_in_a_folder(tmp_path):
    (tmp_path / "fcps").mkdir()
    (tmp_path / "fcps" / "two.data").write_text("0 0\n1 1\n5 5\n6 6\n9 9\n")
    (tmp_path / "fcps" / "two.labels0").write_text("1\n1\n2\n2\n0\n")
    (tmp_path / "fcps" / "two.labels1").write_text("1\n1\n2\n2\n2\n")
    data = read_suite(tmp_path)["fcps/two"]
    assert (data.X.shape, data.noise, data.n_clusters, len(data.truths)) == ((5, 2), 0, 2, 2)
    result = benchmark.run({"ward": AgglomerativeClustering(), "halves": halves}, tmp_path)
    assert result.scores["fcps/two"]["ward"] == 1.0
    (tmp_path / "fcps" / "two.labels1").unlink()
    (tmp_path / "fcps" / "two.labels0").write_text("1\n1\n")
    with pytest.raises(InputError, match=r"labels0 has 2 labels, two.data has 5 points"):
        read_suite(tmp_path)


def shares_of_classes(X_train, y_train, X_test):
    _, counts = np.unique(y_train, return_counts=True)
    return np.tile(counts / counts.sum(), (len(X_test), 1))


class TestProbabilities:
    SETS: ClassVar = ("sklearn/iris", "sklearn/wine")
    MODELS: ClassVar = {
        "bayes": GaussianNB(),
        "neighbours": KNeighborsClassifier(15),
        "shares": shares_of_classes,
    }

    @pytest.mark.full
    @pytest.mark.parametrize("score", ["log_loss", "brier_score", "roc_auc_ovr"])
    def test_scores_are_those_of_predict_proba(self, score):
        result = benchmark.run(self.MODELS, list(self.SETS), score=score, cv=4)
        data = benchmark.suite(["sklearn/iris"])["sklearn/iris"]
        plan = Plan(self.MODELS, {"sklearn/iris": data}, 4, 1, True, 0)
        wanted = []
        for train, test in plan.folds("sklearn/iris", 0):
            found = GaussianNB().fit(data.X[train], data.y[train]).predict_proba(data.X[test])
            wanted.append(
                adjudge.evaluate(data.y[test], probabilities=found, kind="classification", indices="all")[
                    score
                ]
            )
        assert result.folds.scores["sklearn/iris"]["bayes"] == pytest.approx(wanted, rel=1e-14)
        assert result.better == find_index(score).better
        assert result.across("bayes", "shares").pooled.total == 150 + 178

    def test_they_are_kept_beside_the_labels(self, tmp_path):
        pytest.importorskip("polars")
        first = benchmark.run(self.MODELS, list(self.SETS), score="log_loss", cv=3, work=tmp_path)
        times = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
        again = benchmark.run(self.MODELS, list(self.SETS), score="brier_score", cv=3, work=tmp_path)
        assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == times
        assert again.costs == first.costs
        once_more = benchmark.run(self.MODELS, list(self.SETS), score="log_loss", cv=3, work=tmp_path)
        assert once_more.scores == first.scores

    def test_labels_that_were_kept_without_them_are_not_taken_for_them(self, tmp_path):
        pytest.importorskip("polars")
        models = {name: self.MODELS[name] for name in ("bayes", "neighbours")}
        benchmark.run(models, list(self.SETS), cv=3, work=tmp_path)
        result = benchmark.run(models, list(self.SETS), score="log_loss", cv=3, work=tmp_path)
        assert result.n_complete == 2

    def test_a_class_that_a_fold_does_not_train_on_has_the_probability_0(self):
        X, y = np.arange(12.0)[:, None], np.array(["a"] * 6 + ["b"] * 5 + ["c"])
        fold = np.arange(0, 11), np.array([11])
        fit = fit_fold(GaussianNB(), X, y, fold, 0, with_probabilities=True)
        assert fit.probabilities.shape == (1, 3)
        assert fit.probabilities[0, 2] == 0

    def test_what_gives_none_is_refused_before_anything_is_fitted(self):
        for model in (Perceptron(), "classify {train} {test} {labels}"):
            with pytest.raises(InputError, match="log_loss reads probabilities"):
                benchmark.run({"bayes": GaussianNB(), "x": model}, list(self.SETS), score="log_loss", cv=3)
        with pytest.raises(InputError, match="give the folds with cv="):
            benchmark.run({"a": GaussianNB(), "b": GaussianNB()}, list(self.SETS), score="log_loss")
        with pytest.raises(InputError, match="leave out cv="):
            benchmark.run({"a": GaussianNB(), "b": GaussianNB()}, list(self.SETS), score="nca", cv=3)
