"""Elementwise formulas: several populations at once have the values that they have one by one, and the same slopes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from adjudge.indices.catalog import all_indices
from adjudge.indices.record import Index
from adjudge.inference.classes.label_sums import ScoredLabels
from adjudge.inference.linear import of_counts
from adjudge.statistics.agreement import CELLS, Agreement, WeightedAgreement
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion

ELEMENTWISE = [record for record in all_indices().values() if record.elementwise]
OF_CLASSES = [record for record in ELEMENTWISE if issubclass(ClassCounts, record.requires[0])]
OF_MODELS = [record for record in ELEMENTWISE if record.requires == (Agreement,)]
# A class that is never predicted, one that is never right, one that is always, and one that does not occur.
TABLES = np.array(
    [
        [[30, 4, 1], [3, 40, 5], [2, 6, 20]],
        [[30, 4, 0], [3, 40, 0], [2, 6, 0]],
        [[0, 4, 1], [3, 40, 5], [2, 6, 20]],
        [[30, 0, 0], [0, 40, 5], [0, 6, 20]],
        [[30, 4, 1], [0, 0, 0], [2, 6, 20]],
        [[5, 0, 0], [0, 5, 0], [0, 0, 5]],
    ],
    np.float64,
)


def _counts(table: Any, positive: int | None, outside: Any) -> ClassCounts:
    """Count by class; a table of several populations has them along its last axis."""
    right = np.moveaxis(np.diagonal(table), -1, 0)
    true, predicted = table.sum(axis=1), table.sum(axis=0)
    true = true + np.stack([outside, 0 * outside, 0 * outside])
    return ClassCounts(list("abc"), true, predicted, right, true.sum(axis=0), positive, {"none": outside})


def test_records_of_classes_and_of_two_models_are_all_that_say_so() -> None:
    assert {record.name for record in (*OF_CLASSES, *OF_MODELS)} == {record.name for record in ELEMENTWISE}
    defaults = {"accuracy", "balanced_accuracy", "cohen_kappa", "matthews_correlation", "macro_f1"}
    assert defaults <= {record.name for record in OF_CLASSES}


@pytest.mark.parametrize("undefined", ["nan", "skip", 0])
@pytest.mark.parametrize("positive", [None, 1])
@pytest.mark.parametrize("record", OF_CLASSES, ids=lambda record: record.name)
def test_scores_of_classes(record: Index, positive: int | None, undefined: Any) -> None:
    chosen = {"undefined": undefined} if "undefined" in record.parameters else {}
    outside = np.array([0.0, 2.0, 0.0, 0.0, 3.0, 0.0])
    each = [
        record.assess(_counts(table, positive, alone), **chosen)[0]
        for table, alone in zip(TABLES, outside, strict=True)
    ]
    if not np.isfinite(each[0]):
        return  # no slope is sought
    found = record.of_several(_counts(np.moveaxis(TABLES, 0, -1), positive, outside), **chosen)
    np.testing.assert_allclose(found, each, rtol=1e-12)


@pytest.mark.parametrize("record", OF_MODELS, ids=lambda record: record.name)
def test_measures_of_two_models(record: Index) -> None:
    cells = np.array([[28, 5, 3, 4], [28, 0, 0, 4], [0, 5, 3, 4], [0, 0, 0, 9], [9, 0, 0, 0]], np.float64).T
    each = [record.assess(WeightedAgreement(*own))[0] for own in cells.T.tolist()]
    np.testing.assert_allclose(record.of_several(of_counts(Agreement, CELLS, cells)), each, rtol=1e-12)


@pytest.mark.parametrize(
    "matrix", [TABLES[0].astype(int), TABLES[0] / 7, TABLES[3].astype(int), TABLES[5].astype(int)]
)
@pytest.mark.parametrize("positive", [None, "b"])
def test_slopes_are_those_of_one_call_for_each_step(matrix: Any, positive: Any) -> None:
    confusion = Confusion(list("abc"), matrix)
    for record in OF_CLASSES:
        at_once = ScoredLabels(confusion, positive).of(record)
        by_step = ScoredLabels(confusion, positive).of(replace(record, elementwise=False))
        np.testing.assert_allclose(at_once.slope, by_step.slope, rtol=1e-7, atol=1e-9, err_msg=record.name)
        assert at_once.value == by_step.value or not at_once.known
