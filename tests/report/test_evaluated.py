"""The page of what `evaluate` returned: it says what the result says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adjudge import Cover, InputError, InputTypeError, evaluate, report

RNG = np.random.default_rng(21)


def cover() -> Cover:
    return Cover(RNG.random((80, 4)) < 0.3)


def test_the_page_says_what_the_result_says(tmp_path: Path) -> None:
    found = evaluate(
        cover(), cover(), indices="all", confidence=0.95, adjust=True, n_tables=50, random_state=1
    )
    made = report(evaluation=found, output=tmp_path / "page.html")
    (section,) = made.page["sections"]
    rows = {
        row["title"]: row for part in section["parts"] for group in part["groups"] for row in group["rows"]
    }
    assert rows.keys() == {score.title for score in found.scores.values()}
    for score in found.scores.values():
        row = rows[score.title]
        assert row["value"] == score.value
        assert row["interval"] == (None if score.interval is None else list(score.interval))
        assert row["adjusted"] == score.adjusted
        assert row["note"] == score.note
    text = made.path.read_text()
    assert "Omega index" in text
    assert "80 instances, clusters: 4 in labels_true, 4 in labels_pred." in text


def test_several_evaluations_are_on_one_page(tmp_path: Path) -> None:
    true = cover()
    made = report(evaluation=evaluate(true, {"same": true, "other": cover()}), output=tmp_path / "page.html")
    (section,) = made.page["sections"]
    assert [part["name"] for part in section["parts"]] == ["same", "other"]
    assert section["parts"][0]["groups"][0]["rows"][0]["value"] == 1
    text = made.path.read_text()
    assert "2 evaluations by the same indices." in text
    assert "same: Agreement" in text


def test_what_is_no_evaluation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputTypeError, match=r"evaluation is an int: give what evaluate\(\) returns"):
        report(evaluation=3, output=tmp_path / "page.html")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="evaluation= makes a separate page: leave out X="):
        report(X=np.eye(3), evaluation=evaluate([0, 1], [0, 1]), output=tmp_path / "page.html")


def test_raters_stand_beside_each_other_on_the_page(tmp_path: Path) -> None:
    truth = RNG.integers(0, 3, 60)
    rated = {n: np.where(RNG.random(60) < 0.8, truth, RNG.integers(0, 3, 60)) for n in ("ann", "bob", "eve")}
    found = evaluate(rated, kind="raters", confidence=0.95)
    made = report(evaluation=found, output=tmp_path / "page.html")
    (part,) = made.page["sections"][0]["parts"]
    each, pairs = part["tables"]
    assert [row["agreement"] for row in each["rows"]] == [own.agreement for own in found.by_rater]
    assert [row["kappa"] for row in pairs["rows"]] == [own.kappa for own in found.pairs]
    text = made.path.read_text("utf-8")
    for said in ("Each rater and the others", "Pairs of raters", "Nominal alpha without", ">ann</td>"):
        assert said in text
    assert "60 instances, classes: 3 that 3 raters gave." in text
