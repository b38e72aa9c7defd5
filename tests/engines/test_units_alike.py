"""Units of large lazy tables: those that have the same rows come back as one."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from adjudge import InputError, compare, evaluate
from adjudge.tables import frames
from conftest import raises_line
from table_engines import LAZY, in_engine, in_engines


@in_engines(LAZY)
def test_units_that_are_alike_come_back_as_one(
    engine: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a large table says, in which only units that differ are read, is what a small one says."""
    rng = np.random.default_rng(5)
    n = 1500
    truth = rng.integers(0, 3, n)
    frame = pl.DataFrame(
        {
            "truth": np.array(["ash", "elm", "fir"])[truth],
            "one": np.array(["ash", "elm", "fir"])[np.where(rng.random(n) < 0.2, 0, truth)],
            "two": np.array(["ash", "elm", "fir"])[np.where(rng.random(n) < 0.3, 1, truth)],
            "region": rng.integers(0, 2, n),
            # One unit has more rows than eight bits hold; the others have two or three.
            "patient": np.where(np.arange(n) < 300, -1, rng.integers(0, 500, n)),
        }
    )
    table = in_engine(frame, engine, request)
    given: dict[str, Any] = {"truth": "truth", "units": "patient", "confidence": 0.9}
    calls: list[tuple[Any, dict[str, Any]]] = [
        (evaluate, {"pred": "one", "kind": "classification", "indices": "all"}),
        (evaluate, {"pred": ["one", "two"], "kind": "classification", "groups": "region"}),
        (evaluate, {"pred": "one", "kind": "clustering", "indices": ["rand", "v_measure", "bcubed_f1"]}),
        (compare, {"models": ["one", "two"], "kind": "classification", "groups": "region"}),
    ]
    for verb, options in calls:
        apart = verb(frame, **given, **options)
        with monkeypatch.context() as large:
            large.setattr(frames, "MOST_APART", 0)
            found = verb(table, **given, **options)
        assert_alike(found.to_dict(), apart.to_dict())


def assert_alike(found: Any, wanted: Any) -> None:
    """Compare results up to rounding; but for what holds the table."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for name in wanted.keys() - {"backend", "settings", "warnings"}:
            assert_alike(found[name], wanted[name])
    elif isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_alike(one, other)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12, nan_ok=True)
    else:
        assert found == wanted


def test_rows_without_a_unit_are_refused_in_large_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MOST_APART", 0)
    frame = pl.DataFrame(
        {"truth": [0, 1, 1, 0] * 30, "one": [0, 1, 0, 0] * 30, "patient": [None, 1, 2, 3] * 30}
    )
    given: dict[str, Any] = {"truth": "truth", "pred": "one", "units": "patient", "kind": "classification"}
    with raises_line(
        InputError,
        "column 'patient' has 30 missing labels: fill them in, or pass missing='drop' to leave such rows out",
    ):
        evaluate(frame.lazy(), **given)
    found = evaluate(frame.lazy(), **given, missing="drop")
    assert (found.n, found.n_units) == (90, 3)
    of_rows = evaluate(frame, **given, missing="drop")
    assert [own.message for own in found.warnings] == [own.message for own in of_rows.warnings]
