"""What a reader in a hurry sees, and the sections beside it, against the results that they are read from."""

from __future__ import annotations

import base64
import zlib

import numpy as np
import pytest

from adjudge import compare
from adjudge._report.breakdown import clusters
from adjudge._report.build import report_page
from adjudge._report.classifiers import classifiers
from adjudge._report.features import Features
from adjudge._report.material import Coded
from adjudge._report.payload import _places, packed
from adjudge._report.render import unbroken
from adjudge._report.section import Section
from adjudge._report.summary import headline, picture, placed
from adjudge.verbs.evaluate import evaluate

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 3, 400)


def said(share: float, truth: np.ndarray = TRUTH) -> np.ndarray:
    return np.where(RNG.random(truth.size) < share, truth, (truth + 1) % 3)


GOOD, FAIR, POOR = said(0.95), said(0.8), said(0.5)


def compared(models: dict[str, np.ndarray], **options: object):
    return compare(TRUTH, models, kind="classification", confidence=0.95, **options)


def test_one_line_says_who_is_better() -> None:
    assert headline(compared({"poor": POOR, "good": GOOD})) == "good is better than poor."
    assert headline(compared({"a": GOOD, "b": GOOD})) == "No difference between a and b is seen."
    three = compared({"poor": POOR, "good": GOOD, "fair": FAIR})
    assert headline(three) == "good is better than poor and fair."
    same = GOOD.copy()
    same[np.flatnonzero(GOOD == TRUTH)[:2]] = (TRUTH[np.flatnonzero(GOOD == TRUTH)[:2]] + 1) % 3
    assert headline(compared({"good": GOOD, "same": same})) == "No difference between good and same is seen."
    assert headline(compared({"good": GOOD, "same": same, "poor": POOR})) == (
        "good is better than poor; no difference from same is seen."
    )
    assert headline(compared({"good": GOOD})) is None
    assert headline(compare(TRUTH, {"good": GOOD, "poor": POOR}, kind="classification")) is None


def test_one_line_says_which_classes_differ_while_no_score_does() -> None:
    truth = ["ill"] * 200 + ["well"] * 200
    models = {"old": ["ill"] * 260 + ["well"] * 140, "new": ["well"] * 60 + ["ill"] * 140 + ["well"] * 200}
    found = compare(truth, models, kind="classification", confidence=0.95, indices=["accuracy"])
    assert headline(found) == "No score tells old from new, but old finds more of ill and new more of well."


def test_no_line_calls_a_model_better_that_finds_less_of_a_class() -> None:
    # One is better over all, and never finds the last class.
    first = np.where(TRUTH == 2, 0, TRUTH)
    second = np.where((TRUTH != 2) & (RNG.random(400) < 0.8), (TRUTH + 1) % 2, TRUTH)
    found = compared({"first": first, "second": second})
    assert headline(found).startswith("first and second trade: first by Accuracy")
    assert headline(found).endswith(" and second finds more of class “2”.")


def test_the_picture_has_the_differences_of_the_verdicts_score() -> None:
    found = compared({"poor": POOR, "good": GOOD, "fair": FAIR})
    shown = picture(found, ["good", "fair", "poor"])
    assert shown is not None
    assert (shown["leader"], shown["title"]) == ("good", "Accuracy")
    assert [row["model"] for row in shown["rows"]] == ["fair", "poor"]
    scale = 95 / shown["end"]
    for row in shown["rows"]:
        own = found["good", row["model"]].differences["accuracy"]
        assert own.interval is not None
        expected = [scale * own.interval[0], scale * own.value, scale * own.interval[1]]
        assert [row["low"], row["at"], row["high"]] == pytest.approx(expected, abs=0.06)
        assert 0 < row["low"] < row["high"] <= 95
    assert (
        picture(compare(TRUTH, {"good": GOOD, "poor": POOR}, kind="classification"), ["good", "poor"]) is None
    )


def test_of_a_score_where_less_is_better_the_right_is_better_too() -> None:
    sure = {
        name: np.where(np.arange(3) == own[:, None], 0.9, 0.05)
        for name, own in (("good", GOOD), ("poor", POOR))
    }
    found = compare(TRUTH, probabilities=sure, kind="classification", confidence=0.95, indices=["log_loss"])
    shown = picture(found, ["good", "poor"])
    assert shown is not None
    assert found["good", "poor"].differences["log_loss"].value < 0
    (row,) = shown["rows"]
    assert 0 < row["low"] < row["at"] < row["high"]


def test_units_that_tell_the_models_apart() -> None:
    units = np.array([f"u{i % 37}" for i in range(400)])
    found = compared({"good": GOOD, "poor": POOR}, units=units)
    models = {"good": GOOD, "poor": POOR}
    (section,) = report_page("T", [Section("S", found, labels_true=TRUTH, models=models, units=units)])[
        "sections"
    ]
    shown = section["units"]
    assert (shown["n"], shown["n_units"], shown["largest"]) == (400, 37, 11)
    apart = []
    for row in shown["rows"]:
        own = units == row["name"]
        right = (GOOD == TRUTH)[own], (POOR == TRUTH)[own]
        assert row["n"] == own.sum()
        assert row["counts"] == {
            "both_right": (right[0] & right[1]).sum(),
            "right_wrong": (right[0] & ~right[1]).sum(),
            "wrong_right": (~right[0] & right[1]).sum(),
            "both_wrong": (~right[0] & ~right[1]).sum(),
        }
        apart.append(abs(row["counts"]["right_wrong"] - row["counts"]["wrong_right"]))
    assert apart == sorted(apart, reverse=True)
    assert len(apart) == 10


def test_without_units_there_is_no_section_on_them() -> None:
    found = compared({"good": GOOD, "poor": POOR})
    (section,) = report_page("T", [Section("S", found)])["sections"]
    assert section["units"] is None


def test_rows_of_one_unit_have_no_bands_but_intervals_of_bins() -> None:
    sure = np.where(np.arange(3) == GOOD[:, None], 0.8, 0.1)
    units = np.arange(400) // 4
    for given, expected in ((None, True), (units, False)):
        judged = evaluate(TRUTH, probabilities=sure, kind="classification", units=given, confidence=0.95)
        (own,) = classifiers({"m": judged}, ["m"], 0.95)
        assert [curve["band"] is not None for curve in own["roc"]] == [expected] * 3
        assert judged.curve("roc", positive=0).in_units is not expected
        ends = [part["ends"] for part in own["reliability"]["bins"]]
        wanted = judged.reliability().intervals(0.95)
        np.testing.assert_allclose(ends, 100 - 100 * wanted, atol=1e-3)


def test_typical_and_borderline_instances() -> None:
    X = np.concatenate([RNG.normal(size=(60, 3)), RNG.normal(4, 1, size=(40, 3))])
    labels = np.repeat([0, 1], [60, 40])
    kept = np.arange(100) + 7
    judged = evaluate(X=X, labels=labels, indices=["silhouette"])
    columns = {f"x{j}": np.concatenate([np.zeros(7), X[:, j]]) for j in range(3)}
    coded = Coded(labels, ["a", "b"], np.bincount(labels))
    found = clusters(coded, None, Features(columns, tuple(columns)), kept, judged)
    widths = judged.details["silhouette_widths"]
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    for row, code in zip(found["rows"], (0, 1), strict=True):
        own = np.flatnonzero(labels == code)
        far = ((standard[own] - standard[own].mean(axis=0)) ** 2).sum(axis=1)
        assert row["typical"] == (own[np.argsort(far)[:3]] + 7).tolist()
        assert [i["position"] for i in row["borderline"]] == (own[np.argsort(widths[own])[:3]] + 7).tolist()
        assert [i["width"] for i in row["borderline"]] == sorted(widths[own])[:3]


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "float32"])
def test_long_columns_are_compressed_without_loss(dtype: str) -> None:
    whole = np.arange(600_000) % 250 * (1 if dtype == "uint8" else 200 if dtype == "uint16" else -70_000)
    values = whole / 7 + 0.1 if dtype == "float32" else whole
    found = packed(values)
    assert (found["type"], found["compressed"]) == (dtype, True)
    raw = zlib.decompress(base64.b64decode(found["data"]))
    width = np.dtype(dtype).itemsize
    again = (
        np.frombuffer(raw, np.uint8).reshape(width, -1).T.copy().view(np.dtype(dtype).newbyteorder("<"))[:, 0]
    )
    assert np.array_equal(again, values.astype(dtype))
    assert len(found["data"]) < values.size * width
    assert packed(values[:1000])["compressed"] is False


def test_places_of_many_instances_lie_on_a_fine_grid() -> None:
    values = RNG.normal(3, 20, 200_000)
    found = _places(values)
    grid = np.frombuffer(base64.b64decode(found["data"]), "<u2")
    assert np.abs(found["low"] + grid * found["step"] - values).max() <= np.ptp(values) / 131_000
    few = _places(values[:100])
    assert (few["type"], "step" in few) == ("float32", False)
    assert _places(np.full(200_000, 2.0))["type"] == "uint8"


def test_scores_are_placed_between_the_worst_and_the_best_value() -> None:
    found = evaluate(
        TRUTH,
        GOOD,
        kind="classification",
        indices=["accuracy", "cohen_kappa", "false_positive_rate"],
        confidence=0.9,
    )
    drawn = placed([(own.name, own) for own in found.scores.values()], "Each score", 0.9)
    assert drawn is not None
    assert (
        drawn["caption"]
        == "Each score from the worst possible value (left) to the best, with 90 % intervals."
    )
    accuracy, kappa, loss = drawn["rows"]
    assert accuracy["at"] == pytest.approx(190 * found["accuracy"] - 95, abs=0.06)
    assert loss["at"] == pytest.approx(95 - 190 * found["false_positive_rate"], abs=0.06)
    assert kappa["at"] == pytest.approx(95 * found["cohen_kappa"], abs=0.06)
    low, high = found.intervals["accuracy"]
    assert [accuracy["low"], accuracy["high"]] == pytest.approx([190 * low - 95, 190 * high - 95], abs=0.06)
    assert placed([], "Each score", None) is None


def test_lines_do_not_end_within_a_number() -> None:
    assert (
        unbroken("5 % of 3 rows (p = 0.03, p < 0.01)") == "5\xa0% of 3 rows (p\xa0=\xa00.03, p\xa0<\xa00.01)"
    )
    assert unbroken("a map of x = 3") == "a map of x = 3"
    assert unbroken(5) == 5
