"""Tables whose cells hold lists: several labels an instance."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adjudge import InputError, compare, evaluate, gate

LABELS = np.array(["drama", "comedy", "war"])
RNG = np.random.default_rng(0)
TRUTH = RNG.random((200, 3)) < 0.4
OLD, NEW = TRUTH ^ (RNG.random((200, 3)) < 0.2), TRUTH ^ (RNG.random((200, 3)) < 0.05)
COLUMNS: dict[str, Any] = {
    name: [LABELS[own].tolist() for own in rows]
    for name, rows in (("genres", TRUTH), ("v1", OLD), ("v2", NEW))
}
FRAME = pl.DataFrame({"id": range(200), **COLUMNS})
WANTED = gate(*COLUMNS.values(), kind="multilabel")


def in_json(folder: Path) -> Path:
    path = folder / "films.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in FRAME.to_dicts()))
    return path


def in_parquet(folder: Path) -> Path:
    FRAME.write_parquet(folder / "films.parquet")
    return folder / "films.parquet"


@pytest.mark.parametrize("kind", [None, "multilabel"])
@pytest.mark.parametrize(
    "table",
    [
        lambda _: FRAME,
        lambda _: FRAME.lazy(),
        lambda _: FRAME.to_arrow(),
        lambda _: pd.DataFrame(COLUMNS),
        lambda _: pd.DataFrame({name: [*map(set, own)] for name, own in COLUMNS.items()}),
        lambda _: FRAME.to_pandas(),
        in_parquet,
        in_json,
    ],
    ids=["polars", "lazy", "arrow", "pandas", "sets", "arrays", "parquet", "json"],
)
def test_a_gate_reads_lists(table: Callable[[Path], Any], kind: Any, tmp_path: Path) -> None:
    found = gate(table(tmp_path), truth="genres", old="v1", new="v2", kind=kind)
    assert found.tested == WANTED.tested
    assert found.verdict == "pass"
    assert found.comparison.kind == "multilabel"
    assert len(found.broken) == WANTED.n_broken > 0


@pytest.mark.parametrize("are_files", [False, True])
def test_two_tables_of_lists_are_joined(are_files: bool, tmp_path: Path) -> None:
    old = FRAME.select("id", "genres", said="v1")
    new = FRAME.select("id", "genres", said="v2")
    new = new.with_columns(pl.col("genres").list.reverse()).sample(fraction=1, shuffle=True, seed=0)
    tables: list[Any] = [old, new]
    if are_files:
        tables = [tmp_path / "old.parquet", tmp_path / "new.parquet"]
        old.write_parquet(tables[0])
        new.write_parquet(tables[1])
    assert gate(*tables, key="id", truth="genres").tested == WANTED.tested
    other = new.with_columns(genres=pl.lit(["war"]))
    with pytest.raises(InputError, match="column 'genres' differs between the tables in "):
        gate(old, other, key="id", truth="genres")


def test_tables_of_lists_are_judged_and_compared() -> None:
    for table in (FRAME, FRAME.to_arrow(), pd.DataFrame({"id": range(200), **COLUMNS})):
        assert evaluate(table, truth="genres", pred="v1") == evaluate(
            COLUMNS["genres"], COLUMNS["v1"], kind="multilabel"
        )
        found = compare(table, truth="genres", models=["v1", "v2"])
        models = {name: COLUMNS[name] for name in ("v1", "v2")}
        assert found == compare(COLUMNS["genres"], models, kind="multilabel")
    for call in (
        lambda: evaluate(FRAME.lazy(), truth="genres", pred="v1"),
        lambda: compare(FRAME.lazy(), truth="genres", models=["v1"]),
    ):
        with pytest.raises(
            InputError, match="kind='multilabel' needs the instances: collect the table first"
        ):
            call()


def test_text_is_labels_with_a_sign_between_them() -> None:
    text = FRAME.with_columns(v2=pl.col("v2").list.join(" | "))
    found = gate(text, truth="genres", old="v1", new="v2", delimiter="|")
    assert found.tested == WANTED.tested
    with pytest.raises(InputError, match="delimiter= separates the labels in a cell: pass kind='multilabel'"):
        gate(pl.DataFrame({"t": ["a"], "o": ["a"], "n": ["a"]}), "o", "n", truth="t", delimiter="|")


def test_lists_of_labels_that_are_judged_as_one_label_are_refused() -> None:
    with pytest.raises(InputError, match="column 'genres' holds lists of labels: pass kind='multilabel'"):
        gate(FRAME, truth="genres", old="v1", new="v2", kind="classification")
    absent = FRAME.with_columns(genres=pl.when(pl.col("id") == 7).then(None).otherwise("genres"))
    with pytest.raises(InputError, match="column 'genres' has no list at position 7: give an empty list"):
        gate(absent, truth="genres", old="v1", new="v2")


def test_lists_beside_single_labels_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "films.jsonl"
    rows = [{"label": "a", "v1": "a", "v2": "b", "tags": ["x", "y"]}, {"label": "b", "v1": "b", "v2": "b"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert gate(path, truth="label", old="v1", new="v2").rows_of("right_wrong").records() == [
        {"label": "a", "v1": "a", "v2": "b", "tags": ["x", "y"]}
    ]


def test_the_command_reads_lists(tmp_path: Path, run: Any) -> None:
    path = str(in_parquet(tmp_path))
    asked = ["gate", path, "--truth", "genres", "--old", "v1", "--new", "v2"]
    saved = tmp_path / "run.adjudge"
    assert "Subset accuracy" in run(*asked, "--save", saved)
    assert saved.is_file()
    assert "column 'genres' holds lists such as ['comedy', 'war']: a cell needs one label" in run(
        *asked, "--kind", "classification", code=2
    )


@pytest.mark.parametrize("door", ["lists", "pandas", "polars", "arrow", "parquet", "jsonl"])
@pytest.mark.parametrize("kind", ["multilabel", "overlapping"])
def test_a_missing_list_is_no_empty_list(door: str, kind: Any, tmp_path: Path) -> None:
    frame = pl.DataFrame({"t": [["a"], ["b"], [], ["a", "b"]], "p": [["a"], None, [], ["a"]]})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ndjson(tmp_path / "t.jsonl")
    table = {"pandas": frame.to_pandas(), "polars": frame, "arrow": frame.to_arrow()}
    given = table.get(door, tmp_path / f"t.{door}")
    lists = frame["t"].to_list(), frame["p"].to_list()
    named: dict[str, Any] = {"truth": "t", "pred": "p", "kind": kind}
    call = (lambda: evaluate(*lists, kind=kind)) if door == "lists" else lambda: evaluate(given, **named)
    with pytest.raises(InputError, match="has no list at position 1: give an empty list if the instance"):
        call()


SETS = {"t": [["spam", "hate"], ["spam"], [], ["hate", "spam"]], "p": [["spam"], ["spam"], [], ["hate"]]}


def _at(door: str, frame: pl.DataFrame, folder: Path) -> Any:
    path = folder / f"t.{door}"
    if door == "csv":
        frame.write_csv(path)
    elif door == "parquet":
        frame.write_parquet(path)
    elif door == "jsonl":
        frame.write_ndjson(path)
    else:
        return {"pandas": frame.to_pandas(), "polars": frame, "arrow": frame.to_arrow()}[door]
    return path


@pytest.mark.parametrize("door", ["pandas", "polars", "arrow", "parquet", "jsonl"])
def test_a_blank_name_is_no_label(door: str, tmp_path: Path) -> None:
    """As Python splits an empty text: [""]."""
    cells = {name: [own or [""] for own in rows] for name, rows in SETS.items()}
    wanted = evaluate(*SETS.values(), kind="multilabel").values
    assert evaluate(*cells.values(), kind="multilabel").values == wanted
    table = _at(door, pl.DataFrame(cells), tmp_path)
    found = evaluate(table, truth="t", pred="p", kind="multilabel")
    assert (found.values, found.n_clusters) == (wanted, {"labels": 2})


@pytest.mark.parametrize("door", ["pandas", "polars", "arrow", "csv", "parquet", "jsonl"])
@pytest.mark.parametrize(
    "written", [str, json.dumps, lambda own: str(np.array(own)), lambda own: str({*own})]
)
@pytest.mark.parametrize("options", [{}, {"delimiter": ","}])
def test_lists_in_text_are_refused(door: str, written: Any, options: Any, tmp_path: Path) -> None:
    texts = {name: [written(own) if own else "" for own in rows] for name, rows in SETS.items()}
    table = _at(door, pl.DataFrame(texts), tmp_path)
    with pytest.raises(InputError, match="column 't' holds lists that were written as text, such as "):
        evaluate(table, truth="t", pred="p", kind="multilabel", **options)


@pytest.mark.parametrize("door", ["pandas", "polars", "arrow", "csv", "parquet", "jsonl"])
@pytest.mark.parametrize("written", [";", "|", ","])
def test_another_sign_than_the_delimiter_is_said(door: str, written: str, tmp_path: Path) -> None:
    texts = {name: [written.join(own) for own in rows] for name, rows in SETS.items()}
    table = _at(door, pl.DataFrame(texts), tmp_path)
    for sign in (None, ";", "|", ",", "/"):
        found = evaluate(table, truth="t", pred="p", kind="multilabel", delimiter=sign)
        said = [own.text for own in found.warnings if own.code == "another-delimiter"]
        wanted = f"no cell has {sign or ';'!r} between labels, but 2 cells have {written!r}: if it separates labels, "
        assert said == ([] if (sign or ";") == written else [f"{wanted}pass delimiter={written!r}"])


@pytest.mark.parametrize("door", ["pandas", "polars", "arrow", "csv", "parquet", "jsonl"])
@pytest.mark.parametrize(("yes", "no"), [("yes", "no"), ("Y", "N"), ("x", "")])
def test_words_in_the_place_of_0_and_1_are_named(door: str, yes: str, no: str, tmp_path: Path) -> None:
    words = [yes, no, no, yes]
    frame = pl.DataFrame(dict.fromkeys(("tag_a", "tag_b", "said_a", "said_b"), words))
    shown = " and ".join(map(repr, sorted({yes.lower(), no.lower()} - {""})))
    said = rf"the columns of '(tag|said)_\*' hold {shown}: 0 and 1, or true and false, are needed"
    with pytest.raises(InputError, match=said):
        evaluate(_at(door, frame, tmp_path), truth="tag_*", pred="said_*", kind="multilabel")
