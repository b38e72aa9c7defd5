"""A gate that remembers its looks: which rows are new, and what holds at all looks together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, gate
from adjudge.inference.differences.betting import BetChange, FlipCounts
from adjudge.inference.differences.repeated_looks import Estimate, RepeatedChange, pooled
from adjudge.results.gate_history import GateHistory
from conftest import raises_line

RNG = np.random.default_rng(6)


def week(n: int = 500) -> tuple[Any, Any, Any]:
    truth = RNG.choice(["stay", "churn"], n)
    other = np.where(truth == "stay", "churn", "stay")
    old = np.where(RNG.random(n) < 0.9, truth, other)
    new = np.where(RNG.random(n) < 0.9, old, np.where(RNG.random(n) < 0.9, truth, other))
    return truth, old, new


def keys(start: int, n: int = 500) -> Any:
    return np.arange(start, start + n)


def test_looks_at_new_rows(tmp_path: Path) -> None:
    path, estimates = tmp_path / "gate.adjudge", []
    margin, broken, fixed = {"accuracy": 0.03, "balanced_accuracy": 0.03}, 0, 0
    for i in range(3):
        rows = week()
        alone = gate(*rows, margin=margin)
        found = gate(*rows, margin=margin, history=path, key=keys(500 * i))
        assert alone.tested[1].change is not None
        estimates.append(Estimate.of(alone.tested[1].change, 500))
        assert found.tested[1].change == RepeatedChange.at(pooled(estimates), 0.95, estimates[0])
        broken, fixed = broken + alone.n_broken, fixed + alone.n_fixed
        expected = BetChange.of(FlipCounts(broken, fixed, 500 * (i + 1)), 0.95)
        check = found.tested[0]
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
    gate(*first, **asked, history=path, key=keys(0))
    # In any order.
    order = RNG.permutation(1000)
    found = gate(*(own[order] for own in both), **asked, history=path, key=keys(0, 1000)[order])
    assert found.history is not None
    assert [own.rows for own in found.history.looks] == ["new", "more"]
    whole = gate(*both, **asked)
    expected = BetChange.of(FlipCounts(whole.n_broken, whole.n_fixed, 1000), 0.95)
    change = found.tested[0].change
    assert change is not None
    assert (change.value, change.low) == pytest.approx((expected.value, expected.low))


def test_rows_are_counted_once_in_any_order(tmp_path: Path) -> None:
    path, rows, others = tmp_path / "gate.adjudge", week(), week()
    first = gate(*rows, history=path, key=keys(0))
    order = RNG.permutation(500)
    again = gate(*(own[order] for own in rows), history=path, key=keys(0)[order])
    assert again.history == first.history
    assert [own.change for own in again.tested] == [own.change for own in first.tested]
    assert any("no new rows: all of them were judged before" in str(own) for own in again.warnings)
    second = gate(*others, history=path, key=keys(500))
    both = [np.r_[a, b] for a, b in zip(rows, others, strict=True)]
    # All of both weeks, and a part of one, are no new rows.
    for some in (RNG.permutation(1000), np.arange(200)):
        found = gate(*(own[some] for own in both), history=path, key=keys(0, 1000)[some])
        assert found.history == second.history
        assert [own.change for own in found.tested] == [own.change for own in second.tested]
    assert "look 2, 1,000 rows in all" in repr(second)


def test_rows_that_stand_for_two_looks(tmp_path: Path) -> None:
    path = tmp_path / "gate.adjudge"
    rows = week(1200)
    for first, last in ((0, 400), (400, 800), (0, 1200)):
        found = gate(*(own[first:last] for own in rows), history=path, key=keys(first, last - first))
    assert found.history is not None
    assert found.history.looks[2].extends == (0, 1)
    assert list(found.history.counted) == [2]
    with pytest.raises(
        InputError, match="600 of these 800 rows, and not all of that look, were judged in look 3"
    ):
        gate(*(np.r_[own[600:], own[:200]] for own in rows), history=path, key=np.r_[600:1200, 5000:5200])


def test_numbers_need_no_key(tmp_path: Path) -> None:
    path = tmp_path / "gate.adjudge"
    old = RNG.gamma(4, 20, 600)
    new = old + RNG.normal(size=600)
    asked: dict[str, Any] = {"better": "lower", "margin": "5%", "history": path}
    for rows, n_looks in ((slice(300), 1), (slice(None, None, -1), 2), (slice(100, 200), 2)):
        found = gate(values={"old": old[rows], "new": new[rows]}, **asked)
        assert found.history is not None
        assert len(found.history.looks) == n_looks
    mixed = {"old": np.r_[old[:100], RNG.gamma(4, 20, 100)], "new": np.r_[new[:100], RNG.gamma(4, 20, 100)]}
    with pytest.raises(InputError, match="100 of these 200 rows, and not all of that look"):
        gate(values=mixed, **asked)
    for other in ({"old": old, "new": new[::-1]}, {"old": new[::-1], "new": new}):
        with pytest.raises(InputError, match="what a model says, is not that of look 2 in 600 rows"):
            gate(values=other, **asked)


def test_labels_alone_do_not_tell_rows_apart(tmp_path: Path) -> None:
    rows = week()
    with pytest.raises(InputError, match=r"500 rows hold [2-8] different things. Name what tells them apart"):
        gate(*rows, history=tmp_path / "gate.adjudge")
    # Units do, if each row is one; and so do numbers of times.
    gate(*rows, units=[f"u{i}" for i in range(500)], history=tmp_path / "units.adjudge")
    eight = [[int(bit) for bit in f"{i:03b}"] for i in range(8)]
    with pytest.raises(InputError, match="tell new rows from those judged before: 16 rows hold 8 different"):
        gate(*zip(*eight, strict=True), counts=[2] * 8, history=tmp_path / "counts.adjudge")
    with raises_line(InputError, "key= has 7 in several rows: each row needs a name of its own"):
        gate(*rows, history=tmp_path / "gate.adjudge", key=[*range(499), 7])
    with raises_line(InputError, "key= has 2 entries, and 500 rows were given"):
        gate(*rows, history=tmp_path / "gate.adjudge", key=[1, 2])
    assert not (tmp_path / "gate.adjudge").exists()


def test_rows_are_known_however_they_are_given(tmp_path: Path) -> None:
    rows = {"id": [f"q{i}" for i in range(300)], "truth": RNG.integers(0, 2, 300)}
    rows |= {name: np.where(RNG.random(300) < 0.9, rows["truth"], 0) for name in ("old", "new")}
    frame, file, path = pd.DataFrame(rows), tmp_path / "rows.csv", tmp_path / "gate.adjudge"
    booleans = frame.assign(**{name: frame[name] == 1 for name in ("truth", "old", "new")})
    booleans.to_csv(file, index=False)
    order = RNG.permutation(300)
    asked: dict[str, Any] = {"truth": "truth", "kind": "classification", "history": path, "key": "id"}
    for table in (frame, frame.iloc[order], booleans, file, pl.from_pandas(frame)):
        found = gate(table, "old", "new", **asked)
        assert found.history is not None
        assert len(found.history.looks) == 1
    # A list of keys is no name, and no key is in the file.
    listed = {**asked, "truth": None, "history": tmp_path / "lists.adjudge"}
    for some in (np.arange(300), order):
        vectors = [rows[name][some] for name in ("truth", "old", "new")]
        found = gate(*vectors, **{**listed, "key": [rows["id"][i] for i in some]})
        assert found.history is not None
        assert len(found.history.looks) == 1
        assert "q17" not in str(found.history.of)


def test_several_labels_clusters_and_probabilities(tmp_path: Path) -> None:
    n, order = 300, RNG.permutation(300)
    truth = RNG.integers(0, 2, n)
    said = [np.where(RNG.random(n) < 0.8, truth, 0) for _ in range(2)]
    forecasts = {name: RNG.random(n).round(3) for name in ("old", "new")}
    sets = [[[letter for letter in "abc" if RNG.random() < 0.5] for _ in range(n)] for _ in range(3)]
    shuffled = [[vector[i][::-1] for i in order] for vector in sets]
    key = np.arange(n)
    for i, (rows, again) in enumerate(
        (
            (
                ({"kind": "multilabel", "key": key}, sets),
                ({"kind": "multilabel", "key": key[order]}, shuffled),
            ),
            (
                ({"kind": "clustering", "key": key}, [truth, *said]),
                ({"kind": "clustering", "key": key[order]}, [own[order] for own in (truth, *said)]),
            ),
            (
                ({"probabilities": forecasts}, [truth, *said]),
                (
                    {"probabilities": {name: own[order] for name, own in forecasts.items()}},
                    [own[order] for own in (truth, *said)],
                ),
            ),
        )
    ):
        for options, vectors in (rows, again):
            found = gate(*vectors, **options, margin=0.1, history=tmp_path / f"{i}.adjudge")
            assert found.history is not None
            assert len(found.history.looks) == 1


def test_units_are_of_one_look(tmp_path: Path) -> None:
    path, rows = tmp_path / "gate.adjudge", week(600)
    patients = np.repeat(np.arange(60), 10)
    half = np.arange(600) % 2 == 0
    gate(*(own[half] for own in rows), units=patients[half], key=keys(0, 600)[half], history=path)
    with pytest.raises(InputError, match="60 units of these rows have other rows in look 1"):
        gate(*(own[~half] for own in rows), units=patients[~half], key=keys(0, 600)[~half], history=path)
    found = gate(*rows, units=patients, key=keys(0, 600), history=path)
    assert found.history is not None
    assert found.history.looks[1].rows == "more"


def test_a_history_is_of_one_gate(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {f"{what}_{model}": RNG.gamma(4, 20, 300) for what in ("ms", "cost") for model in "ab"}
    )
    frame["truth"], frame["a"], frame["b"] = week(300)
    frame["id"], frame["site"] = np.arange(300), RNG.choice(["x", "y"], 300)
    numbers: dict[str, Any] = {"better": "lower", "margin": "5%", "history": tmp_path / "ms.adjudge"}
    gate(frame, values=["ms_a", "ms_b"], **numbers)
    begun = "the file in history= was begun "
    other = ": ask for the same, or name another file, one for each pair of models and set of options"
    for changed, message in (
        (
            {"values": ["cost_a", "cost_b"]},
            "with values='ms_a, ms_b', and this gate has values='cost_a, cost_b'",
        ),
        ({"values": ["ms_b", "ms_a"]}, "with values='ms_a, ms_b', and this gate has values='ms_b, ms_a'"),
        ({"better": "higher"}, "with better='lower', and this gate has better='higher'"),
        ({"units": "id"}, "without units=, and this gate has units='id'"),
        ({"groups": "site"}, "without groups=, and this gate has groups='site'"),
        ({"key": "id"}, "without key=, and this gate has key='id'"),
        ({"confidence": 0.9}, "with confidence=0.95, and this gate has confidence=0.9"),
        ({"indices": "median"}, "with indices='mean', and this gate has indices='median'"),
    ):
        with raises_line(InputError, f"{begun}{message}{other}"):
            gate(frame, **{"values": ["ms_a", "ms_b"], **numbers, **changed})
    labels: dict[str, Any] = {"truth": "truth", "key": "id", "history": tmp_path / "labels.adjudge"}
    gate(frame, "a", "b", **labels, groups="site")
    with raises_line(InputError, f"{begun}with old='a', and this gate has old='b'{other}"):
        gate(frame, "b", "a", **labels, groups="site")
    with raises_line(InputError, f"{begun}with groups='site', and this gate is without it{other}"):
        gate(frame, "a", "b", **labels)
    with pytest.raises(InputError, match=r"or what a model says, is not that of look 1 in \d+ rows"):
        gate(frame.assign(b=frame["a"]), "a", "b", **labels, groups="site")
    # Series have names, too.
    named = {"history": tmp_path / "series.adjudge", "key": frame["id"]}
    gate(frame["truth"], frame["a"], frame["b"], **named)
    with raises_line(InputError, f"{begun}with old='a', and this gate has old='b'{other}"):
        gate(frame["truth"], frame["b"], frame["a"], **named)


def test_two_tables_with_a_key(tmp_path: Path) -> None:
    frame = pd.DataFrame(dict(zip(("truth", "old", "new"), week(), strict=True)))
    frame["id"] = np.arange(500)
    asked: dict[str, Any] = {"key": "id", "truth": "truth", "prediction": "says"}
    for order in (np.arange(500), RNG.permutation(500)):
        shuffled = frame.iloc[order]
        tables = [shuffled[["id", "truth", name]].rename(columns={name: "says"}) for name in ("old", "new")]
        found = gate(*tables, **asked, history=tmp_path / "gate.adjudge")
        assert found.history is not None
        assert len(found.history.looks) == 1


def test_what_is_no_history_is_said_before_anything_is_judged(tmp_path: Path) -> None:
    damaged, folder = tmp_path / "bad.adjudge", tmp_path / "folder.adjudge"
    damaged.write_bytes(b"hello")
    folder.mkdir()
    missing = tmp_path / "none" / "gate.adjudge"
    for path, message in (
        (
            damaged,
            f"{str(damaged)!r} is no saved result of adjudge (it is damaged, or another kind of file): name another "
            "file, or remove this one to begin anew",
        ),
        (folder, f"cannot write {str(folder)!r}: it is a folder; name a file in it"),
        (
            missing,
            f"cannot write {str(missing)!r}: there is no folder {str(missing.parent)!r}; create it first",
        ),
    ):
        with raises_line(InputError, message):
            gate(["a"], ["b"], None, history=path)


def test_the_rows_of_all_looks_are_said_beside_those_that_would_be_enough(tmp_path: Path) -> None:
    rng, path = np.random.default_rng(3), tmp_path / "gate.adjudge"
    for i in range(2):
        old = rng.normal(size=300)
        models = {"old": old, "new": old + rng.normal(size=300)}
        asked: dict[str, Any] = {"better": "higher", "margin": 0.05, "units": np.arange(300) // 2 + 150 * i}
        found = gate(values=models, **asked, history=path)
        assert found.verdict == "undecided"
        sentence = found.sentences()[1]
        assert f" There are {300 * (i + 1)} rows in all looks; about " in sentence
        assert ("in this look alone" in repr(found)) == (i > 0 and found.tested[0].gain < -0.05)


def test_a_look_unlike_all_looks_is_said(tmp_path: Path) -> None:
    path = tmp_path / "gate.adjudge"
    old = RNG.normal(10, 1, (6, 400))
    change = np.array([0.5, 0.5, 0.5, 0.5, -0.3, -0.3])[:, None]
    new = old + change + RNG.normal(0, 0.2, (6, 400))
    asked: dict[str, Any] = {"better": "higher", "margin": 0.1, "history": path}
    for one, other in zip(old, new, strict=True):
        found = gate(values={"old": one, "new": other}, **asked)
    assert found.verdict == "pass"
    (check,) = found.tested
    assert check.pooled == pytest.approx(float((new - old).mean()))
    last = float((new[-1] - old[-1]).mean())
    assert check.difference == pytest.approx(last)
    assert found.sentences()[2] == (
        f"But in this look alone Mean changed by −{-last:.3f} (the margin is 0.100, beyond it in each of the last 2 "
        "looks)."
    )
    row = found.checks.records()[0]
    assert row["this look"] == pytest.approx(last)
    assert row["all looks"] == pytest.approx(check.pooled)
    assert row["at worst"] < row["all looks"]


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


def test_rows_alone_are_bet_on_and_all_else_is_not(tmp_path: Path) -> None:
    """Recalls of a class and groups have their own rows; units, weights and other scores the mixture."""
    truth, old, new = week()
    half = np.arange(500) % 2
    margin = {"accuracy": 0.1, "recall[churn]": 0.1, "macro_f1": 0.1}
    found = gate(truth, old, new, margin=margin, groups=half, history=tmp_path / "a.adjudge", key=keys(0))
    for check in found.tested:
        rows = np.ones(500, bool) if check.group is None else half == check.group
        rows &= (truth == "churn") if check.name.startswith("recall") else True
        was, now = (own[rows] == truth[rows] for own in (old, new))
        counts = FlipCounts(int((was & ~now).sum()), int((~was & now).sum()), int(rows.sum()))
        if check.name == "macro_f1":
            assert isinstance(check.change, RepeatedChange)
        else:
            assert check.change == BetChange.of(counts, 0.95), check.words
    units = np.repeat(np.arange(100), 5)
    for i, beside in enumerate(
        ({"units": units}, {"sample_weight": RNG.random(500), "weights": "importance"})
    ):
        own = gate(
            truth,
            old,
            new,
            margin=0.1,
            indices="accuracy",
            **beside,
            history=tmp_path / f"{i}.adjudge",
            key=keys(0),
        )
        assert isinstance(own.tested[0].change, RepeatedChange)


def test_few_rows_on_which_models_differ_decide_soon(tmp_path: Path) -> None:
    """Two rows of 400 broke: a mixture of normal laws has next to nothing to go by."""
    truth = np.array(["a", "b"] * 200)
    new = truth.copy()
    new[[3, 8]] = ["a", "b"]
    found = gate(
        truth, truth, new, margin=0.05, indices="accuracy", history=tmp_path / "a.adjudge", key=np.arange(400)
    )
    assert found.verdict == "pass"
    change = found.tested[0].change
    assert change is not None
    assert -0.05 < change.low < -0.005 < 0 < change.high


def test_the_table_of_looks_says_by_which_margins_they_were_judged(tmp_path: Path) -> None:
    path = tmp_path / "gate.adjudge"
    asked = {"history": path, "superior": "matthews_correlation"}
    names = ["accuracy", "balanced_accuracy"]
    gate(*week(), margin=0.03, indices=names, key=keys(0), **asked)
    margin = {"accuracy": 0.01, "balanced_accuracy": 0.02}
    found = gate(*week(), margin=margin, key=keys(500), **asked)
    assert found.history is not None
    table = found.history.table()
    assert table.columns.index("margin") == 4
    # Of a claim to be better there is none.
    several = "not worse: Accuracy 0.01, not worse: Balanced accuracy 0.02"
    assert [row[4] for row in table.rows] == [0.03, several]
    assert found.to_dict()["history"]["looks"][0]["margin"] == 0.03
    assert adjudge.load(path).table() == table
    # A file that was begun before margins were kept.
    older = GateHistory(tuple(replace(own, margins={}) for own in found.history.looks), found.history.of)
    assert [row[4] for row in older.table().rows] == [None, None]
