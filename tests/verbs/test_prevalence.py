"""Scores of a sample whose shares of classes are not those where the model will be used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge.errors import InputError

TRUTH = np.repeat(["ill", "well"], [40, 60])
MODEL = np.concatenate([np.repeat(["ill", "well"], [36, 4]), np.repeat(["ill", "well"], [6, 54])])


def test_precision_at_another_prevalence() -> None:
    """It is Bayes' theorem of sensitivity and specificity (Altman & Bland 1994)."""
    found = adjudge.evaluate(TRUTH, MODEL, indices="all", positive="ill", prevalence=0.02)
    sensitivity, specificity = 36 / 40, 54 / 60
    hits, alarms = 0.02 * sensitivity, 0.98 * (1 - specificity)
    assert found["precision"] == pytest.approx(hits / (hits + alarms), abs=1e-12)
    assert found["recall"] == pytest.approx(sensitivity, abs=1e-12)
    assert found["specificity"] == pytest.approx(specificity, abs=1e-12)
    assert found["accuracy"] == pytest.approx(hits + 0.98 * specificity, abs=1e-12)
    assert found.settings["prevalence"] == {"ill": 0.02, "well": 0.98}


def test_a_mapping_says_it_of_each_class() -> None:
    one = adjudge.evaluate(TRUTH, MODEL, positive="ill", prevalence=0.1, confidence=0.95)
    each = adjudge.evaluate(
        TRUTH, MODEL, positive="ill", prevalence={"well": 0.9, "ill": 0.1}, confidence=0.95
    )
    assert one.values == each.values
    assert one.intervals == each.intervals


def test_the_share_of_the_sample_changes_nothing() -> None:
    plain = adjudge.evaluate(TRUTH, MODEL, positive="ill")
    same = adjudge.evaluate(TRUTH, MODEL, positive="ill", prevalence=0.4)
    for name, value in plain.values.items():
        if name in same.values:
            assert same[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize(
    ("prevalence", "said"),
    [
        (1.2, "prevalence=1.2 is not a share between 0 and 1"),
        (True, "prevalence"),
        ({"ill": 0.1}, "gives no share of 'well'"),
        ({"ill": 0.1, "well": 0.8}, "adds up to 0.9"),
        ({"ill": 0.1, "well": 0.8, "dead": 0.1}, "'dead'"),
        ({"ill": "some", "well": 0.5}, "prevalence= gives 'ill'"),
    ],
)
def test_what_is_no_share_is_refused(prevalence: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        adjudge.evaluate(TRUTH, MODEL, prevalence=prevalence)  # type: ignore[call-overload]


def test_many_classes_need_a_mapping() -> None:
    with pytest.raises(InputError, match="there are 3: give a mapping"):
        adjudge.evaluate(["a", "b", "c"] * 5, ["a", "b", "a"] * 5, prevalence=0.1)


def test_clusterings_have_no_prevalence() -> None:
    with pytest.raises(InputError, match="prevalence= is an option for classifiers"):
        adjudge.evaluate([0, 0, 1, 1], [1, 1, 0, 0], kind="clustering", prevalence=0.1)


def test_tables_say_the_same(tmp_path: Path) -> None:
    """A frame and files in memory; what counts in passes refuses."""
    frame = pl.DataFrame({"truth": TRUTH, "model": MODEL})
    frame.write_csv(tmp_path / "sample.csv")
    frame.write_parquet(tmp_path / "sample.parquet")
    options = {"truth": "truth", "pred": "model", "positive": "ill", "prevalence": 0.02}
    expected = adjudge.evaluate(TRUTH, MODEL, positive="ill", prevalence=0.02).values
    for table in (frame, str(tmp_path / "sample.csv"), str(tmp_path / "sample.parquet")):
        assert adjudge.evaluate(table, **options).values == expected  # type: ignore[call-overload]
    with pytest.raises(InputError, match="prevalence= needs the instances"):
        adjudge.evaluate(frame.lazy(), **options)  # type: ignore[call-overload]
