"""A gate that remembers its looks: which rows are new, and what holds at all looks together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, gate
from adjudge.inference.differences.repeated_looks import Estimate, RepeatedChange, pooled
from conftest import raises_line

RNG = np.random.default_rng(6)


def week(n: int = 500) -> tuple[Any, Any, Any]:
    truth = RNG.choice(["stay", "churn"], n)
    other = np.where(truth == "stay", "churn", "stay")
    old = np.where(RNG.random(n) < 0.9, truth, other)
    new = np.where(RNG.random(n) < 0.9, old, np.where(RNG.random(n) < 0.9, truth, other))
    return truth, old, new


def test_looks_at_new_rows(tmp_path: Path) -> None:
    path, estimates = tmp_path / "gate.adjudge", []
    for i in range(3):
        rows = week()
        alone = gate(*rows, margin={"accuracy": 0.03})
        found = gate(*rows, margin={"accuracy": 0.03}, history=path)
        assert alone.tested[0].change is not None
        estimates.append(Estimate.of(alone.tested[0].change, 500))
        expected = RepeatedChange.at(pooled(estimates), 0.95, estimates[0])
        (check,) = found.tested
        assert check.change == expected
        assert (check.old, check.new) == (alone.tested[0].old, alone.tested[0].new)
        assert (check.status == "pass") == (expected.low > -0.03)
        assert found.history is not None
        assert [own.rows for own in found.history.looks] == ["new"] * (i + 1)
        assert found.history.looks[-1].alone == alone.verdict
        assert found.history.looks[-1].verdict == found.verdict
    kept = adjudge.load(path)
    assert kept == found.history
    assert len(kept.looks) == 3
    assert "at all looks together" in repr(found)
    assert found.to_dict()["history"]["looks"][2]["look"] == 3


def test_more_of_the_same_rows_replace_the_earlier_ones(tmp_path: Path) -> None:
    path, first, second = tmp_path / "gate.adjudge", week(), week()
    both = [np.r_[a, b] for a, b in zip(first, second, strict=True)]
    asked: dict[str, Any] = {"margin": {"accuracy": 0.03}}
    start = gate(*first, **asked).tested[0].change
    assert start is not None
    gate(*first, **asked, history=path)
    found = gate(*both, **asked, history=path)
    assert found.history is not None
    assert [own.rows for own in found.history.looks] == ["new", "more"]
    whole = gate(*both, **asked).tested[0].change
    assert whole is not None
    expected = RepeatedChange.at(Estimate.of(whole, 1000), 0.95, Estimate.of(start, 500))
    assert found.tested[0].change == expected


def test_a_look_is_counted_once(tmp_path: Path) -> None:
    path, rows = tmp_path / "gate.adjudge", week()
    first = gate(*rows, history=path)
    again = gate(*rows, history=path)
    assert again.history == first.history
    assert again.tested == first.tested
    assert any("no new rows: this look was made before" in str(own) for own in again.warnings)
    truth, old, _ = rows
    other = gate(truth, old, old, history=path)
    assert other.history is not None
    assert [own.rows for own in other.history.looks] == ["new", "same"]
    assert any("these rows have judged 1 other model before" in str(own) for own in other.warnings)
    assert any(own.code == "rows-judged-before" for own in other.warnings)


def test_numbers_groups_and_tables(tmp_path: Path) -> None:
    path = tmp_path / "gate.adjudge"
    for i in range(2):
        old = RNG.gamma(4, 20, 300)
        frame = pd.DataFrame(
            {"old": old, "new": old + RNG.normal(size=300), "site": RNG.choice(["a", "b"], 300)}
        )
        table = frame if i else pl.from_pandas(frame)
        found = gate(table, values=["old", "new"], better="lower", margin="5%", groups="site", history=path)
        assert found.verdict == "pass"
        assert len(found.tested) == 3
    assert found.history is not None
    assert sorted(found.history.looks[1].changes) == [
        "not worse: Mean", "not worse: Mean in a", "not worse: Mean in b",
    ]  # fmt: skip


def test_errors(tmp_path: Path) -> None:
    rows = week()
    with raises_line(InputError, "history='gate.json' must end in .adjudge"):
        gate(*rows, history="gate.json")
    with raises_line(InputError, "history= is the path of a file: name one that ends in .adjudge"):
        gate(*rows, history=3)  # type: ignore[arg-type]
    saved = gate(*rows).save(tmp_path / "result.adjudge")
    with pytest.raises(InputError, match="is a saved result, not the history of a gate: name another file"):
        gate(*rows, history=saved)
    lazy = pl.DataFrame(dict(zip(("truth", "old", "new"), rows, strict=True))).lazy()
    with pytest.raises(InputError, match="history= needs the rows, to know which were judged before"):
        gate(lazy, "old", "new", truth="truth", history=tmp_path / "new.adjudge")
    assert not (tmp_path / "new.adjudge").exists()
