"""Rows of probabilities add up to 1 within what their numbers can say, whatever holds the numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.given.probabilities import as_class_scores
from adjudge.given.row_sums import decimals_of, epsilon_of
from conftest import raises_line

CLASSES = 500


def softmax_of_single() -> np.ndarray[Any, Any]:
    """Divide by running sums in float32; the rows that are farthest from 1."""
    z = np.exp(np.random.default_rng(0).normal(size=(400, CLASSES)) * 2).astype(np.float32)
    found = z / np.add.accumulate(z, axis=1)[:, -1:]
    return found[np.argsort(-np.abs(found.sum(axis=1, dtype=np.float64) - 1))[:3]] * np.float32(1.000003)


CONTAINERS = {
    "array": np.asarray,
    "wider": lambda P: P.astype(np.float64),
    "list": lambda P: P.tolist(),
    "pandas": pd.DataFrame,
    "polars": lambda P: pl.DataFrame(P, schema=[*map(str, range(P.shape[1]))]),
    "arrow": lambda P: pl.DataFrame(P, schema=[*map(str, range(P.shape[1]))]).to_arrow(),
    "printed": lambda P: np.array([[float(str(p)) for p in row] for row in P]),
}


@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_single_precision_is_known_in_any_container(make: Any) -> None:
    P = softmax_of_single()
    assert np.abs(P.sum(axis=1, dtype=np.float64) - 1).max() > 2e-6
    truth = P.argmax(axis=1).tolist()
    found = adjudge.evaluate(
        truth, probabilities=make(P), classes=range(CLASSES), kind="classification", indices=["log_loss"]
    )
    assert found["log_loss"] == pytest.approx(-np.log(P.max(axis=1).astype(np.float64)).mean(), rel=1e-6)
    assert [notice.code for notice in found.warnings] == ["labels-from-probabilities"]


def brain_float(P: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Keep the upper half of float32."""
    return (P.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)


@pytest.mark.parametrize(
    "rounded", [lambda P: P.astype(np.float16), brain_float], ids=["float16", "bfloat16"]
)
def test_half_precision(rounded: Any) -> None:
    P = rounded(np.random.default_rng(1).dirichlet(np.ones(7), 50))
    assert np.abs(P.sum(axis=1, dtype=np.float64) - 1).max() > 1e-4
    for given in (P, P.astype(np.float64), pd.DataFrame(P)):
        assert as_class_scores(given, probabilities=True).rounded is None
    with pytest.raises(InputError, match="add up to"):
        as_class_scores(P.astype(np.float64) * 1.02, probabilities=True)


def test_what_numbers_say_of_their_precision() -> None:
    P = np.random.default_rng(2).dirichlet(np.ones(5), 60)
    for dtype in (np.float16, np.float32, np.float64):
        assert epsilon_of(P.astype(dtype).astype(np.float64)) == np.finfo(dtype).eps
        assert decimals_of(P.astype(dtype).astype(np.float64)) is None
    for decimals in (1, 2, 3, 6):
        for values in (P.round(decimals), P.round(decimals).astype(np.float32)):
            assert decimals_of(values) == decimals
    assert decimals_of(P.round(7)) is None


THIRDS = [[0.334, 0.333, 0.333], [0.333, 0.333, 0.333], [0.1, 0.2, 0.7], [0.667, 0.167, 0.167]]
TRUTH = ["a", "b", "c", "a"]
LOG_LOSS = -sum(map(math.log, (0.334, 1 / 3, 0.7, 0.667 / 1.001))) / 4
SAID = "of the probabilities did not add up to 1, but did within 3 decimals, and were divided by their sums"


def test_rows_with_few_decimals_are_divided_by_their_sums() -> None:
    ask: dict[str, Any] = {"kind": "classification", "indices": ["log_loss"]}
    frame = pd.DataFrame(THIRDS, columns=["a", "b", "c"])
    for given in (THIRDS, np.array(THIRDS, np.float32), frame, pl.from_pandas(frame)):
        found = adjudge.evaluate(TRUTH, probabilities=given, **ask)
        assert found["log_loss"] == pytest.approx(LOG_LOSS, rel=1e-6)
        assert f"note: 2 rows {SAID}: keep more decimals" in map(str, found.warnings)
    compared = adjudge.compare(TRUTH, probabilities={"m": THIRDS, "n": THIRDS}, **ask)
    assert compared.scores["m"]["log_loss"] == pytest.approx(LOG_LOSS)
    assert [notice.message for notice in compared.warnings if notice.code != "labels-from-probabilities"] == [
        f"2 rows {SAID.replace('probabilities', f'probabilities of {name!r}')}" for name in "mn"
    ]
    assert adjudge.log_loss(TRUTH, THIRDS) == pytest.approx(LOG_LOSS)


def test_rows_that_decimals_do_not_explain() -> None:
    for row, total in (([0.334, 0.333, 0.335], "1.002"), ([0.3, 0.3, 0.3], "0.9"), ([0.0, 0.0, 0.0], "0")):
        with raises_line(
            InputError,
            f"probabilities add up to {total} in row 1: divide each row by its sum, or keep more digits",
        ):
            as_class_scores([THIRDS[0], row], probabilities=True)


PERCENTAGES = "these look like percentages, so divide all of them by 100"


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ([[33.4, 33.3, 33.3], [33.3, 33.3, 33.3]], "probabilities has 33.4 in row 0, column 0"),
        ([[0.5] * 200] * 2, "probabilities add up to 100 in row 0"),
        ([62.5, 3, 0.5, 98], "probabilities has 62.5 in row 0"),
    ],
)
def test_percentages_are_named(given: Any, where: str) -> None:
    points = "" if np.ndim(given) > 1 else "; points of a scale that only rank are scores"
    with raises_line(InputError, f"{where}: {PERCENTAGES}{points}"):
        as_class_scores(given, probabilities=True)


def test_a_class_without_a_column_is_named() -> None:
    two = [[0.334, 0.333], [0.2, 0.7], [0.1, 0.2]]
    said = "probabilities add up to 0.667 in row 0: there are 2 columns, {} has 3 classes: give a column for each"
    truth = ["a", "b", "c"]
    with raises_line(InputError, said.format("labels_true")):
        adjudge.evaluate(truth, probabilities=two, kind="classification")
    with raises_line(InputError, said.format("labels_true")):
        adjudge.compare(truth, probabilities={"m": two}, kind="classification")
    with raises_line(InputError, said.format("labels_true")):
        adjudge.log_loss(truth, two)
    frame = pd.DataFrame(two, columns=["a", "b"]).assign(y=truth)
    with raises_line(InputError, said.format("column 'y'")):
        adjudge.evaluate(frame, truth="y", probabilities={"a": "a", "b": "b"}, kind="classification")
