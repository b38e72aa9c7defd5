"""A table, eager, lazy or in a file, is a kind of input: its columns are judged as the arrays in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, compare, evaluate
from conftest import raises_line

RNG = np.random.default_rng(8)
N = 120
FRAME = pl.DataFrame(
    {
        "truth": RNG.choice(["cat", "dog", "owl"], N),
        "one": RNG.choice(["cat", "dog", "owl"], N),
        "other": RNG.choice(["cat", "dog", "owl"], N),
        "clusters": RNG.integers(0, 5, N),
        "p_yes": RNG.random(N),
        "is_yes": RNG.choice(["no", "yes"], N),
        "patient": RNG.integers(0, 25, N),
        "ward": RNG.choice(["a", "b"], N),
        "weight": RNG.integers(1, 4, N),
        "x": RNG.normal(size=N),
        "y": RNG.normal(size=N),
    }
)
COLUMN = {name: FRAME[name].to_numpy() for name in FRAME.columns}


def _written(folder: Path, ending: str) -> Path:
    path = folder / f"table{ending}"
    if ending == ".csv":
        FRAME.write_csv(path)
    elif ending == ".jsonl":
        FRAME.write_ndjson(path)
    else:
        FRAME.write_parquet(path)
    return path


TABLES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda _: FRAME.to_pandas(),
    "polars": lambda _: FRAME,
    "arrow": lambda _: FRAME.to_arrow(),
    "lazy": lambda _: FRAME.lazy(),
    "csv": lambda folder: _written(folder, ".csv"),
    "csv as text": lambda folder: str(_written(folder, ".csv")),
    "jsonl": lambda folder: _written(folder, ".jsonl"),
    "parquet": lambda folder: _written(folder, ".parquet"),
}


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return TABLES[request.param](tmp_path)


def test_several_columns(table: Any) -> None:
    found = evaluate(table, truth="truth", pred=["one", "other"], indices=["accuracy", "macro_f1"])
    assert isinstance(found, adjudge.Evaluations)
    assert list(found) == ["one", "other"]
    for name in found:
        assert (
            found[name].values
            == evaluate(COLUMN["truth"], COLUMN[name], indices=["accuracy", "macro_f1"]).values
        )
    # One of them has names of its own, so all are judged as clusterings.
    found = evaluate(table, truth="truth", pred=["one", "ward"], indices=["rand"])
    assert {own.settings["of"] for own in found.evaluations.values()} == {"clustering"}


def test_partitions_are_judged_from_one_set_of_points() -> None:
    points, labels = FRAME.select("x", "y").to_numpy(), {"a": COLUMN["clusters"], "b": COLUMN["clusters"] % 2}
    found = evaluate(X=points, labels=labels, indices="silhouette")
    for name, own in labels.items():
        assert found[name, "silhouette"] == evaluate(X=points, labels=own, indices="silhouette")["silhouette"]


def test_raters_of_a_file(tmp_path: Path) -> None:
    ratings = FRAME.select("truth", "one", "other")
    ratings.write_csv(tmp_path / "ratings.csv")
    judged = evaluate(tmp_path / "ratings.csv", kind="raters", classes=["owl", "dog", "cat"], confidence=0.9)
    wanted = evaluate(ratings, kind="raters", classes=["owl", "dog", "cat"], confidence=0.9)
    assert judged.values == wanted.values
    assert judged.intervals == wanted.intervals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda t: evaluate(t, pred="one"),
            "nothing to judge: give truth and pred, or labels and features, or all of them",
        ),
        (
            lambda t: evaluate(t, truth="truth"),
            "pred is missing: the truth needs the column with the labels to be judged",
        ),
        (
            lambda t: evaluate(t, truth="truth", pred="on"),
            "the table has no column 'on': did you mean 'one'? It has ",
        ),
        (
            lambda t: evaluate(t, truth="truth", pred="one", X=[[1.0]]),
            "X= are points beside a table: name the columns of ",
        ),
        (
            lambda t: evaluate(t, truth="is_yes", pred=["one", "other"], probabilities="p_yes"),
            "probabilities= are of one classifier: name one column as pred=",
        ),
        (lambda t: compare(t, ["one", "one"], truth="truth"), "column 'one' is named twice"),
        (
            lambda t: compare(t, [], truth="truth"),
            "models is empty: at least one column with a model's labels is needed",
        ),
    ],
)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.LazyFrame])
def test_what_is_wrong_is_named(make: Any, call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        call(make(FRAME.to_dict(as_series=False)))
    assert str(caught.value).startswith(message)


def test_a_file_that_is_not_there() -> None:
    with raises_line(InputError, "there is no file 'nowhere.csv'"):
        evaluate("nowhere.csv", truth="truth", pred="one")
    with raises_line(InputError, "there is no file 'nowhere.csv'"):
        compare(Path("nowhere.csv"), ["one", "other"])


def test_classifiers_in_columns_of_a_table() -> None:
    """Each may have labels, a pattern of columns with probabilities, or both; each is judged on its own rows."""
    rng = np.random.default_rng(3)
    truth = np.array(["cat", "dog", "owl"])[rng.integers(0, 3, 60)]
    shares = {name: rng.dirichlet([1, 1, 1], 60) for name in ("a", "b")}
    columns = {
        f"{m}_{c}": own[:, i] for m, own in shares.items() for i, c in enumerate(("cat", "dog", "owl"))
    }
    columns["b_cat"][7] = np.nan
    table = pl.DataFrame({"truth": truth, "said": truth[::-1].copy(), **columns})
    models = {
        "old": adjudge.Classifier(labels="said", probabilities="a_*"),
        "new": adjudge.Classifier(probabilities="b_*"),
    }
    kept = np.arange(60) != 7
    for given in (table, table.to_pandas()):
        found = evaluate(given, truth="truth", pred=models, missing="drop")
        assert [own.n for own in found.evaluations.values()] == [60, 59]
        wanted = evaluate(
            truth[kept], probabilities=shares["b"][kept], classes=["cat", "dog", "owl"], kind="classification"
        )
        assert found["new", "log_loss"] == pytest.approx(wanted["log_loss"])
        assert found["old", "accuracy"] == np.mean(truth == truth[::-1])
