"""True and False are the same labels however a container writes them, at every door."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import compare, evaluate, gate
from adjudge.errors import InputError
from cases import each
from table_engines import in_engine

RNG = np.random.default_rng(0)
N = 120
TRUE = RNG.random(N) < 0.4
OLD, NEW = (np.where(RNG.random(N) < share, TRUE, ~TRUE) for share in (0.9, 0.8))
WAYS: dict[str, Callable[[Any], Any]] = {
    "bool": lambda own: own,
    "int": lambda own: own.astype(int),
    "float": lambda own: own.astype(float),
    "True": lambda own: np.where(own, "True", "False"),
    "true": lambda own: np.where(own, "true", "false"),
    "TRUE": lambda own: np.where(own, "TRUE", "FALSE"),
    "text": lambda own: np.where(own, "1", "0"),
}
WORDS = ("bool", "True", "true", "TRUE")
PAIRS = [pair for pair in itertools.product(WAYS, WAYS) if set(pair) & set(WORDS)]
RIGHT, BROKEN = np.mean(OLD == TRUE), int(((OLD == TRUE) & (NEW != TRUE)).sum())


def written(true: str, said: str) -> pd.DataFrame:
    columns = {"t": WAYS[true](TRUE), "old": WAYS[said](OLD), "new": WAYS[said](NEW)}
    return pd.DataFrame(columns)


@each("true, said", PAIRS)
def test_arrays(true: str, said: str) -> None:
    t, old, new = written(true, said).to_numpy(object).T
    judged = evaluate(list(t), list(old))
    assert (judged.settings["of"], judged["accuracy"]) == ("classification", RIGHT)
    both = compare(t, {"old": old, "new": new}, confidence=0.9)
    assert both.scores["old"]["accuracy"] == RIGHT
    assert both["old", "new"].right_wrong == len(both["old", "new"].instances("right_wrong")) == BROKEN
    assert both["old", "new"].differences["macro_f1"].interval is not None
    assert gate(t, old, new).n_broken == BROKEN
    assert adjudge.accuracy(t, old) == RIGHT
    positive = judged.confusion.labels[1]
    assert (
        evaluate(t, old, positive="true", indices="recall")["recall"] == judged.by_class[positive]["recall"]
    )


@pytest.mark.parametrize("engine", ["pandas", "polars", "polars-lazy", "pyarrow", "duckdb", "dask", "ibis"])
@each("true, said", PAIRS, keep=6)
def test_tables(true: str, said: str, engine: str, request: pytest.FixtureRequest) -> None:
    table = in_engine(pl.from_pandas(written(true, said)), engine, request)
    assert evaluate(table, truth="t", pred="old")["accuracy"] == RIGHT
    found = gate(table, truth="t", old="old", new="new")
    assert (found.n_broken, len(found.rows_of("right_wrong").rows)) == (BROKEN, BROKEN)


@each("true, said", PAIRS, keep=4)
def test_files_in_the_shell(true: str, said: str, tmp_path: Path, run: Any, shell: Any) -> None:
    frame = written(true, said)
    frame.to_csv(tmp_path / "f.csv", index=False)
    frame.to_json(tmp_path / "f.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "f.parquet")
    frame.to_excel(tmp_path / "f.xlsx", index=False)
    for name in ("f.csv", "f.jsonl", "f.parquet", "f.xlsx"):
        path = str(tmp_path / name)
        judged = json.loads(run("evaluate", path, "--truth", "t", "--pred", "old", "-f", "json"))[
            "evaluations"
        ]["old"]
        assert judged["values"]["accuracy"] == RIGHT
        assert (
            json.loads(
                shell(
                    "gate", path, "--truth", "t", "--old", "old", "--new", "new", "-f", "json", code=None
                ).out
            )["broken"]
            == BROKEN
        )


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@each("true, said", [("True", "int"), ("TRUE", "true"), ("bool", "int")])
def test_a_model_that_is_wrong_throughout_passes_no_gate(
    true: str, said: str, ending: str, tmp_path: Path, shell: Any
) -> None:
    frame = written(true, said).assign(new=WAYS[said](~TRUE))
    path = str(tmp_path / f"f.{ending}")
    {"csv": frame.to_csv, "jsonl": frame.to_json, "parquet": frame.to_parquet}[ending](
        path, **({"orient": "records", "lines": True} if ending == "jsonl" else {"index": False})
    )
    shell("gate", path, "--truth", "t", "--old", "old", "--new", "new", code=1)


def test_yes_is_no_boolean_and_a_gate_guesses_no_clusters(tmp_path: Path, run: Any) -> None:
    frame = written("int", "int").assign(t=np.where(TRUE, "yes", "no"))
    for verb in (
        lambda: gate(frame, truth="t", old="old", new="new"),
        lambda: compare(frame, ["old", "new"], truth="t"),
        lambda: adjudge.report(frame, ["old", "new"], truth="t", output=tmp_path / "r.html"),
        lambda: gate(frame.t, frame.old, frame.new),
    ):
        with pytest.raises(InputError, match="if they are classes, or pass kind='clustering'"):
            verb()
    assert evaluate(frame, truth="t", pred="old").settings["of"] == "clustering"
    path = str(tmp_path / "f.csv")
    frame.to_csv(path, index=False)
    for words in (
        ["gate", "--old", "old", "--new", "new"],
        ["compare", "--models", "old"],
        ["report", "--models", "old"],
    ):
        assert "or pass --kind clustering" in run(words[0], path, "--truth", "t", *words[1:], code=2)


def test_words_among_other_labels_are_no_booleans() -> None:
    with pytest.raises(InputError, match="may be classes or numbers of clusters"):
        compare(["true", "false", "mixed"], {"a": ["True", "true", "mixed"]})


def test_a_model_may_write_one_label_in_two_ways_and_answer_something_else() -> None:
    truth, said = [True, True, False, False], ["true", "TRUE", "unsure", "0"]
    found = evaluate(truth, said, kind="classification", confidence=0.9, units=[1, 1, 2, 3])
    assert found["accuracy"] == 0.75
    assert found.confusion.matrix.tolist() == [[1, 0, 1], [0, 2, 0], [0, 0, 0]]
    assert (list(found.by_class), found.confusion.labels[-1]) == ([False, True], "unsure")


@each("one, other", PAIRS)
def test_raters(one: str, other: str) -> None:
    wanted = evaluate({"a": TRUE, "b": OLD}, kind="raters")
    found = evaluate({"a": list(WAYS[one](TRUE)), "b": list(WAYS[other](OLD))}, kind="raters")
    for name in ("raters_agreement", "krippendorff_alpha"):
        assert found[name] == wanted[name]


def test_raters_in_the_shell(tmp_path: Path, run: Any) -> None:
    written("True", "int").to_csv(tmp_path / "f.csv", index=False)
    found = json.loads(run("raters", tmp_path / "f.csv", "--raters", "t,old", "-f", "json"))
    assert f'"raters_agreement": {RIGHT}' in json.dumps(found)


def test_coordinates_that_are_named_may_be_flags(tmp_path: Path) -> None:
    """Named they count as 1 and 0; among all columns of a table they are left out, and this is said."""
    x = RNG.normal(size=N)
    frame = pd.DataFrame({"x": x, "member": NEW, "group": OLD.astype(int)})
    numbers = frame[["x", "member"]].astype(float)
    wanted = evaluate(X=numbers, labels=OLD, indices="silhouette")["silhouette"]
    alone = evaluate(X=frame[["x"]], labels=OLD, indices="silhouette")["silhouette"]
    assert wanted != alone
    for name in ("csv", "tsv", "parquet", "feather", "jsonl"):
        path = tmp_path / f"t.{name}"
        stored = pl.from_pandas(frame)
        if name in ("csv", "tsv"):
            stored.write_csv(path, separator="," if name == "csv" else "\t")
        else:
            {"parquet": stored.write_parquet, "feather": stored.write_ipc, "jsonl": stored.write_ndjson}[
                name
            ](path)
        for given in (stored, frame, path):
            found = evaluate(given, labels="group", features=["x", "member"], indices="silhouette")
            assert found["silhouette"] == pytest.approx(wanted), name
            found = evaluate(given, labels="group", indices="silhouette")
            assert found["silhouette"] == pytest.approx(alone), name
            assert "'member' holds no numbers, so it is left out" in repr(found)
    frame.assign(said=NEW.astype(int)).to_csv(tmp_path / "p.csv", index=False)
    frame.assign(said=NEW.astype(int)).to_parquet(tmp_path / "p.parquet")
    pages = [
        adjudge.report(
            tmp_path / name, truth="group", models=["said"], features=["x", "member"], kind="classification"
        )
        for name in ("p.csv", "p.parquet")
    ]
    assert pages[0].page["sections"][0]["space"] == pages[1].page["sections"][0]["space"]
    mixed = tmp_path / "mixed.csv"
    frame.assign(member=["maybe", *NEW[1:]]).to_csv(mixed, index=False)
    with pytest.raises(InputError, match="column 'member' has 'maybe', which is not a finite number"):
        evaluate(mixed, labels="group", features=["x", "member"], indices="silhouette")


def test_a_file_of_points_has_no_flags(tmp_path: Path) -> None:
    """A frame leaves them out, so a file that is only points must not count them."""
    frame = pd.DataFrame({"x": RNG.normal(size=N), "y": RNG.normal(size=N), "member": NEW.astype(bool)})
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="column 'member' is True or False; pass the file as a table"):
        evaluate(X=tmp_path / "x.parquet", labels=OLD, indices="silhouette")
    frame[["x", "y"]].to_parquet(tmp_path / "x.parquet")
    found = evaluate(X=tmp_path / "x.parquet", labels=OLD, indices="silhouette")
    assert found["silhouette"] == pytest.approx(
        evaluate(X=frame, labels=OLD, indices="silhouette")["silhouette"]
    )
