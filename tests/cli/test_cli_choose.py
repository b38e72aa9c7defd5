"""adjudge choose: candidates in columns of a file, or from a grid of settings."""

from __future__ import annotations

import csv
import json
import shlex
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.cli.fit_warnings import warnings_counted


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 30)
    X = np.array([(0, 0), (4, 0), (0, 4)])[truth] + rng.normal(0, 0.4, (90, 2))
    noisy = np.where(np.arange(90) % 9 == 0, -1, truth)
    lines = ["x,y,res_1,res_2,res_3,other"]
    lines += [
        f"{a:.6f},{b:.6f},{t},{min(t, 1)},{s},{i % 3}"
        for i, ((a, b), t, s) in enumerate(zip(X, truth, noisy, strict=True))
    ]
    path = tmp_path_factory.mktemp("choose") / "points.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_columns_by_a_pattern(table: Path, run: Any) -> None:
    out = run(
        "choose", table, "--labels", "res_*", "--columns", "x,y", "--format", "json",
        "--indices", "dbcv,silhouette",
    )  # fmt: skip
    found = json.loads(out)
    assert found["best"] == "res_1"
    assert found["names"] == ["res_1", "res_2", "res_3"]
    assert found["coverage"]["res_3"] == pytest.approx(80 / 90)
    assert found["columns"] == ["x", "y"]


def test_tables_for_people(table: Path, run: Any) -> None:
    out = run("choose", table, "--labels", "res_1,res_2,other", "--columns", "x,y")
    assert "res_1 has the best consensus" in out
    assert "coverage" in out
    assert "100 %" in out


def test_an_estimator_with_a_grid(table: Path, tmp_path: Path, run: Any) -> None:
    picture = tmp_path / "front.png"
    out = run(
        "choose", table, "--estimator", "dbscan", "--grid", "eps=0.1,1,30", "--grid", "min_samples=5",
        "--columns", "x,y", "--indices", "silhouette", "--format", "csv", "--plot", picture,
    )  # fmt: skip
    rows = out.splitlines()
    assert rows[0].startswith("candidate,clusters,coverage,consensus")
    assert len(rows) == 4
    assert rows[1].startswith('"eps=1, min_samples=5",3,')
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_recommended_candidate_is_marked(table: Path, tmp_path: Path, run: Any) -> None:
    path = tmp_path / "choice.csv"
    run("choose", table, "--labels", "res_1,res_2,other", "--columns", "x,y", "-o", path)
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["candidate"] for row in rows if row["recommended"] == "True"] == ["res_1"]
    assert {row["recommended"] for row in rows} == {"True", "False"}


COMMUNITIES = """
import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import kneighbors_graph


class Communities(ClusterMixin, BaseEstimator):
    def __init__(self, resolution=1.0):
        self.resolution = resolution

    def fit(self, X, y=None):
        links = kneighbors_graph(X, 10).toarray()
        links, labels = np.maximum(links, links.T), np.arange(len(links))
        while True:
            degree, own = links.sum(axis=0), np.arange(len(links))
            for i in [*range(len(links))] * 5:
                ties = links[i] - self.resolution * degree[i] * degree / degree.sum()
                ties[i] = 0
                own[i] = np.bincount(own, ties, len(links)).argmax()
            _, own = np.unique(own, return_inverse=True)
            labels, k = own[labels], own.max() + 1
            if k == len(links):
                self.labels_ = labels
                return self
            joined = np.eye(k)[own]
            links = joined.T @ links @ joined


class NoClusterer:
    pass


class Needy(Communities):
    def __init__(self, resolution):
        self.resolution = resolution
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "my_communities", raising=False)
    (tmp_path / "my_communities.py").write_text(COMMUNITIES)
    return "my_communities"


def test_resolutions_of_an_estimator_of_ones_own(table: Path, module: str, run: Any) -> None:
    out = run(
        "choose", table, "--estimator", f"{module}:Communities", "--grid", "resolution=0.02,0.3,1,6",
        "--columns", "x,y", "--format", "json",
    )  # fmt: skip
    found = json.loads(out)
    assert found["names"] == [f"resolution={r}" for r in ("0.02", "0.3", "1", "6")]
    sizes = list(found["n_clusters"].values())
    assert sizes == sorted(sizes)
    assert sizes[-1] > 3
    assert found["n_clusters"][found["best"]] == 3
    assert str(Path.cwd()) not in sys.path


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no_such_module:Communities", "cannot be imported: No module named 'no_such_module'"),
        ("my_communities:Leiden", "cannot be imported: module 'my_communities' has no attribute 'Leiden'"),
        (":Communities", "cannot be imported: Empty module name"),
        ("my_communities:NoClusterer", "is not a clusterer: name a class with fit or fit_predict"),
        ("my_communities:np", "is not a clusterer"),
        ("my_communities:Needy", "cannot be made without settings"),
    ],
)
def test_what_is_no_clusterer_is_said_in_one_line(
    table: Path, module: str, name: str, words: str, run: Any
) -> None:
    assert f"--estimator {name!r} {words}" in run(
        "choose", table, "--estimator", name, "--columns", "x,y", code=2
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "give either --labels, columns of the file, or --estimator with --grid"),
        ("--labels res_1 --estimator dbscan", "give either --labels"),
        ("--labels res_1 --grid eps=1", "--grid varies the settings of an --estimator"),
        ("--labels nothing_*", "'nothing_*' matches no column of "),
        ("--estimator leiden", "--estimator 'leiden' is not known: choose one of Affinity"),
        ("--estimator dbscan --grid eps", "--grid 'eps' is not a setting: write min_cluster_size=5,10,20"),
        ("--estimator dbscan --grid size=1", "grid has 'size', which is not a parameter of DBSCAN"),
    ],
)
def test_errors_are_one_line(table: Path, arguments: list[str], words: str, run: Any) -> None:
    assert words in run("choose", table, "--columns", "x,y", *shlex.split(arguments), code=2)


def test_what_clusterers_warn_of_is_told_once_and_counted(table: Path, shell: Any, tmp_path: Path) -> None:
    err = shell(
        "choose", table, "--estimator", "gaussian_mixture", "--grid", "n_components=4,5,6",
        "--grid", "max_iter=1", "--columns", "x,y", "--indices", "silhouette",
    ).err  # fmt: skip
    assert err.count("converge") == 1
    assert "adjudge: 3 fits did not converge: raise max_iter, with --grid max_iter=1000\n" in err
    few = tmp_path / "few.csv"
    few.write_text("x,y\n" + "0,0\n1,1\n0,1\n" * 10)
    for command in ("choose", "cluster-tests"):
        options = ["--n-samples", "1"] if command == "cluster-tests" else []
        err = shell(command, few, "--estimator", "kmeans", "--grid", "n_clusters=2,4", *options).err
        assert (
            "adjudge: 1 fit found fewer clusters than asked for: there are too few distinct points\n" in err
        )
        assert "Warning" not in err


@pytest.mark.full
@pytest.mark.parametrize("command", ["choose_k", "report"])
def test_other_warnings_are_told_once_too(
    command: str, table: Path, shell: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chosen = adjudge.choose_k

    def warning(*args: Any, **options: Any) -> Any:
        for i in range(3):
            warnings.warn(f"step {i} is\nodd", stacklevel=1)
        return chosen(*args, **options)

    monkeypatch.setattr(adjudge, "choose_k", warning)
    monkeypatch.setattr("adjudge.verbs.choose_k.choose_k", warning)  # which a page calls
    options = ["-o", tmp_path / "page.html"] if command == "report" else []
    arguments = [table, "--k", "2:3", "--features" if command == "report" else "--columns", "x,y", *options]
    err = shell(command.replace("_", "-"), *arguments).err
    assert "adjudge: step 0 is odd (warned of 3 times)\n" in err
    assert err.count("odd") == 1


def test_who_tells_python_what_to_do_with_warnings_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "warnoptions", ["error"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with warnings_counted(""), pytest.raises(UserWarning, match="odd"):
            warnings.warn("odd", stacklevel=1)


def test_communities_of_a_graph(tmp_path: Path, shell: Any, run: Any) -> None:
    members, edges = tmp_path / "members.csv", tmp_path / "edges.csv"
    rows = ["ann,a,a", "bob,a,a", "cid,a,b", "dan,b,b", "eve,b,c", "fay,b,-1"]
    members.write_text("name,res_1,res_2\n" + "\n".join(rows) + "\n")
    ends = ["ann,bob", "bob,cid", "ann,cid", "cid,dan", "dan,eve", "eve,fay", "dan,fay"]
    edges.write_text("from,to\n" + "\n".join(ends) + "\n")
    graph = ("choose", members, "--labels", "res_*", "--graph", edges, "--id", "name")
    out = run(*graph, "--noise", "singletons", "--format", "json")
    found = json.loads(out)
    numbered = adjudge.Graph([[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [3, 5]])
    assert found["best"] == "res_1"
    assert found["values"]["modularity"] == {
        "res_1": pytest.approx(adjudge.modularity(graph=numbered, labels=[0, 0, 0, 1, 1, 1])),
        "res_2": pytest.approx(adjudge.modularity(graph=numbered, labels=[0, 0, 1, 1, 2, 3])),
    }
    assert "columns" not in found
    _, out, err = shell(*graph, "--noise", "cluster")
    assert "6 vertices" in out
    assert "without a vote: graph_coverage" in err
    for flags, words in [
        (
            "",
            "candidate 'res_2' has noise, which a graph still holds: pass --noise singletons or --noise cluster",
        ),
        ("--columns x", "--columns does not work with a graph"),
        ("--stability 3", "--stability does not work with a graph"),
        ("--noise cluster --by consensus", "--by consensus is for candidates that points judge"),
    ]:
        assert words in run(*graph, *shlex.split(flags), code=2)
    assert (
        run("choose", members, "--labels", "res_*", "--directed", code=2)
        == "--directed is an option for graphs: give their edges with --graph"
    )
    assert (
        run("choose", members, "--estimator", "kmeans", "--graph", edges, code=2)
        == "--graph judges communities: name their columns with --labels"
    )
