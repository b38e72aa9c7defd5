"""What differences of two models say where there is no interval, and whose labels and classes they are of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from adjudge.indices.catalog import find_index
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.inference.forecasts.auc import compare_areas, placements
from adjudge.statistics.forecasts import read_forecasts

Codes = np.ndarray[Any, Any]


def record(name: str) -> Any:
    return find_index(name, "classification")


def test_the_gini_coefficient_differs_by_twice_the_area() -> None:
    truth = np.arange(60) % 2
    rng = np.random.default_rng(3)
    models = [read_forecasts(truth, scores=rng.normal(size=60) + above * truth) for above in (0.5, 1.5)]
    perfect = read_forecasts(truth, scores=truth * 1.0)
    for pair in (models, [perfect, perfect]):
        compared = compare_areas(*(placements(own) for own in pair), confidence=0.8)
        area, gini = differences_of_forecasts([record("roc_auc"), record("gini")], *pair, 0.8).values()
        own = compared.interval
        assert area.test == gini.test == compared.test or (area.test is not None and math.isnan(own.low))
        assert list(area.interval) == pytest.approx(list(own), nan_ok=True)
        assert list(gini.interval) == pytest.approx([2 * end for end in own], nan_ok=True)
        for found in (area, gini):
            assert (found.interval.confidence, found.interval.method, found.interval.reason) == (
                0.8,
                own.method,
                own.reason,
            )
