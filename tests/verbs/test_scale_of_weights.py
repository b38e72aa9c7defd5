"""Sampling weights have no scale, and a row of weight 0 is as if it were not there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge.errors import InputError
from cases import each

RNG = np.random.default_rng(0)
N = 200
TRUTH = RNG.integers(0, 3, N)
SAID, OTHER = (np.where(RNG.random(N) < share, TRUTH, RNG.integers(0, 3, N)) for share in (0.8, 0.7))
P = RNG.dirichlet([1, 1, 1], N)
X = RNG.normal(size=(N, 2)) + 3 * np.c_[TRUTH == 1, TRUTH == 2]
WEIGHTS = RNG.random(N) + 0.1
GROUPS, UNITS = RNG.integers(0, 2, N), RNG.integers(0, 40, N)


def _calls(own: dict[str, np.ndarray]) -> dict[str, Callable[..., Any]]:
    t, p, q = own["t"], own["p"], own["q"]
    models = {"p": p, "q": q}
    return {
        "classes": lambda **o: adjudge.evaluate(
            t, p, kind="classification", indices="all", confidence=0.95, **o
        ),
        "groups": lambda **o: adjudge.evaluate(t, p, kind="classification", groups=own["g"], **o),
        "units": lambda **o: adjudge.evaluate(
            t, p, kind="classification", units=own["u"], confidence=0.95, **o
        ),
        "clusters": lambda **o: adjudge.evaluate(t, p, kind="clustering", confidence=0.95, **o),
        "forecasts": lambda **o: adjudge.evaluate(t, probabilities=own["P"], kind="classification", **o),
        "points": lambda **o: adjudge.evaluate(
            X=own["X"], labels=t, indices=["silhouette", "ch", "dunn"], **o
        ),
        "compare": lambda **o: adjudge.compare(
            t, models, kind="classification", groups=own["g"], confidence=0.95, **o
        ),
        "clusterings": lambda **o: adjudge.compare(t, models, kind="clustering", **o),
        "gate": lambda **o: adjudge.gate(
            t, old=p, new=q, margin=0.05, groups=own["g"], units=own["u"], kind="classification", **o
        ),
    }


def _flat(found: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(found, dict):
        for key, value in found.items():
            yield from _flat(value, f"{path}/{key}")
    elif isinstance(found, (list, tuple)):
        for i, value in enumerate(found):
            yield from _flat(value, f"{path}/{i}")
    else:
        yield path, found


def _same(one: Any, other: Any) -> None:
    one, other = dict(_flat(one)), dict(_flat(other))
    assert one.keys() == other.keys()
    for path, value in other.items():
        if isinstance(value, float):
            assert one[path] == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), path
        else:
            assert one[path] == value, path


DATA = {"t": TRUTH, "p": SAID, "q": OTHER, "g": GROUPS, "u": UNITS, "P": P, "X": X}


@each("scale", [1e-300, 1e-200, 1e-165, 1e-12, 1e12, 1e200, 1e300])
def test_values_do_not_depend_on_the_scale(scale: float) -> None:
    for name, call in _calls(DATA).items():
        if name in ("compare", "gate", "clusterings"):
            continue
        plain, scaled = (call(sample_weight=WEIGHTS * k, weights="importance") for k in (1.0, scale))
        _same(dict(scaled.values), dict(plain.values))
        for key, interval in plain.intervals.items():
            assert tuple(scaled.intervals[key]) == pytest.approx(tuple(interval), nan_ok=True)
    gates = [_calls(DATA)["gate"](sample_weight=WEIGHTS * k, weights="importance") for k in (1.0, scale)]
    assert gates[0].verdict == gates[1].verdict


def test_rows_of_weight_0_are_absent() -> None:
    """They have a class, an answer, a group and a unit of their own."""
    zero = np.arange(0, N, 4)
    weights = WEIGHTS.copy()
    weights[zero] = 0
    own = {name: values.copy() for name, values in DATA.items()}
    own["t"][zero[:3]], own["p"][zero[:5]], own["q"][zero[:4]] = 7, 8, 9
    own["g"][zero[:6]], own["u"][zero], own["X"][zero[0]] = 5, 100 + np.arange(zero.size), 1e6
    left = np.flatnonzero(weights)
    without = {name: values[left] for name, values in own.items()}
    for name, call in _calls(own).items():
        found = call(sample_weight=weights, weights="importance")
        wanted = _calls(without)[name](sample_weight=weights[left], weights="importance")
        try:
            _same(found.to_dict(), wanted.to_dict())
        except AssertionError as error:
            error.add_note(name)
            raise
    for make in (pd.DataFrame, pl.DataFrame, lambda columns: pl.DataFrame(columns).lazy()):
        tables = [
            make({"t": part["t"], "p": part["p"], "g": part["g"], "w": w})
            for part, w in ((own, weights), (without, weights[left]))
        ]
        options = {"kind": "classification", "sample_weight": "w", "weights": "importance", "groups": "g"}
        found, wanted = (adjudge.evaluate(table, truth="t", pred="p", **options) for table in tables)
        _same(found.to_dict(), wanted.to_dict())
    of_functions = [
        (adjudge.macro_f1, "p"),
        (adjudge.log_loss, "P"),
        (adjudge.rand, "p"),
    ]
    for index, name in of_functions:
        kind = {"weights": "importance"} if index is adjudge.rand else {}
        found = index(own["t"], own[name], sample_weight=weights, **kind)
        assert found == pytest.approx(index(without["t"], without[name], sample_weight=weights[left], **kind))


def test_rows_of_weight_0_may_lack_a_label() -> None:
    truth, weights = ["a", None, "b", "b"], [1.0, 0.0, 2.0, 1.0]
    found = adjudge.evaluate(truth, ["a", "b", "b", "a"], kind="classification", sample_weight=weights)
    assert found["accuracy"] == 0.75
    with pytest.raises(InputError, match="has a missing label at position 1"):
        adjudge.evaluate(truth, ["a", "b", "b", "a"], kind="classification", sample_weight=[1, 1, 1, 1])
    with pytest.raises(InputError, match="0 everywhere"):
        adjudge.evaluate([0, 1], [0, 1], kind="classification", sample_weight=[0, 0])


ABSENT = np.arange(N) % 9 == 4


def _without_coordinates_or_probabilities() -> dict[str, Callable[[np.ndarray, bool], Any]]:
    """Return calls by the rows that they keep, and whether those of weight 0 lack what is judged."""
    sets = np.c_[TRUTH < 2, TRUTH > 0].astype(int)

    def spoilt(values: np.ndarray, rows: np.ndarray, gaps: bool) -> np.ndarray:
        values = values.astype(float)
        if gaps:
            values[ABSENT, -1] = np.nan
        return values[rows]

    def table(rows: np.ndarray, gaps: bool) -> pd.DataFrame:
        columns = {"t": TRUTH[rows], "w": np.where(ABSENT, 0, 2)[rows]}
        columns |= {f"p_{j}": own for j, own in enumerate(spoilt(P, rows, gaps).T)}
        return pd.DataFrame(columns | {f"x{j}": own for j, own in enumerate(spoilt(X, rows, gaps).T)})

    def weighed(rows: np.ndarray) -> dict[str, Any]:
        return {"sample_weight": np.where(ABSENT, 0, 2)[rows], "weights": "frequency"}

    in_table: dict[str, Any] = {"sample_weight": "w", "weights": "frequency"}
    return {
        "points": lambda rows, gaps: adjudge.evaluate(
            X=spoilt(X, rows, gaps), labels=TRUTH[rows], indices="ch", **weighed(rows)
        ),
        "frame": lambda rows, gaps: adjudge.evaluate(
            X=pd.DataFrame(spoilt(X, rows, gaps)), labels=TRUTH[rows], indices="ch", **weighed(rows)
        ),
        "features": lambda rows, gaps: adjudge.evaluate(
            table(rows, gaps), labels="t", features=["x0", "x1"], indices="ch", **in_table
        ),
        "forecasts": lambda rows, gaps: adjudge.evaluate(
            TRUTH[rows], probabilities=spoilt(P, rows, gaps), kind="classification", **weighed(rows)
        ),
        "columns": lambda rows, gaps: adjudge.evaluate(
            table(rows, gaps),
            truth="t",
            probabilities={0: "p_0", 1: "p_1", 2: "p_2"},
            kind="classification",
            **in_table,
        ),
        "scores": lambda rows, gaps: adjudge.evaluate(
            TRUTH[rows], SAID[rows], scores=spoilt(P, rows, gaps), kind="classification", **weighed(rows)
        ),
        "models": lambda rows, gaps: adjudge.compare(
            TRUTH[rows],
            probabilities={"a": spoilt(P, rows, gaps), "b": P[::-1][rows]},
            kind="classification",
            **weighed(rows),
        ),
        "sets": lambda rows, gaps: adjudge.evaluate(
            sets[rows], probabilities=spoilt(P[:, :2], rows, gaps), kind="multilabel", **weighed(rows)
        ),
    }


@each("name", _without_coordinates_or_probabilities())
def test_rows_of_weight_0_may_lack_coordinates_and_probabilities(name: str) -> None:
    call, every = _without_coordinates_or_probabilities()[name], np.arange(N)
    found, wanted = call(every, True), call(every[~ABSENT], False)
    assert str(found) == str(wanted)


def test_other_rows_may_not_lack_them(tmp_path: Path) -> None:
    weights = np.where(np.arange(N) < 3, 0.0, 1.0)
    rows = [0, 1, 7]
    spoilt, lacking = X.copy(), P.copy()
    spoilt[rows], lacking[rows] = np.nan, np.nan
    own: dict[str, Any] = {"sample_weight": weights, "weights": "frequency"}
    with pytest.raises(InputError, match="X has a NaN in row 7, column 0"):
        adjudge.evaluate(X=spoilt, labels=TRUTH, indices="ch", **own)
    with pytest.raises(InputError, match="probabilities has a missing entry in row 7"):
        adjudge.evaluate(TRUTH, probabilities=lacking, kind="classification", **own)
    found = adjudge.evaluate(X=spoilt, labels=TRUTH, indices="ch", missing="drop", **own)
    assert "1 of the " in str(found.warnings[0])


def test_they_may_lack_them_in_a_file_and_on_a_page(tmp_path: Path, run: Any) -> None:
    spoilt, lacking = X.copy(), P[:, 0].copy()
    spoilt[ABSENT, 1], lacking[ABSENT] = np.nan, np.nan
    weights = np.where(ABSENT, 0, 2)
    frame = pd.DataFrame({"t": TRUTH == 0, "k": TRUTH, "x": spoilt[:, 0], "y": spoilt[:, 1], "p": lacking})
    frame.assign(w=weights).to_csv(tmp_path / "all.csv", index=False)
    frame.assign(w=weights)[~ABSENT].to_csv(tmp_path / "kept.csv", index=False)
    for asked in (
        ["--labels", "k", "--columns", "x,y", "--indices", "ch"],
        ["--truth", "t", "--probabilities", "p", "--positive", "True"],
    ):
        said = []
        for name in ("all.csv", "kept.csv"):
            weighed = ["--weight", "w", "--weights", "frequency", "-f", "csv"]
            said.append(run("evaluate", tmp_path / name, *asked, *weighed))
        assert said[0] == said[1]
    models = {"a": lacking, "b": np.where(ABSENT, np.nan, P[:, 1])}
    own: dict[str, Any] = {"sample_weight": weights.astype(float), "weights": "importance", "positive": True}
    adjudge.report(TRUTH == 0, probabilities=models, output=tmp_path / "page.html", **own)


def test_counts_have_a_scale() -> None:
    for bad in (1e200, math.inf):
        with pytest.raises(InputError, match=r"sample_weight has .* is needed"):
            adjudge.evaluate([0, 1], [0, 1], sample_weight=[1, bad], weights="frequency")


def test_squares_of_tiny_weights_are_lost_in_an_engine() -> None:
    table = pl.DataFrame({"t": TRUTH, "p": SAID, "w": WEIGHTS * 1e-200}).lazy()
    with pytest.raises(InputError, match="multiply the weights, whose squares are lost"):
        adjudge.evaluate(
            table, truth="t", pred="p", kind="classification", sample_weight="w", weights="importance"
        )
