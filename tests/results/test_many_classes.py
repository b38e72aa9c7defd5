"""What is shown of a classifier with very many classes: nothing is computed that nobody reads."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.results import by_class
from cases import each


@pytest.mark.parametrize("shown", [repr, lambda found: found._repr_html_()], ids=["text", "notebook"])
def test_classes_are_listed_unless_they_are_many(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator, shown: Any
) -> None:
    truth = np.repeat(np.arange(30), 4)
    found = adjudge.evaluate(truth, rng.permutation(truth), kind="classification")
    whole = shown(found)
    assert "By class" in whole
    assert "class_table()" not in whole
    monkeypatch.setattr(by_class, "_MOST_LISTED", 29)
    again = adjudge.evaluate(truth, rng.permutation(truth), kind="classification")
    cut = shown(again)
    assert "By class" not in cut
    assert "30 classes: class_table() has a row for each" in cut
    assert "Most confused" in cut
    # Scores by class were not even made.
    assert "_rows" not in vars(again.by_class)
    assert len(again.class_table().rows) == 30
    assert len(again.tables()) == len(found.tables())


def units_and_models(n: int, k: int) -> tuple[Any, dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    truth = np.append(np.arange(k), rng.integers(0, k, n - k))
    models = {
        name: np.where(rng.random(n) < s, truth, rng.integers(0, k, n))
        for name, s in (("a", 0.7), ("b", 0.75))
    }
    return truth, models, rng.integers(0, n // 8, n)


@each("verb", ["evaluate", "compare", "gate"])
def test_reading_a_result_computes_nothing(verb: str) -> None:
    truth, models, units = units_and_models(12_000, 5)
    options: dict[str, Any] = {"kind": "classification", "units": units}
    if verb == "evaluate":
        found: Any = adjudge.evaluate(truth, models["a"], confidence=0.95, **options)
    elif verb == "compare":
        found = adjudge.compare(truth, models, confidence=0.95, **options)
    else:
        found = adjudge.gate(truth, old=models["a"], new=models["b"], **options)
    called: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        path = frame.f_code.co_filename.replace("\\", "/")
        if event == "call" and "/adjudge/inference/" in path and frame.f_code.co_name != "<module>":
            called.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        str(found), found._repr_html_(), found.to_dict()
    finally:
        sys.setprofile(None)
    assert not {"interval_of", "difference_of_influences", "newcombe_paired", "interval_of_share"} & set(
        called
    )


def test_many_classes_with_equal_counts_are_inferred_once() -> None:
    truth, models, units = units_and_models(9_000, 3_000)
    found = adjudge.evaluate(truth, models["a"], kind="classification", confidence=0.95)
    some = [found.by_class[label] for label in (0, 1, 7)]
    for own in some:
        binary = adjudge.evaluate(
            truth == own.label,
            models["a"] == own.label,
            kind="classification",
            confidence=0.95,
        ).by_class[True]
        for name in ("recall", "f1", "matthews_correlation"):
            known = own.score(name)
            if known.low is not None:
                assert (known.low, known.high) == pytest.approx(
                    (binary.score(name).low, binary.score(name).high)
                )
    # Each class would need the sums of all units.
    of_units = adjudge.evaluate(truth, models["a"], kind="classification", confidence=0.95, units=units)
    assert "each of more than 2,000 classes" in str(of_units.by_class[0].score("recall").interval_reason)
    compared = adjudge.compare(truth, models, kind="classification", confidence=0.95, units=units)
    assert compared["a", "b"].recalls[0].score.p_value is None
    assert len(str(compared)) < 20_000


def test_recalls_the_other_way_round_are_the_same() -> None:
    truth, models, units = units_and_models(2_000, 5)
    for options in ({}, {"units": units}):
        pair = adjudge.compare(truth, models, kind="classification", confidence=0.95, **options)
        for own, other in zip(pair["a", "b"].recalls, pair["b", "a"].recalls, strict=True):
            assert (own.label, own.n, own.broken, own.fixed) == (
                other.label,
                other.n,
                other.fixed,
                other.broken,
            )
            assert (own.score.low, own.score.high) == (-other.score.high, -other.score.low)
            assert own.score.adjusted_p_value == other.score.adjusted_p_value
