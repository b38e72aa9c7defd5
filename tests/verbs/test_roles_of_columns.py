"""What columns of a table may hold besides single labels: every door reads it, and says what arrays say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge.errors import InputError
from cases import each
from conftest import raises_line

SETS = pd.DataFrame(
    {
        "true": ["drama|war", "drama", "", "war", "comedy | war"] * 8,
        "found": ["drama", "drama", "war", "war", "comedy|war"] * 8,
        "v_war": [1, 0, 1, 1, 1] * 8,
        "v_drama": [1, 1, 0, 0, 0] * 8,
        "v_comedy": [0, 0, 0, 0, 1] * 8,
        "p_drama": [0.9, 0.8, 0.1, 0.4, 0.3] * 8,
        "p_war": [0.7, 0.2, 0.6, 0.9, 0.8] * 8,
        "p_comedy": [0.1, 0.2, 0.1, 0.4, 0.3] * 8,
        "ward": [f"w{i // 4}" for i in range(40)],
        "times": [1, 2, 3, 0, 1] * 8,
    }
)
TREE = pd.DataFrame(
    {
        "truth": ["food/fruit/pear", "food/bread", "toys/ball", "toys/kite"] * 5,
        "near": ["food/fruit/fig", "food/bread", "toys/kite", "toys/kite"] * 5,
        "group": ["food", "food", "toys", "toys"] * 5,
        "kind": ["fruit", "bread", "ball", "kite"] * 5,
        "item": ["pear", None, None, None] * 5,
        "g": ["food", "food", "toys", "toys"] * 5,
        "k": ["fruit", "bread", "kite", "kite"] * 5,
        "i": ["fig", None, None, None] * 5,
    }
)


def _sets(name: str) -> list[list[str]]:
    return [[label.strip() for label in cell.split("|") if label.strip()] for cell in SETS[name]]


LABELS = ["comedy", "drama", "war"]
OF_V = SETS[[f"v_{own}" for own in LABELS]].to_numpy()
OF_P = SETS[[f"p_{own}" for own in LABELS]].to_numpy()
TRUTH, FOUND = _sets("true"), _sets("found")
KINDS = adjudge.Taxonomy.from_paths([*TREE["truth"], *TREE["near"]])
MULTILABEL: dict[str, Any] = {"kind": "multilabel"}
SEVERAL: dict[str, Any] = {**MULTILABEL, "delimiter": "|"}

MEMBERS = pd.DataFrame(
    {
        "name": ["ann", "bob", "cid", "dan", "eve", "fay"],
        "team": ["red", "red", "red", "blue", "blue", "blue"],
        "found": [1, 1, 2, 2, 2, 3],
    }
)
ENDS = [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [3, 5]]
EDGES = pd.DataFrame([[MEMBERS["name"][i] for i in own] for own in ENDS], columns=["from", "to"]).assign(
    weight=[3.0, 1.0, 2.0, 1.0, 2.0, 2.0, 1.5]
)

#: The table, what names its columns, the words of the shell, and what arrays say.
CASES: dict[str, tuple[pd.DataFrame, dict[str, Any], str, Callable[[], Any]]] = {
    "cells": (
        SETS,
        {"truth": "true", "pred": ["found"], **SEVERAL, "confidence": 0.9},
        "--truth true --pred found --kind multilabel --delimiter | --confidence 0.9",
        lambda: adjudge.evaluate(TRUTH, FOUND, **MULTILABEL, confidence=0.9),
    ),
    "a column for each label": (
        SETS,
        {"truth": "true", "pred": ["v_*"], **SEVERAL},
        "--truth true --pred v_* --kind multilabel --delimiter |",
        lambda: adjudge.evaluate(TRUTH, OF_V, **MULTILABEL, classes=LABELS),
    ),
    "the truth by label": (
        SETS,
        {"truth": "v_*", "pred": ["found"], **SEVERAL},
        "--truth v_* --pred found --kind multilabel --delimiter |",
        lambda: adjudge.evaluate(OF_V, FOUND, **MULTILABEL, classes=LABELS),
    ),
    "probabilities of labels": (
        SETS,
        {
            "truth": "true",
            "pred": {"p": adjudge.Classifier(probabilities="p_*")},
            **SEVERAL,
            "sample_weight": "times",
        },
        "--truth true --probabilities p_* --kind multilabel --delimiter | --weight times",
        lambda: adjudge.evaluate(
            TRUTH, probabilities=OF_P, **MULTILABEL, classes=LABELS, sample_weight=SETS["times"]
        ),
    ),
    "units": (
        SETS,
        {"truth": "true", "pred": ["found"], **SEVERAL, "confidence": 0.9, "units": "ward"},
        "--truth true --pred found --kind multilabel --delimiter | --confidence 0.9 --units ward",
        lambda: adjudge.evaluate(TRUTH, FOUND, **MULTILABEL, confidence=0.9, units=SETS["ward"]),
    ),
    "clusters that overlap": (
        SETS,
        {"truth": "true", "pred": ["found"], "kind": "overlapping", "delimiter": "|"},
        "--truth true --pred found --kind overlapping --delimiter |",
        lambda: adjudge.evaluate(TRUTH, FOUND, kind="overlapping"),
    ),
    "paths": (
        TREE,
        {"truth": "truth", "pred": ["near"], "path_separator": "/", "confidence": 0.9},
        "--truth truth --pred near --path-separator / --confidence 0.9",
        lambda: adjudge.evaluate(TREE["truth"], TREE["near"], taxonomy=KINDS, confidence=0.9),
    ),
    "levels": (
        TREE,
        {"levels": ["group", "kind", "item"], "pred": ["g/k/i"]},
        "--level group,kind,item --pred g/k/i",
        lambda: adjudge.evaluate(TREE["truth"], TREE["near"], taxonomy=KINDS),
    ),
}
OF_LINKS: dict[str, tuple[pd.DataFrame, pd.DataFrame, dict[str, Any], str, Callable[[], Any]]] = {
    "edges by name": (
        MEMBERS,
        EDGES,
        {"labels": "team", "graph": True, "key": "name"},
        "--labels team --graph {} --id name",
        lambda: adjudge.evaluate(graph=adjudge.Graph(ENDS, weights=EDGES["weight"]), labels=MEMBERS["team"]),
    ),
    "edges by row": (
        MEMBERS,
        pd.DataFrame(ENDS, columns=["from", "to"]),
        {"labels": "team", "graph": True, "directed": True, "indices": "all"},
        "--labels team --graph {} --directed --indices all",
        lambda: adjudge.evaluate(
            graph=adjudge.Graph(ENDS, directed=True), labels=MEMBERS["team"], indices="all"
        ),
    ),
    "the truth beside edges": (
        MEMBERS,
        EDGES,
        {"truth": "team", "labels": "found", "graph": True, "key": "name"},
        "--truth team --labels found --graph {} --id name",
        lambda: adjudge.evaluate(
            MEMBERS["team"], MEMBERS["found"], graph=adjudge.Graph(ENDS, weights=EDGES["weight"])
        ),
    ),
    "linked pairs": (
        MEMBERS,
        EDGES,
        {"truth": "team", "pairs": True, "threshold": 2, "key": "name", "confidence": 0.9},
        "--truth team --pairs {} --threshold 2 --id name --confidence 0.9",
        lambda: adjudge.evaluate(MEMBERS["team"], [0, 0, 0, 1, 1, 1], kind="clustering", confidence=0.9),
    ),
}
DOORS = ("pandas", "polars", "csv", "parquet", "shell")


@each("case", CASES)
@each("door", DOORS)
def test_every_door_says_what_arrays_say(case: str, door: str, tmp_path: Path, run: Any) -> None:
    frame, named, words, of_arrays = CASES[case]
    wanted = of_arrays().to_dict()
    path = tmp_path / ("t.parquet" if door == "parquet" else "t.csv")
    frame.to_parquet(path) if door == "parquet" else frame.to_csv(path, index=False)
    if door == "shell":
        (found,) = json.loads(run("evaluate", path, *words.split(), "--format", "json"))[
            "evaluations"
        ].values()
    else:
        table: Any = {"pandas": frame, "polars": pl.from_pandas(frame)}.get(door, path)
        (one,) = adjudge.evaluate(table, **named).evaluations.values()
        found = one.to_dict()
    assert found["values"] == wanted["values"], (case, door)
    assert found.get("intervals") == json.loads(json.dumps(wanted.get("intervals"))), (case, door)


@each("case", OF_LINKS)
@each("door", DOORS)
def test_links_between_rows_are_read_from_a_table_of_their_own(
    case: str, door: str, tmp_path: Path, run: Any
) -> None:
    frame, links, named, words, of_arrays = OF_LINKS[case]
    wanted = of_arrays().to_dict()
    ending = "parquet" if door == "parquet" else "csv"
    paths = [tmp_path / f"{name}.{ending}" for name in ("rows", "links")]
    for own, path in zip((frame, links), paths, strict=True):
        own.to_parquet(path) if door == "parquet" else own.to_csv(path, index=False)
    if door == "shell":
        own = words.format(paths[1]).split()
        (found,) = json.loads(run("evaluate", paths[0], *own, "--format", "json"))["evaluations"].values()
    else:
        make: Any = {"pandas": lambda own: own, "polars": pl.from_pandas}.get(door)
        tables: Any = paths if make is None else [make(frame), make(links)]
        options = {
            name: tables[1] if own is True and name != "directed" else own for name, own in named.items()
        }
        found = adjudge.evaluate(tables[0], **options).to_dict()
    assert found["values"] == pytest.approx(wanted["values"], rel=1e-14), (case, door)
    assert found.get("intervals") == json.loads(json.dumps(wanted.get("intervals"))), (case, door)


def test_communities_are_chosen_by_the_edges_of_a_table(tmp_path: Path) -> None:
    paths = tmp_path / "rows.csv", tmp_path / "links.csv"
    MEMBERS.to_csv(paths[0], index=False)
    EDGES.to_csv(paths[1], index=False)
    graph = adjudge.Graph(ENDS, weights=EDGES["weight"])
    wanted = adjudge.choose(graph=graph, candidates={name: MEMBERS[name] for name in ("team", "found")})
    for rows, edges in (paths, (MEMBERS, EDGES)):
        found = adjudge.choose(rows, ["team", "found"], graph=edges, key="name")
        assert found.values == wanted.values
        assert found.best == wanted.best == "team"
    with raises_line(InputError, "key= is an option for graphs: give their edges with graph="):
        adjudge.choose(MEMBERS, ["team", "found"], key="name")


def test_models_are_compared_and_shown_by_the_same_columns(tmp_path: Path) -> None:
    SETS.to_csv(tmp_path / "t.csv", index=False)
    wanted = adjudge.compare(TRUTH, {"found": FOUND, "v": OF_V}, **MULTILABEL, classes=LABELS)
    for table in (SETS, tmp_path / "t.csv"):
        found = adjudge.compare(table, ["found", "v_*"], truth="true", **SEVERAL)
        assert found.models == wanted.models
        assert found["found", "v"].right_wrong == wanted["found", "v"].right_wrong
        page = tmp_path / "page.html"
        made = adjudge.report(table, ["found", "v_*"], truth="true", **SEVERAL, output=page)
        assert "2 classifiers" in made.page["sections"][0]["subject"]


@each("classes", [["no", "yes"], [0, 1], ["low", "mid", "top"]])
def test_a_pattern_names_the_probabilities_of_each_class(classes: list[Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    truth = np.array(classes)[rng.integers(0, len(classes), 60)]
    shares = rng.dirichlet(np.ones(len(classes)), 60)
    # Not in the order of the classes.
    columns = {f"p_{classes[i]}": shares[:, i] for i in (1, *range(2, len(classes)), 0)}
    frame = pd.DataFrame({"truth": truth, "p_": 0, "other": 1.0, **columns})
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked: dict[str, Any] = {"kind": "classification"}
    asked |= {"positive": classes[1]} if len(classes) == 2 else {}
    wanted = adjudge.evaluate(truth, probabilities=shares, classes=classes, **asked)
    tables: list[Any] = [frame, pl.from_pandas(frame), tmp_path / "t.csv"]
    for table in tables:
        found = adjudge.evaluate(table, truth="truth", probabilities="p_*", **asked)
        assert found.values == pytest.approx(wanted.values, rel=1e-12)
    lazy = adjudge.evaluate(pl.from_pandas(frame).lazy(), truth="truth", probabilities="p_*", **asked)
    assert lazy["log_loss"] == pytest.approx(wanted["log_loss"], rel=1e-12)


def test_columns_of_true_and_false_are_those_of_labels(tmp_path: Path) -> None:
    of_v = SETS[[f"v_{own}" for own in LABELS]]
    frame = SETS[["true"]].join(of_v.astype(bool))
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    wanted = adjudge.evaluate(TRUTH, OF_V, **MULTILABEL, classes=LABELS)
    tables: list[Any] = [frame, pl.from_pandas(frame), tmp_path / "t.parquet", tmp_path / "t.csv"]
    for table in tables:
        assert adjudge.evaluate(table, truth="true", pred="v_*", **SEVERAL).values == wanted.values
    frame.assign(v_war="no").to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(InputError, match="column 'v_war' has 'no', which is not a finite number"):
        adjudge.evaluate(tmp_path / "t.csv", truth="true", pred="v_*", **SEVERAL)


def test_an_empty_cell_of_a_parquet_file_has_no_label(tmp_path: Path) -> None:
    """A cell that is null is no label called "--", as NumPy prints it."""
    frame = pd.DataFrame({"t": ["a", "b", None, "a"], "p": ["a", None, "b", "a"]})
    frame.to_parquet(tmp_path / "t.parquet")
    found = adjudge.evaluate(tmp_path / "t.parquet", truth="t", pred="p", **MULTILABEL)
    assert [*found.by_class] == ["a", "b"]
    labels = ["a", "b", "b", "a"]
    with_text = pd.DataFrame({"t": labels, "p": labels[::-1], "text": ["one", None, "two", "three"]})
    with_text.to_parquet(tmp_path / "t.parquet")
    asked: dict[str, Any] = {"truth": "t", "text": "text", "kind": "classification"}
    made = adjudge.report(tmp_path / "t.parquet", ["p"], **asked, output=tmp_path / "page.html")
    assert "'--'" not in str(made.page["sections"])


def test_what_cannot_be_read_is_refused() -> None:
    gap = TREE.assign(near=[None, *TREE["near"][1:]])
    for table, named, message in [
        (SETS, {"truth": "true", "pred": "found", "delimiter": "|"},
         "delimiter= separates the labels in a cell: pass kind='multilabel', or leave it out"),
        (SETS, {"truth": "true", "pred": "found", **MULTILABEL, "delimiter": ""},
         "delimiter= is empty: give the sign between the labels of a cell, such as ';'"),
        (SETS, {"truth": "true", "pred": "*_war", **MULTILABEL},
         "the pattern '*_war' holds 0.7: an indicator matrix holds 0 and 1"),
        (SETS, {"truth": "true", "pred": "v_*_*", **MULTILABEL}, "'v_*_*' matches no column of the table: it has"),
        (SETS, {"truth": "*u*", "pred": "found", **MULTILABEL},
         "'*u*' stands for 2 columns, 'true', 'found', where one is needed: name it"),
        (SETS, {"truth": "true", "pred": ["v_*", "v-*"], **MULTILABEL}, "'v-*' matches no column"),
        (TREE, {"truth": "truth", "pred": "near", "path_separator": ""},
         "path_separator= is empty: give the text between the names in a path"),
        (TREE, {"truth": "truth", "pred": "near", "path_separator": "/", "units": "g"},
         "units= does not work with path_separator=: leave it out"),
        (TREE, {"levels": ["group", "kind"], "pred": "near", "path_separator": "/"},
         "path_separator= does not work with levels=: leave it out"),
        (TREE, {"levels": ["group"], "pred": "near"},
         "levels= needs at least two columns, the highest level first"),
        (TREE, {"levels": ["group", "nothing"], "pred": "near"}, "'nothing'"),
        (gap, {"truth": "truth", "pred": "near", "path_separator": "/"}, "column 'near' has a missing label"),
        (pl.from_pandas(TREE).lazy(), {"truth": "truth", "pred": "near", "path_separator": "/"},
         "path_separator= needs the instances: collect the table first"),
        (MEMBERS, {"labels": "team", "key": "name"},
         "key= names vertices or records: give edges with graph=, or pairs with pairs="),
        (MEMBERS, {"labels": "team", "graph": EDGES},
         "if edges name vertices, name their column with key="),
        (MEMBERS, {"labels": "team", "graph": EDGES, "key": "name", "units": "team"},
         "units= does not work with graph=: leave it out"),
        (MEMBERS, {"labels": "team", "graph": MEMBERS.assign(more=1), "key": "name"},
         "the table has 4 columns: give two of vertices, and perhaps one of weights"),
        (MEMBERS, {"truth": "team", "pairs": EDGES, "key": "name"},
         "the table has scores: say which of them link, with threshold="),
        (MEMBERS, {"truth": "team", "pairs": EDGES, "threshold": 1},
         "pairs= names records: name their column with key="),
        (MEMBERS, {"truth": "team", "pred": "found", "pairs": EDGES, "threshold": 1, "key": "name"},
         "pred= does not work with pairs=: leave it out"),
        (MEMBERS, {"truth": "team", "pairs": EDGES, "threshold": 1, "key": "team"},
         "key='team' names 'red' twice: give each record once"),
        (pl.from_pandas(MEMBERS).lazy(), {"truth": "team", "pairs": EDGES, "threshold": 1, "key": "name"},
         "pairs= needs the instances: collect the table first"),
        (MEMBERS, {"labels": "team", "graph": pl.from_pandas(EDGES).lazy(), "key": "name"},
         "the table of vertices is lazy: collect it first"),
        (pl.from_pandas(SETS).lazy(), {"truth": "true", "pred": "found", **SEVERAL},
         "kind='multilabel' needs the instances: collect the table first"),
    ]:  # fmt: skip
        with pytest.raises(InputError) as caught:
            adjudge.evaluate(table, **named)
        assert message in str(caught.value), named
        assert "\n" not in str(caught.value)
    for option in ("delimiter", "path_separator", "key"):
        with raises_line(InputError, f"{option}= is an option for tables: leave it out of arrays"):
            adjudge.evaluate([0, 1], [0, 1], **{option: "|"})
