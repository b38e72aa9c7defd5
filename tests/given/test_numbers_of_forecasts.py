"""Probabilities just beyond 0 or 1 in every container, decision values in functions, and ranges of scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics

import adjudge
from adjudge.cli import main
from adjudge.errors import InputError
from adjudge.indices import list_indices
from adjudge.indices.forecast_record import ForecastIndex
from cases import each

RNG = np.random.default_rng(0)
TRUTH = np.where(RNG.random(200) < 0.5, "yes", "no")
SINGLE = np.clip(np.where(TRUTH == "yes", 0.9, 0.1) + RNG.normal(0, 0.2, 200), 0, 1).astype(np.float32)
SINGLE[np.flatnonzero(SINGLE == 1)[:5]] = np.float32(1.0000001)
SINGLE[np.flatnonzero(SINGLE == 0)[:5]] = np.float32(-1e-7)
DOUBLE = SINGLE.astype(np.float64)
NAMES = ["brier_score", "roc_auc", "log_loss"]
OPTIONS: dict[str, Any] = {"kind": "classification", "indices": NAMES, "positive": "yes"}
WANTED = adjudge.evaluate(TRUTH, probabilities=np.clip(DOUBLE, 0, 1), **OPTIONS).values
FRAME = pd.DataFrame({"y": TRUTH, "p_no": 1 - DOUBLE, "p_yes": DOUBLE})


def test_arrays() -> None:
    for given in (
        SINGLE,
        DOUBLE,
        [float(str(value)) for value in SINGLE],
        pd.Series(DOUBLE),
        pl.Series(SINGLE),
        pa.array(DOUBLE),
        FRAME[["p_no", "p_yes"]].set_axis(["no", "yes"], axis=1),
        FRAME[["p_no", "p_yes"]].to_numpy(),
    ):
        assert adjudge.evaluate(TRUTH, probabilities=given, **OPTIONS).values == pytest.approx(
            WANTED, abs=1e-6
        )


@each("columns", ["p_yes", {"no": "p_no", "yes": "p_yes"}])
def test_tables(columns: Any) -> None:
    frame = FRAME
    for table in (frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy(), duckdb.sql("from frame")):
        found = adjudge.evaluate(table, truth="y", probabilities=columns, **OPTIONS)
        assert found.values == pytest.approx(WANTED, abs=1e-6)
    likeliest = adjudge.compare(
        pl.from_pandas(frame).lazy(), truth="y", probabilities={"a": columns, "b": columns}, positive="yes"
    )
    assert likeliest.judged["a"]["accuracy"].value == np.mean((DOUBLE >= 0.5) == (TRUTH == "yes"))


def test_files(tmp_path: Path, capsys: Any) -> None:
    single = FRAME.astype({"p_yes": np.float32})
    single.to_csv(tmp_path / "a.csv", index=False)
    single.to_parquet(tmp_path / "b.parquet")
    FRAME.to_parquet(tmp_path / "c.parquet")
    FRAME.to_json(tmp_path / "d.jsonl", orient="records", lines=True, double_precision=15)
    for path in sorted(tmp_path.iterdir()):
        asked = [
            "--truth",
            "y",
            "--probabilities",
            "p_yes",
            "--positive",
            "yes",
            "--indices",
            ",".join(NAMES),
        ]
        assert main(["evaluate", str(path), *asked]) == 0, path
        assert f"{WANTED['roc_auc']:.4f}" in capsys.readouterr().out


def test_labels_and_memberships_are_taken_as_well() -> None:
    sets, shares = [{"a"}, {"b"}, {"a", "b"}], np.array([[1.0000001, 0], [0, 1], [0.6, -1e-7]])
    found = adjudge.evaluate(sets, probabilities=shares, classes=["a", "b"], kind="multilabel")
    clipped = adjudge.evaluate(
        sets, probabilities=np.clip(shares, 0, 1), classes=["a", "b"], kind="multilabel"
    )
    assert found.values == pytest.approx(clipped.values, nan_ok=True)
    rows = np.array([[1.0000001, -1e-7], [0.2, 0.8], [0, 1]])
    assert adjudge.evaluate([0, 1, 1], adjudge.Memberships(rows)).values == pytest.approx(
        adjudge.evaluate([0, 1, 1], adjudge.Memberships(np.clip(rows, 0, 1))).values
    )


def test_functions_that_rank_take_decision_values() -> None:
    rng = np.random.default_rng(1)
    truth, several = rng.integers(0, 2, 80), rng.integers(0, 3, 80)
    values = truth + 2 * rng.normal(size=80)
    for index, peer in (
        (adjudge.roc_auc, metrics.roc_auc_score),
        (adjudge.average_precision, metrics.average_precision_score),
    ):
        for given in (values, values.tolist(), pd.Series(values), values.astype(np.float32)):
            assert index(truth, given) == pytest.approx(peer(truth, np.asarray(given)))
        assert index(truth, values) == index(truth, scores=values)
    matrix = rng.normal(size=(80, 3))
    assert adjudge.top_k_accuracy(several, matrix) == metrics.top_k_accuracy_score(several, matrix, k=2)
    for record in list_indices():
        if isinstance(record, ForecastIndex) and record.needs_probabilities:
            with pytest.raises(InputError, match="these look like logits"):
                record(truth, values)
        elif isinstance(record, ForecastIndex):
            assert record(truth, values) == pytest.approx(record(truth, scores=values), nan_ok=True)
    values[3] = np.nan
    with pytest.raises(InputError, match="scores has a missing entry in row 3"):
        adjudge.roc_auc(truth, values)


def test_the_brier_score_of_two_classes_has_their_range() -> None:
    of_two = adjudge.evaluate(TRUTH, probabilities=SINGLE, **OPTIONS)
    assert of_two.scores["brier_score"].range == (0, 1)
    assert {row[0]: row for row in of_two.table().rows}["brier_score"][3] == "[0, 1]"
    three = RNG.dirichlet([1, 1, 1], 200)
    asked = {"kind": "classification", "indices": "brier_score"}
    found = adjudge.evaluate(three.argmax(axis=1), probabilities=three, **asked)
    assert found.scores["brier_score"].range == (0, 2)


@each("bad", [1.00001, 1.5, -0.25, 1 + 1e-5])
def test_what_is_refused_is_named_exactly(bad: float) -> None:
    for values in (DOUBLE.copy(), SINGLE.copy()):
        values[9] = bad
        with pytest.raises(InputError) as error:
            adjudge.evaluate(TRUTH, probabilities=values, **OPTIONS)
        assert f"probabilities has {float(values[9])!r} in row 9: probabilities lie" in str(error.value)
