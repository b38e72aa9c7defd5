"""Gates against a saved result, and gates that are saved."""

from __future__ import annotations

from pathlib import Path

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
    baseline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"label": TRUTH, "new": NEW}).to_csv("p.csv", index=False)
    asked = ["report", "p.csv", "--kind", "classification", "--against", "old.adjudge", "-o", "since.html"]
    assert main([*asked, "--truth", "label", "--models", "new"]) == 0
    assert "new is better than before" in capsys.readouterr().out
    assert "before" in Path("since.html").read_text()
    pd.DataFrame({"label": TRUTH[::-1], "new": NEW}).to_csv("p.csv", index=False)
    assert main([*asked, "--truth", "label", "--models", "new"]) == 0
    assert "Careful: Changes have no intervals: the truth of" in capsys.readouterr().out


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
