"""Gates against a saved result, and gates that are saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adjudge import InputError, compare, evaluate, gate, load
from adjudge.cli import main

RNG = np.random.default_rng(0)
TRUTH = np.where(RNG.random(600) < 0.4, "churn", "stay")
OLD = np.where(RNG.random(600) < 0.9, TRUTH, "stay")
NEW = np.where(RNG.random(600) < 0.5, TRUTH, OLD)


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    return evaluate(TRUTH, OLD, kind="classification").save(tmp_path / "old.adjudge", instances=True)


def test_a_saved_evaluation_is_the_old_model(baseline: Path, tmp_path: Path) -> None:
    wanted = gate(TRUTH, OLD, NEW, margin=0.02)
    for old in (baseline, str(baseline), evaluate(TRUTH, OLD, kind="classification")):
        found = gate(TRUTH, old, NEW, margin=0.02)
        assert found.tested == wanted.tested
        assert found.rows_of("wrong_right") == wanted.rows_of("wrong_right")
    frame = pd.DataFrame({"label": TRUTH, "said": NEW})
    frame.to_csv(tmp_path / "new.csv", index=False)
    for table in (frame, tmp_path / "new.csv"):
        found = gate(table, baseline, truth="label", prediction="said", margin=0.02)
        assert found.tested == wanted.tested
        assert len(found.rows_of("wrong_right").rows) == found.n_fixed


CHANCES = {"old": np.where(OLD == "stay", 0.8, 0.3), "new": np.where(NEW == "stay", 0.9, 0.2)}
OF_ROWS = {
    "sample_weight": np.random.default_rng(1).gamma(2, 1, 600),
    "weights": "importance",
    "units": [f"u{i // 4}" for i in range(600)],
}


def test_weights_units_and_probabilities_are_those_of_the_saved_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Any
) -> None:
    """They were dropped: rows counted alike, and each as a unit of its own."""
    monkeypatch.chdir(tmp_path)
    of_both: Any = {**OF_ROWS, "kind": "classification"}
    result = evaluate(TRUTH, OLD, probabilities=CHANCES["old"], **of_both)
    saved = result.save("old.adjudge", instances=True)
    margin = {"log_loss": 0.02, "balanced_accuracy": 0.02}
    wanted = gate(TRUTH, OLD, NEW, probabilities=CHANCES, margin=margin, **of_both)
    assert wanted.comparison.n_units == 150
    frame = pd.DataFrame({"label": TRUTH, "said": NEW, "p_stay": CHANCES["new"], "patient": OF_ROWS["units"]})
    frame.to_csv("new.csv", index=False)
    named: Any = {"truth": "label", "prediction": "said", "margin": margin}
    for found in (
        gate(TRUTH, result, NEW, probabilities={"new": CHANCES["new"]}, margin=margin),
        gate(TRUTH, saved, NEW, probabilities={"new": CHANCES["new"]}, margin=margin),
        gate(frame, saved, probabilities="p_stay", **named),
        gate("new.csv", saved, probabilities={"new": "p_stay"}, **named),
    ):
        assert found.tested == wanted.tested
        (notice,) = [own for own in found.warnings if own.code == "paired-by-order"]
        assert "labels, the weights and the units of the rows, are those of" in notice.text
        assert "patient" not in str(found)  # as a column that repeats
    asked = ["gate", "new.csv", "--truth", "label", "--against", "old.adjudge", "--prediction", "said"]
    asked += ["--probabilities", "p_stay", "--margin", "log_loss=0.02,balanced_accuracy=0.02", "-f", "json"]
    told = json.loads(shell(*asked, code=None).out)["checks"]
    assert told == json.loads(json.dumps(wanted.to_dict()["checks"]))
    alone = gate(TRUTH, saved, NEW)
    assert [own.index.name for own in alone.tested] == ["accuracy", "balanced_accuracy"]
    assert "only labels were given of new, so there is no Log loss" in str(alone)


def test_a_gate_that_is_given_weights_does_not_take_those_of_the_result() -> None:
    result = evaluate(TRUTH, OLD, kind="classification", **OF_ROWS)
    counts = np.arange(600) % 3 + 1
    wanted = gate(TRUTH, OLD, NEW, counts=counts, units=OF_ROWS["units"], kind="classification")
    assert gate(TRUTH, result, NEW, counts=counts).tested == wanted.tested


def test_a_history_needs_units_by_name(tmp_path: Path) -> None:
    result = evaluate(TRUTH, OLD, kind="classification", units=OF_ROWS["units"])
    asked: Any = {"history": tmp_path / "h.adjudge", "key": np.arange(600)}
    with pytest.raises(InputError, match="history= needs the units of the old result by name: give them"):
        gate(TRUTH, result, NEW, **asked)
    wanted = gate(TRUTH, OLD, NEW, units=OF_ROWS["units"])
    assert gate(TRUTH, result, NEW, units=OF_ROWS["units"], **asked).n_broken == wanted.n_broken


def test_the_order_of_classes_is_that_of_each_model() -> None:
    """The columns of the result were in another order than those of the new model."""
    old, new = (np.column_stack([1 - own, own]) for own in CHANCES.values())
    result = evaluate(TRUTH, OLD, probabilities=old, classes=["churn", "stay"], kind="classification")
    found = gate(TRUTH, result, NEW, probabilities={"new": new[:, ::-1]}, classes=["stay", "churn"])
    wanted = gate(TRUTH, OLD, NEW, probabilities={"old": old, "new": new}, classes=["churn", "stay"])
    assert [own.change for own in found.tested] == [own.change for own in wanted.tested]


def test_a_gate_is_saved_and_its_new_model_is_the_next_old_one(tmp_path: Path) -> None:
    found = gate(TRUTH, OLD, NEW, margin=0.02, groups=np.arange(600) % 2)
    again = load(found.save(tmp_path / "gate.adjudge", instances=True))
    assert again == found
    assert repr(again) == repr(found)
    assert again.to_markdown() == found.to_markdown()
    assert again.to_junit() == found.to_junit()
    assert len(again.broken) == found.n_broken
    latest = gate(TRUTH, tmp_path / "gate.adjudge", NEW, margin=0.02)
    assert (latest.n_broken, latest.n_fixed) == (0, 0)


def test_without_instances_a_gate_shows_all_but_rows(tmp_path: Path) -> None:
    found = gate(TRUTH, OLD, NEW, margin=0.02)
    again = load(found.save(tmp_path / "gate.adjudge"))
    assert again == found
    assert again.broken_table() == found.broken_table()
    with pytest.raises(InputError, match="saved without instances"):
        again.rows_of("right_wrong")


def test_other_instances_are_refused(baseline: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has 600 rows, the new model has 599: they must be of the same"):
        gate(TRUTH[:-1], baseline, NEW[:-1])
    with pytest.raises(
        InputError, match=r"the truth of \d+ rows is not that of .*old.adjudge', such as that of row"
    ):
        gate(TRUTH[::-1], baseline, NEW[::-1])
    evaluate(TRUTH, OLD, kind="classification").save(tmp_path / "bare.adjudge")
    with pytest.raises(InputError, match="saved without instances"):
        gate(TRUTH, tmp_path / "bare.adjudge", NEW)
    both = compare(TRUTH, {"a": OLD, "b": NEW}, kind="classification")
    with pytest.raises(InputError, match="is about several models: save an evaluation of the one"):
        gate(TRUTH, both, NEW)
    gaps = np.where(np.arange(600) == 3, None, OLD)
    dropped = evaluate(TRUTH, gaps, kind="classification", missing="drop")
    with pytest.raises(InputError, match="left out rows"):
        gate(TRUTH, dropped, NEW)
    with pytest.raises(InputError, match=r"cannot read .*nothing\.adjudge"):
        gate(TRUTH, tmp_path / "nothing.adjudge", NEW)
    with pytest.raises(InputError, match="new is missing"):
        gate(TRUTH, baseline)


def test_the_command_saves_and_compares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"label": TRUTH, "v1": OLD, "v2": NEW}).to_csv("p.csv", index=False)
    asked = ["gate", "p.csv", "--truth", "label", "--margin", "0.02"]
    code = main([*asked, "--old", "v1", "--new", "v2", "--save", "run.adjudge", "--report", "page.html"])
    assert code == 0
    said = capsys.readouterr().err
    assert "result saved to run.adjudge" in said
    assert "report written to page.html" in said
    assert "may replace the old one" in Path("page.html").read_text()
    assert main([*asked, "--against", "run.adjudge", "--prediction", "v2"]) in (0, 3)
    assert "0 rows that were right are wrong now" in capsys.readouterr().out


def test_a_report_shows_the_saved_model_beside_the_new_one(
    baseline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"label": TRUTH, "new": NEW}).to_csv("p.csv", index=False)
    asked = ["report", "p.csv", "--kind", "classification", "--against", "old.adjudge", "-o", "since.html"]
    assert "new is better than before" in run(*asked, "--truth", "label", "--models", "new")
    assert "before" in Path("since.html").read_text()
    pd.DataFrame({"label": TRUTH[::-1], "new": NEW}).to_csv("p.csv", index=False)
    assert "Careful: Changes have no intervals: the truth of" in run(
        *asked, "--truth", "label", "--models", "new"
    )


def test_what_was_checked_of_rows_paired_by_their_order_is_said(baseline: Path, tmp_path: Path) -> None:
    """Rows that are permuted within each class cannot be told from the same rows."""
    frame = pd.DataFrame({"label": TRUTH, "said": NEW})
    frame.to_csv(tmp_path / "new.csv", index=False)
    result = evaluate(TRUTH, OLD, kind="classification")
    for found, called in (
        (gate(TRUTH, result, NEW), "the old result"),
        (gate(tmp_path / "new.csv", baseline, truth="label", prediction="said"), repr(str(baseline))),
    ):
        (notice,) = [own for own in found.warnings if own.code == "paired-by-order"]
        assert notice.text.startswith(
            f"the old model's labels are those of {called}, row by row in its order: all 600"
        )
    assert "paired-by-order" not in [own.code for own in gate(TRUTH, OLD, NEW).warnings]


def test_the_command_writes_the_page_of_a_saved_gate(
    baseline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    """The file was called a spreadsheet."""
    monkeypatch.chdir(tmp_path)
    found = gate(TRUTH, OLD, NEW, margin=0.02)
    found.save("gate.adjudge", instances=True)
    assert found.sentences()[0] in run("report gate.adjudge -o page.html")
    assert "may replace the old one" in Path("page.html").read_text("utf-8")
    assert "--truth is of a table, and 'gate.adjudge' is a result: leave it out" in run(
        "report gate.adjudge --truth label", code=2
    )
    assert "is no result of a gate: give the table, and the result as --against" in run(
        "report", baseline, code=2
    )
