"""Sampling weights have no scale, and a row of weight 0 is as if it were not there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
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
