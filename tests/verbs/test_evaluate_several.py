"""Several labels in one call: each is judged as if alone, all in one table."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, evaluate
from adjudge.kinds import menu

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 4, 60)
MODELS = {name: np.where(RNG.random(60) < 0.7, TRUTH, RNG.integers(0, 4, 60)) for name in ("a", "b", "c")}


@pytest.mark.parametrize("kind", ["clustering", "classification"])
@pytest.mark.parametrize(
    "options", [{}, {"indices": "all"}, {"confidence": 0.9}, {"counts": RNG.integers(1, 5, 60)}]
)
def test_each_has_the_scores_of_evaluate(kind: Any, options: dict[str, Any]) -> None:
    many = evaluate(TRUTH, MODELS, kind=kind, **options)
    assert list(many) == list(MODELS)
    for name, labels in MODELS.items():
        alone = evaluate(TRUTH, labels, kind=kind, **options)
        assert repr(many[name].values) == repr(alone.values)
        assert repr(many[name].intervals) == repr(alone.intervals)
        assert many[name].settings == alone.settings
        assert many[name].n_clusters == alone.n_clusters
    assert many["b", alone.table().rows[0][0]] == many["b"].table().rows[0][1]


def test_a_truth_for_each() -> None:
    truths = {"x": [0, 0, 1], "y": ["u", "u", "v", "v"]}
    many = evaluate(truths, {"y": [1, 1, 1, 2], "x": [5, 5, 7]}, indices=["rand", "purity"])
    assert many["x", "rand"] == 1.0
    assert many["y", "rand"] == evaluate(truths["y"], [1, 1, 1, 2], indices="rand")["rand"]
    with pytest.raises(InputError, match="labels_pred has 'z', but labels_true has no labels of that name"):
        evaluate(truths, {"x": [0, 0, 1], "z": [0, 0, 1]})
    with pytest.raises(InputError, match="labels_true has 'y', but labels_pred has no labels of that name"):
        evaluate(truths, {"x": [0, 0, 1]})


def test_labels_come_by_name_or_in_columns() -> None:
    by_name = evaluate(TRUTH, MODELS)
    for given in (
        pd.DataFrame(MODELS),
        pl.DataFrame(MODELS),
        pl.LazyFrame(MODELS),
        pl.DataFrame(MODELS).to_arrow(),
    ):
        found = evaluate(TRUTH, given)
        assert list(found) == list(MODELS)
        assert list(found.values.values()) == list(by_name.values.values())
    assert list(evaluate(pd.Series(TRUTH), pd.DataFrame(MODELS)).to_frame()["labels_pred"]) == [
        "a",
        "b",
        "c",
    ]
    with pytest.raises(InputError, match="labels_pred is empty: at least one model is needed"):
        evaluate(TRUTH, {})


def test_errors_name_the_labels() -> None:
    with pytest.raises(InputError, match="second has 2 entries"):
        evaluate([0, 0, 1], {"first": [0, 0, 1], "second": [0, 1]})
    with pytest.raises(InputError, match="no labels are called 'd': choose from 'a', 'b', 'c'"):
        _ = evaluate(TRUTH, MODELS)["d"]


def test_rows_of_pandas_in_another_order_are_an_error() -> None:
    truth = pd.Series([0, 0, 1], index=[1, 2, 3])
    with pytest.raises(InputError, match="same index in different orders"):
        evaluate(truth, {"a": truth, "b": pd.Series([0, 0, 1], index=[3, 1, 2])})


def test_the_table_has_a_row_for_each() -> None:
    many = evaluate(TRUTH, MODELS, indices=["rand", "purity"], confidence=0.95)
    table = many.table()
    assert table.columns == (
        "labels_pred",
        "rand",
        "rand low",
        "rand high",
        "purity",
        "purity low",
        "purity high",
    )
    assert table.rows[1][:4] == ("b", many["b", "rand"], *many["b"].intervals["rand"])
    assert many.flat()["b/rand/low"] == many["b"].intervals["rand"][0]
    assert many.to_dict()["evaluations"]["c"]["values"] == many["c"].values
    assert repr(many).startswith("Evaluations of 3 label vectors\nlabels_pred")
    assert "<table" in many._repr_html_()
    assert pickle.loads(pickle.dumps(many)).values == many.values


def test_sets_of_labels() -> None:
    truth = [{"a", "b"}, {"b"}]
    models = {"p": [{"a"}, {"b"}], "q": [{"b"}, set()]}
    many = evaluate(truth, models, kind="multilabel")
    assert many["p"].values == evaluate(truth, models["p"], kind="multilabel").values


def test_a_shared_truth_is_coded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from adjudge.given import labels

    coded = []
    code = labels._code
    monkeypatch.setattr(labels, "_code", lambda values, name: coded.append(name) or code(values, name))
    adjudge.evaluate(TRUTH, MODELS)
    assert sorted(coded) == ["a", "b", "c", "labels_true"]


@pytest.mark.parametrize("indices", ["default", ["ari", "purity"]])
def test_indices_are_chosen_once_for_all(indices: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    select = menu.select_indices

    def counted(*given: Any) -> Any:
        calls.append(given)
        return select(*given)

    monkeypatch.setattr(menu, "select_indices", counted)
    truth = [0, 0, 0, 1, 1, 1]
    models = {str(i): [0, 0, 1, 1, i % 3, 2] for i in range(20)}
    found = evaluate(truth, models, indices=indices)
    assert len(calls) == 1
    assert found["4"].values == evaluate(truth, models["4"], indices=indices).values


def test_columns_of_numbers_leave_out_their_own_gaps(tmp_path: Path) -> None:
    """Columns were judged on the rows that have them all, and vectors each on its own."""
    frame = pd.DataFrame({"y": [1.0, 2, 3, 4, 5, 6] * 5, "b": [1.0, 2, 4, 4, 5, 6] * 5})
    frame["a"] = frame["y"].where(frame.index != 2)
    frame.to_csv(tmp_path / "t.csv", index=False)
    models = {"a": frame["a"], "b": frame["b"]}
    asked: dict[str, Any] = {"kind": "regression", "missing": "drop"}
    wanted = adjudge.evaluate(frame["y"], models, **asked)
    assert {name: own.n for name, own in wanted.evaluations.items()} == {"a": 29, "b": 30}
    for table in (frame, pl.from_pandas(frame), tmp_path / "t.csv"):
        found = adjudge.evaluate(table, truth="y", pred=["a", "b"], **asked)
        own = adjudge.evaluate(table, values=["a", "b"], missing="drop")
        for name, one in wanted.evaluations.items():
            assert found.evaluations[name].n == own.evaluations[name].n == one.n
            assert found.evaluations[name].values == pytest.approx(one.values)
            assert own.evaluations[name]["mean"] == pytest.approx(models[name].mean())


def test_roles_say_which_gaps_of_numbers_are_left_out() -> None:
    """Of several columns, only the names of the columns themselves were understood."""
    frame = pd.DataFrame({"y": [1.0, 2, 3, 4, 5, None] * 5, "b": [1.0, 2, 4, 4, 5, 6] * 5})
    frame["a"] = frame["y"].where(frame.index != 2)
    asked: dict[str, Any] = {"truth": "y", "pred": ["a", "b"], "kind": "regression"}
    wanted = evaluate(frame, missing="drop", **asked)
    found = evaluate(frame, missing={"truth": "drop", "pred": "drop"}, **asked)
    assert {name: (one.n, one.values) for name, one in found.evaluations.items()} == {
        name: (one.n, one.values) for name, one in wanted.evaluations.items()
    }
    with pytest.raises(InputError, match="column 'a' has no number at position 2"):
        evaluate(frame, missing={"truth": "drop", "b": "drop"}, **asked)
