"""adjudge cluster-tests: what the command says is what the library says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans

import adjudge
from adjudge.choosing.estimators import seeded


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.7, (25, 2)) for m in ((0, 0), (5, 0))])
    path = tmp_path_factory.mktemp("tests") / "points.csv"
    path.write_text("\n".join(["x,y", *(f"{a!r},{b!r}" for a, b in X.tolist())]) + "\n")
    return path


@pytest.mark.full
def test_the_command_is_the_function(table: Path, run: Any) -> None:
    from sklearn.cluster import KMeans

    options = ("--grid", "n_clusters=2,3", "--n-samples", 19, "--linkage", "ward")
    out = run("cluster-tests", table, *options, "--format", "json")
    said = json.loads(out)
    X = np.loadtxt(table, delimiter=",", skiprows=1)
    models = {f"n_clusters={k}": seeded(KMeans(k), 0) for k in (2, 3)}
    found = adjudge.inference.clusters_test(X, models, n_samples=19, random_state=0)
    assert {name: said[name] for name in found.to_dict()} == json.loads(json.dumps(found.to_dict()))
    tree = adjudge.inference.tree_test(X, n_samples=19, random_state=0)
    assert said["tree"]["splits"][0]["cluster_index"] == pytest.approx(tree.splits[0].cluster_index)


@pytest.mark.full
def test_differences_of_means(table: Path, run: Any) -> None:
    from sklearn.cluster import AgglomerativeClustering

    options = ("--estimator", "agglomerative", "--n-samples", 3, "--differences", "--format", "json")
    out = run("cluster-tests", table, *options)
    (row,) = json.loads(out)["differences"]
    X = np.loadtxt(table, delimiter=",", skiprows=1)
    one = adjudge.inference.cluster_difference_test(X, AgglomerativeClustering(), (0, 1), random_state=0)
    assert (row["distance"], row["p_value"]) == pytest.approx((one.distance, one.p_value))


@pytest.mark.full
def test_tables_and_page(table: Path, tmp_path: Path, run: Any) -> None:
    page = tmp_path / "page.html"
    out = run("cluster-tests", table, "--grid", "n_clusters=2", "--n-samples", 19, "--report", page)
    assert "There are clusters" in out
    assert "no valley" in out
    assert "There are clusters" in page.read_text()
    out = run("cluster-tests", table, "--grid", "n_clusters=2", "--n-samples", 9, "--format", "csv")
    assert [line.split(",")[0] for line in out.splitlines()] == [
        "null", "gaussian", "copula", "elliptical", "no valley",
    ]  # fmt: skip


def test_differences_of_clusters_that_are_not_numbered_from_zero(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    (tmp_path / "halves_of_x.py").write_text(
        "from sklearn.base import BaseEstimator\n"
        "class Halves(BaseEstimator):\n"
        "    def fit_predict(self, X, y=None):\n        return 1 + (X[:, 0] > 2.5)\n"
    )
    monkeypatch.chdir(tmp_path)
    options = ("--estimator", "halves_of_x:Halves", "--n-samples", 3, "--differences", "--format", "json")
    out = run("cluster-tests", table, *options)
    (row,) = json.loads(out)["differences"]
    assert (row["cluster"], row["neighbour"]) == (0, 1)


@pytest.mark.full
def test_without_a_clusterer_some_numbers_are_tried(table: Path, run: Any) -> None:
    out = run("cluster-tests", table, "--n-samples", 5, "--format", "json")
    assert json.loads(out)["best"] == "n_clusters=2"
    out = run("cluster-tests", table, "--estimator", "kmeans", "--n-samples", 5, "--format", "json")
    assert (json.loads(out)["best"], json.loads(out)["n_clusters"]) == ("kmeans", 8)


def test_the_seed_decides(table: Path, run: Any) -> None:
    def values(seed: int) -> object:
        options = ("--grid", "n_clusters=2", "--n-samples", 5, "--seed", seed, "--format", "json")
        return json.loads(run("cluster-tests", table, *options))["null_values"]

    assert values(1) == values(1) != values(2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--estimator", "magic"), "--estimator 'magic' is not known"),
        (("--grid", "magic=2"), "grid has 'magic', which is not a parameter of KMeans"),
        (("--index", "ari"), "ari"),
    ],
)
def test_bad_options(table: Path, options: tuple[str, ...], words: str, run: Any) -> None:
    assert words in run("cluster-tests", table, *options, code=2)


def test_interrupting_leaves_nothing(
    table: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Any
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("adjudge.inference.clusters.cluster_tests._best_of", interrupted)
    run(
        "cluster-tests",
        table,
        "--output",
        tmp_path / "out.json",
        "--report",
        tmp_path / "page.html",
        code=130,
    )
    assert list(tmp_path.iterdir()) == []


def test_a_clusterer_that_fails_is_one_line(tmp_path: Path, run: Any) -> None:
    file = tmp_path / "few.csv"
    file.write_text("x,y\n1,2\n3,5\n8,1\n")
    said = run("cluster-tests", file, "--grid", "n_clusters=2,9", code=2)
    assert "'n_clusters=9' fails for 3 points: n_samples=3 should be >= n_clusters=9." in said


@pytest.mark.full
def test_it_is_quick_unless_it_is_to_be_thorough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Any
) -> None:
    # The command has the name of its module.
    module = sys.modules["adjudge.cli.cluster_tests"]
    monkeypatch.setattr(module, "_QUICK_POINTS", 40)
    monkeypatch.setattr(module, "_QUICK_SETS", 4)
    monkeypatch.setattr(module, "_THOROUGH_SETS", 5)
    X = np.random.default_rng(0).normal(size=(60, 2))
    file = tmp_path / "points.csv"
    file.write_text("\n".join(["x,y", *(f"{a},{b}" for a, b in X)]))
    asked = ["cluster-tests", str(file), "--grid", "n_clusters=2", "-f", "json"]
    for flags, n, sets in (([], 40, 4), (["--thorough"], 60, 5), (["--n-samples", "3"], 40, 3)):
        shown = shell(*asked, *flags)
        found = json.loads(shown.out)
        assert (found["n"], found["n_samples"]) == (n, sets)
        said = f"a quick look at 40 of the 60 points and {sets} data sets of each kind without clusters"
        assert (said in shown.err) is (not flags or flags[0] != "--thorough")


def test_a_sample_of_the_points_is_drawn() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    options = {"n_samples": 3, "random_state": 0, "progress": False}
    model = KMeans(2, n_init=1, random_state=0)
    drawn = adjudge.inference.clusters_test(X, model, sample_size=20, **options)
    assert drawn.n == 20
    assert adjudge.inference.clusters_test(X, model, sample_size=20, **options) == drawn
    assert adjudge.inference.clusters_test(
        X, model, sample_size=60, **options
    ) == adjudge.inference.clusters_test(X, model, **options)
