"""One table has one answer, from an array as from its file; candidates in columns, and with gaps."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans

import adjudge
from adjudge import AdjudgeError, InputError, choose
from adjudge.cli import main
from adjudge.inference import cluster_difference_test, clusters_dip_test, clusters_test, tree_test
from adjudge.usual_seed import USUAL_SEED
from conftest import raises_line

MODEL = KMeans(2, n_init=1, random_state=0)


@pytest.fixture
def table(rng: np.random.Generator) -> pd.DataFrame:
    X = np.concatenate([rng.normal(m, 1.0, size=(40, 2)) for m in (0, 4)])
    names = [f"row {i}" for i in range(80)]
    return pd.DataFrame({"id": np.arange(80) + 1000, "name": names, "x": X[:, 0], "y": X[:, 1]})


CALLS: dict[str, Callable[..., Any]] = {
    "choose_k": lambda X, **o: adjudge.choose_k(X, k=[2, 3], progress=False, **o),
    "choose": lambda X, **o: adjudge.choose(
        X, KMeans(n_init=1), grid={"n_clusters": [2, 3]}, progress=False, **o
    ),
    "clusters_test": lambda X, **o: clusters_test(X, MODEL, n_samples=2, progress=False, **o),
    "tree_test": lambda X, **o: tree_test(X, n_samples=5, progress=False, **o),
    "clusters_dip_test": lambda X, **o: clusters_dip_test(X, MODEL, n_splits=1, **o),
    "cluster_difference_test": lambda X, **o: cluster_difference_test(X, MODEL, (0, 1), n_samples=20, **o),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_without_a_seed_has_the_usual_one(table: pd.DataFrame, name: str) -> None:
    verb = getattr(adjudge, name, None) or getattr(adjudge.inference, name)
    assert inspect.signature(verb).parameters["random_state"].default == USUAL_SEED
    X = table[["x", "y"]].to_numpy()
    unseeded, again, seeded = (CALLS[name](X, **own) for own in ({}, {}, {"random_state": USUAL_SEED}))
    assert repr(unseeded) == repr(again) == repr(seeded)


def test_none_draws_anew(table: pd.DataFrame) -> None:
    X = table[["x", "y"]].to_numpy()
    one, other = (adjudge.choose_k(X, k=[2, 3], random_state=None).settings["entropy"] for _ in range(2))
    assert one != other


def test_python_and_the_shell_say_the_same_of_a_file(table: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    table.to_csv(path, index=False)
    assert main(["choose-k", str(path), "-o", str(tmp_path / "found.json")]) == 0
    shell = json.loads((tmp_path / "found.json").read_text())
    of_path = adjudge.choose_k(path)
    python = json.loads(json.dumps(of_path.to_dict()))
    for name in ("k", "headline", "reason", "values", "votes", "probability", "structure", "profiles"):
        assert python[name] == shell[name], name
    # What the shell says on the way, the result has as notices.
    assert [(own.code, own.text) for own in of_path.warnings[:3]] == [
        (
            "identifiers-as-coordinates",
            "'id' looks like an identifier, so it is left out of the coordinates: features= can include it",
        ),
        (
            "text-as-coordinates",
            "'name' holds no numbers, so it is left out of the coordinates: encode it as numbers to include it",
        ),
        ("points-from", "points from x, y: features= chooses others"),
    ]
    assert of_path.values == adjudge.choose_k(table[["x", "y"]]).values


def test_other_verbs_read_the_file_too(table: pd.DataFrame, tmp_path: Path) -> None:
    path = str(tmp_path / "points.tsv")
    table.to_csv(path, index=False, sep="\t")
    X = table[["x", "y"]].to_numpy()
    for name in ("choose", "clusters_test"):
        assert CALLS[name](path).to_dict()["n"] == 80
    labels = {"a": np.arange(80) // 40, "b": np.arange(80) // 20}
    assert adjudge.choose(path, labels).values == adjudge.choose(X, labels).values


def test_python_names_columns_of_a_file_as_the_shell_does(table: pd.DataFrame, tmp_path: Path) -> None:
    path, found = tmp_path / "points.csv", tmp_path / "found.json"
    codes = np.where(np.arange(80) % 9 == 0, 7, np.arange(80) // 40)
    labels = {"res_1": codes, "res_2": np.arange(80) // 20}
    table.assign(**labels, word=np.where(codes == 7, "NA", "low")).to_csv(path, index=False)
    words = "--labels res_* --columns x,y --standardize robust --noise-label 7 --indices silhouette,dunn"
    assert main(["choose", str(path), *words.split(), "-o", str(found)]) == 0
    asked = {"standardize": "robust", "noise_label": 7, "indices": ["silhouette", "dunn"]}
    python = adjudge.choose(path, ["res_*"], features=["x", "y"], **asked)
    shell = json.loads(found.read_text())
    assert shell.pop("file") == str(path)
    assert json.loads(json.dumps(python.to_dict())) == shell
    assert shell["columns"] == ["x", "y"]
    assert (shell["standardized"], shell["scaling"]) == (True, "robust")
    arrays = adjudge.choose(table[["x", "y"]], labels, **asked)
    assert (
        arrays.values == python.values == adjudge.choose(table, labels, features=["x", "y"], **asked).values
    )
    alone = adjudge.choose_k(path, k=[2, 3], features=["[xy]"], standardize=True)
    assert alone.columns == ("x", "y")
    assert alone.values == adjudge.choose_k(table[["x", "y"]], k=[2, 3], standardize="standard").values
    planned = adjudge.plan(path, labels="res_2", features=["x", "y"])
    assert (planned.n, planned.p, planned.k) == (80, 2, 4)
    said = [notice.text for notice in adjudge.choose(path, ["word", "res_2"], features=["x", "y"]).warnings]
    word = (
        "'NA' is a label of column 'word', in 9 rows: if it means that the label is missing, empty the cells"
    )
    assert f"{word} and pass missing='drop'" in said


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda path: adjudge.choose(path, ["res"], noise_label="x"), "is text, but the labels are numbers"),
        (lambda path: adjudge.choose(path, ["res"], noise_label=9), "noise_label=9 is not among the labels"),
        (lambda path: adjudge.choose(path, ["rse"]), "has no column 'rse': did you mean 'res'"),
        (lambda path: adjudge.choose_k(path, features=["z*"]), "'z*' matches no column of"),
        (
            lambda path: adjudge.choose_k([[0.0, 1], [1, 0]], features=["x"]),
            "features= names columns, and X is no",
        ),
        (
            lambda path: adjudge.choose_k(path, standardize="minmax"),
            "is not known: choose one of standard, robust",
        ),
        (lambda path: adjudge.plan(path), "the clusters are missing: name their column with labels="),
        (lambda path: adjudge.plan(10, 2, 3, labels="res"), "labels= is of a table: give its path in place"),
        (lambda path: adjudge.plan(10), "plan() needs p="),
    ],
)
def test_what_is_wrong_with_columns_is_named(call: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("x,y,res\n0,1,0\n1,0,1\n2,2,0\n3,5,1\n")
    with pytest.raises(AdjudgeError, match=re.escape(message)):
        call(path)


def test_a_file_without_points_says_so(tmp_path: Path) -> None:
    text, comma = tmp_path / "text.csv", tmp_path / "comma.csv"
    text.write_text("name;word\na;b\nc;d\n")
    comma.write_text("x;y\n1,5;a\n2,5;b\n")
    with raises_line(
        InputError,
        f"there are no points: {str(text)!r}, column 'name' has 'a', which is not a finite number, in row 1 after the "
        "header: fill in or leave out such rows, or choose other columns",
    ):
        adjudge.choose_k(text)
    with raises_line(
        InputError,
        "'x' has decimal commas: pandas.read_csv(..., decimal=',') reads it, or name the coordinates with features=",
    ):
        adjudge.choose_k(comma)
    with raises_line(InputError, f"there is no file {str(tmp_path / 'none.csv')!r}"):
        adjudge.choose_k(tmp_path / "none.csv")


@pytest.mark.parametrize("k", [None, [2], [2, 3]])
def test_two_distinct_points_are_too_few(k: Any) -> None:
    with raises_line(InputError, "X has 2 distinct points: at least 3 are needed to compare K"):
        adjudge.choose_k([[0.0, 0], [0, 0], [1, 1], [1, 1]], k=k)
    ready = adjudge.choose_k([[0.0, 0], [0, 0], [1, 1], [1, 1]], {2: [0, 0, 1, 1], 3: [0, 1, 2, 2]})
    assert sorted(ready.labels) == [2, 3]


WARD, OTHER = [0] * 30 + [1] * 30, [0, 1] * 30


@pytest.fixture(name="frame")
def points_and_labels(rng: np.random.Generator) -> pd.DataFrame:
    X = np.r_[rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 6]
    return pd.DataFrame(X, columns=["u", "v"]).assign(ward=WARD, other=OTHER)


@pytest.mark.parametrize("container", [lambda f: f, pl.from_pandas, lambda f: pa.Table.from_pandas(f)])
def test_columns_of_the_frame(container: Any, frame: pd.DataFrame) -> None:
    wanted = choose(frame[["u", "v"]], frame[["ward", "other"]])
    found = choose(container(frame), ["ward", "other"])
    assert found.best == wanted.best == "ward"
    assert found.values == wanted.values
    assert choose(container(frame), ["[wo]*r*"]).values == wanted.values
    alone = choose(container(frame[["u", "v", "ward"]]), "ward")
    assert list(alone.labels) == ["ward"]


def test_columns_named_by_numbers(frame: pd.DataFrame) -> None:
    numbered = frame.set_axis([5, 6, 7, 8], axis=1)
    assert choose(numbered, [7, 8]).best == "7"


def test_a_name_that_is_no_column(frame: pd.DataFrame) -> None:
    with pytest.raises(
        InputError, match="candidates names 'wad', but X has no such column: did you mean 'ward'"
    ):
        choose(frame, ["wad", "other"])
    with pytest.raises(InputError, match="candidates names all columns of X"):
        choose(frame, ["u", "v", "ward", "other"])


@pytest.mark.parametrize("container", [dict, pd.DataFrame, pl.DataFrame])
def test_points_without_a_label_are_left_out(container: Any, frame: pd.DataFrame) -> None:
    X = frame[["u", "v"]].to_numpy()
    gaps = {"ward": [None, *WARD[1:]], "other": [*OTHER[:-1], None]}
    with pytest.raises(InputError, match="candidate 'ward' has a missing label at position 0"):
        choose(X, container(gaps))
    found = choose(X, container(gaps), missing="drop")
    wanted = choose(X[1:-1], {"ward": WARD[1:-1], "other": OTHER[1:-1]})
    assert found.values == wanted.values
    assert found.n == 58
    assert [notice.text for notice in found.warnings if notice.code == "points-left-out"] == [
        "2 points without a label in some candidate left out"
    ]
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    by_distance = choose(D, container(gaps), missing="drop", metric="precomputed", indices="silhouette")
    assert by_distance.values["silhouette"]["ward"] == pytest.approx(
        choose(X[1:-1], {"ward": WARD[1:-1]}, indices="silhouette").values["silhouette"]["ward"]
    )


def test_nothing_is_left_out_without_gaps(frame: pd.DataFrame) -> None:
    found = choose(frame, ["ward", "other"], missing="drop")
    assert found.n == 60
    assert not [notice for notice in found.warnings if notice.code == "points-left-out"]
    with pytest.raises(InputError, match="no point has a label in every candidate"):
        choose(frame[["u", "v"]], {"a": [None] * 60}, missing="drop")


def test_other_columns_of_labels_are_left_out_and_named() -> None:
    rng = np.random.default_rng(0)
    codes = np.arange(40) % 2
    frame = pd.DataFrame(rng.normal(4 * codes[:, None], 1, (40, 2)), columns=["x", "y"])
    frame["noisy"], frame["res_1"], frame["res_2"] = codes - (np.arange(40) < 3), codes, np.arange(40) % 3
    asked = {"indices": ["silhouette", "dunn"], "by": "silhouette"}
    found = choose(frame, ["res_1"], **asked)
    expected = choose(frame[["x", "y"]], {"res_1": codes}, **asked)
    assert found.values == expected.values
    said = [str(notice) for notice in found.warnings if notice.code == "labels-as-coordinates"]
    assert len(said) == 1
    assert "'noisy' and 'res_2' look like labels, so they are left out" in said[0]
    assert not any(notice.code == "labels-as-coordinates" for notice in expected.warnings)
    by_name = choose(frame[["x", "y", "noisy"]], {"res_1": codes}, **asked)
    assert by_name.values == expected.values
    assert any("'noisy' looks like labels, so it is left out" in str(n) for n in by_name.warnings)
    of_array = choose(frame[["x", "y", "noisy"]].to_numpy(), {"res_1": codes}, **asked)
    assert of_array.values != expected.values
