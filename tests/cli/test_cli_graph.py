"""Communities of a graph on the command line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from adjudge import Graph, evaluate

TEAM = ["red", "red", "red", "blue", "blue", "blue"]
ROWS = ["ann,bob,3", "bob,cid,1", "ann,cid,2", "cid,dan,1", "dan,eve,2", "eve,fay,2", "dan,fay,1.5"]
NUMBERS = [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [3, 5]]
WEIGHTS = [float(row.rpartition(",")[2]) for row in ROWS]
INPUT = ("evaluate", "members.csv", "--labels")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = zip(["ann", "bob", "cid", "dan", "eve", "fay"], TEAM, [1, 1, 2, 2, 2, -1], strict=True)
    members = "".join(f"{name},{team},{found}\n" for name, team, found in rows)
    Path("members.csv").write_text(f"name,team,found\n{members}")
    Path("edges.csv").write_text("from,to,weight\n" + "\n".join(ROWS))
    Path("numbers.csv").write_text("from,to\n" + "\n".join(f"{u},{v}" for u, v in NUMBERS))


def test_vertices_by_name_or_by_row(run: Any) -> None:
    named = ("--graph", "edges.csv", "--id", "name", "--format", "json")
    for directed in (False, True):
        flags = ["--directed"] * directed
        wanted = evaluate(graph=Graph(NUMBERS, 6, directed=directed, weights=WEIGHTS), labels=TEAM)
        found = json.loads(run(*INPUT, "team,found", *named, *flags))["evaluations"]
        assert list(found) == ["team", "found"]
        assert found["team"]["values"] == pytest.approx(wanted.values)
        wanted = evaluate(graph=Graph(NUMBERS, 6, directed=directed), labels=TEAM, indices="all")
        counted = ("--graph", "numbers.csv", "--indices", "all", "--format", "json")
        found = json.loads(run(*INPUT, "team", *counted, *flags))["evaluations"]
        assert found["team"]["values"] == pytest.approx(wanted.values)


def test_the_truth_and_noise_beside_a_graph(run: Any) -> None:
    graph = ("--graph", "numbers.csv", "--format", "json")
    found = json.loads(run(*INPUT, "found", "--truth", "team", *graph))["evaluations"]["found"]
    wanted = evaluate(TEAM, [1, 1, 2, 2, 2, -1], graph=Graph(NUMBERS))
    assert found["values"] == pytest.approx(wanted.values)
    assert {"modularity", "adjusted_rand"} <= found["values"].keys()
    found = json.loads(run(*INPUT, "found", "--noise", "singletons", *graph))["evaluations"]["found"]
    assert found["values"]["modularity"] == pytest.approx(wanted["modularity"])
    found = json.loads(run(*INPUT, "found", "--noise", "drop", *graph))["evaluations"]["found"]
    rest = Graph([edge for edge in NUMBERS if 5 not in edge], 5)
    assert found["values"] == pytest.approx(evaluate(graph=rest, labels=[1, 1, 2, 2, 2]).values)


def test_options_that_do_not_fit(run: Any) -> None:
    Path("wide.csv").write_text("a,b,c,d\n0,1,1,1\n")
    Path("other.csv").write_text("a,b\nann,zoe\n")
    for flags, words in [
        ("team --directed", "--directed is an option for graphs: give their edges with --graph"),
        ("team --id name", "--id names vertices or records: give edges with --graph, or pairs with --pairs"),
        ("team --graph numbers.csv --weight found", "--weight does not work with --graph: leave it out"),
        ("team --graph numbers.csv --path-separator /", "--path-separator does not work with --graph"),
        ("team --graph numbers.csv --kind multilabel", "--kind"),
        ("team --graph numbers.csv --exact", "--exact does not work with --graph: leave it out"),
        ("team --graph wide.csv", "'wide.csv' has 4 columns: give two of vertices, and perhaps one of weights"),
        ("team --graph other.csv --id name",
         "the vertex 'zoe' in row 1 of the data of edges is not among --id"),
        ("team --graph edges.csv --id team", "--id names 'red' twice: give each vertex once"),
    ]:  # fmt: skip
        assert words in run(*INPUT, *shlex.split(flags), code=2)
    message = run("evaluate members.csv --truth team --pred found --graph numbers.csv", code=2)
    assert "--graph judges communities: name their columns with --labels" in message


def test_names_that_are_numbers_in_another_order(run: Any) -> None:
    """Edges that may number the rows or name them are not guessed at."""
    Path("mixed.csv").write_text("v,team,half\n3,a,0.5\n1,a,1\n2,b,\n0,b,2\n")
    Path("ends.csv").write_text("from,to\n3,1\n2,0\n")
    asked = ("evaluate", "mixed.csv", "--labels", "team", "--graph", "ends.csv")
    message = run(*asked, code=2)
    assert "or name vertices as 'v' does, in another order: if they are names, give --id v; if not" in message
    named = json.loads(run(*asked, "--id", "v", "--format", "json"))["evaluations"]["team"]["values"]
    assert named["modularity"] == pytest.approx(0.5)
    for column in ("v\n0\n1\n2\n3", "v\n3\n1\n1\n0", "v\n7\n1\n2\n3"):  # in order, twice, without 0
        names, teams = column.splitlines(), ["team", "a", "a", "b", "b"]
        rows = [f"{name},{team}" for name, team in zip(names, teams, strict=True)]
        Path("mixed.csv").write_text("\n".join(rows))
        counted = json.loads(run(*asked, "--format", "json"))["evaluations"]["team"]["values"]
        assert counted["modularity"] == pytest.approx(-0.5)
