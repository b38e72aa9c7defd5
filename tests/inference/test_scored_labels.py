"""Scores of one model without an instance of each cell, which serve for all pairs that the model is in."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from adjudge.inference.classes.scored_labels import ScoredLabels, ScoredModels
from adjudge.inference.differences.exchanged_labels import LabelsOfTwo
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score, f1_score

from adjudge import compare
from adjudge.indices.catalog import find_index
from adjudge.inference.classes import scored_labels
from adjudge.inference.classes.class_intervals import MOST_CELLS, intervals_of_labels
from adjudge.statistics.confusion import Confusion

Codes = NDArray[np.int64]
SCORES = {"macro_f1": lambda t, p: f1_score(t, p, average="macro"), "cohen_kappa": cohen_kappa_score}


def drawn(k: int, n: int, n_models: int, seed: int = 5) -> tuple[Codes, list[Codes]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    return truth, [np.where(rng.random(n) < 0.7, truth, rng.integers(0, k, n)) for _ in range(n_models)]


def cells_of(*labels: Codes) -> tuple[Codes, ...]:
    found, counts = np.unique(np.stack(labels), axis=1, return_counts=True)
    return (*found.astype(np.int64), counts.astype(np.int64))


@pytest.mark.parametrize("name", SCORES)
def test_without_an_instance_of_each_combination(name: str) -> None:
    truth, (one, other) = drawn(4, 60, 2)
    seen = LabelsOfTwo(range(4), *cells_of(truth, one, other))
    record: Any = find_index(name)
    models = [ScoredModels().of(confusion, None) for confusion in seen.confusions(seen.counts)]
    found = seen.of_each(*(lambda t, p, m=model: m.without_one(record, t, p) for model in models))
    for cell in range(seen.counts.size):
        here = (truth == seen.truth[cell]) & (one == seen.first[cell]) & (other == seen.second[cell])
        left_out = int(np.argmax(here))
        t, p, q = (np.delete(own, left_out) for own in (truth, one, other))
        assert found[0][cell] == pytest.approx(SCORES[name](t, p), abs=1e-12)
        assert found[1][cell] == pytest.approx(SCORES[name](t, q), abs=1e-12)


def test_slopes_are_those_of_all_combinations_filled() -> None:
    truth, (one, other) = drawn(3, 40, 2)
    every = LabelsOfTwo(range(3), *cells_of(truth, one, other)).filled()
    assert every.counts.size == 27
    assert every.counts.sum() == 40
    record: Any = find_index("macro_f1")
    model = ScoredModels().of(every.confusions(every.counts)[0], None)
    extra, step = 0.1, 1e-3
    slopes, _ = every.of_each(lambda t, p: model.slopes(record, 3 * extra, t, p), lambda t, _: t * 0.0)
    full = every.counts + extra

    def score(counts: NDArray[np.float64]) -> float:
        return ScoredLabels(Confusion.of_cells(range(3), every.truth, every.first, counts), None).value(
            record
        )

    for cell in range(27):
        moved = (np.arange(27) == cell) * step
        slope = (score(full + moved) - score(full - moved)) / (2 * step) * full.sum()
        assert slopes[cell] == pytest.approx(slope, rel=1e-2, abs=1e-4)


def test_a_model_in_many_pairs_is_scored_once(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, models = drawn(5, 2000, 6)
    scored = []
    real = scored_labels.assessed_labels
    monkeypatch.setattr(
        scored_labels, "assessed_labels", lambda *given: scored.append(given[0].name) or real(*given)
    )
    named = {f"m{i}": own for i, own in enumerate(models)}
    found = compare(truth, named, kind="classification", indices=["macro_f1"], confidence=0.95)
    assert not math.isnan(found["m0", "m5"].differences["macro_f1"].low)
    # As it is and without an instance of each of the 25 cells; and filled up, as it is and with more in each cell.
    assert len(scored) == 6 * (26 + 26)


def test_many_combinations_of_few_cells_have_an_interval() -> None:
    truth, models = drawn(20, 50_000, 2)
    combinations = np.unique(np.stack([truth, *models]), axis=1).shape[1]
    assert combinations > 3 * MOST_CELLS
    named = dict(zip("ab", models, strict=True))
    found = compare(truth, named, kind="classification", indices=["macro_f1"], confidence=0.95)
    difference = found["a", "b"].differences["macro_f1"]
    assert difference.low < difference.value < difference.high
    # Two models of 30 % mistakes each, a twentieth of them right by chance.
    error = math.sqrt(2 * 0.7 * 0.3 / 50_000)
    assert difference.high - difference.low == pytest.approx(2 * 1.96 * error, rel=0.15)


def test_what_is_remembered_is_of_what_is_asked_for() -> None:
    """Of the record, of the instances that are added, of the confidence, and of the positive class."""
    truth, (said,) = drawn(3, 80, 1)
    table = Confusion(range(3), np.bincount(3 * truth + said, minlength=9).reshape(3, 3))
    records: list[Any] = [find_index("macro_f1"), find_index("cohen_kappa")]
    model, places = ScoredLabels(table, None), np.divmod(np.arange(9), 3)
    for _ in range(2):
        for own in records:
            fresh = ScoredLabels(table, None)
            assert model.value(own) == fresh.value(own)
            assert (model.without_one(own, *places) == fresh.without_one(own, *places)).all()
            for extra in (0.1, 0.2):
                assert (model.slopes(own, extra, *places) == fresh.slopes(own, extra, *places)).all()
            for confidence in (0.8, 0.95):
                wanted = intervals_of_labels([own], table, table.by_class(), confidence)
                assert model.intervals([own], confidence) == wanted
        assert model.intervals(records, 0.8).keys() == {"macro_f1", "cohen_kappa"}
    values = {model.value(own) for own in records}
    assert len(values) == 2


def test_either_class_may_be_the_positive_one() -> None:
    truth, (said,) = drawn(2, 70, 1)
    table = Confusion(range(2), np.bincount(2 * truth + said, minlength=4).reshape(2, 2))
    record: Any = find_index("f1", "classification")
    for positive in (0, 1):
        model, score = ScoredLabels(table, positive), partial(f1_score, pos_label=positive)
        assert model.value(record) == pytest.approx(score(truth, said))
        left = model.without_one(record, np.array([0, 1]), np.array([1, 1]))
        first = [int(np.argmax((truth == t) & (said == p))) for t, p in ((0, 1), (1, 1))]
        assert left == pytest.approx([score(np.delete(truth, i), np.delete(said, i)) for i in first])
        wanted = intervals_of_labels([record], table, table.by_class(positive=positive), 0.9)
        assert model.intervals([record], 0.9) == wanted
        assert ScoredModels().of(table, positive).value(record) == model.value(record)
    known = ScoredModels()
    one, other, again = (known.of(table, positive) for positive in (0, 1, 0))
    assert one is again
    assert one is not other
