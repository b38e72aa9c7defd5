"""The smooth calibration error against its definition, and against relplot, the program of its authors."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad

import adjudge
from adjudge.statistics import reliability
from adjudge.statistics.binned_scores import BinnedCalibratedScores
from conftest import case_name, read_reference, reference_cases

error = adjudge.smooth_calibration_error
CASES = [p for p in reference_cases("classifiers/binary_scores") if "relplot 1.0.3" in read_reference(p)]


def size(forecasts: np.ndarray, outcomes: np.ndarray, width: float, weights: np.ndarray) -> float:
    """The integral of the definition: each instance has images at f + 2j and -f + 2j."""

    def deviation(t: float) -> float:
        total = 0.0
        for f, y, w in zip(forecasts.tolist(), outcomes.tolist(), weights.tolist(), strict=True):
            images = [sign * f + 2 * j for sign in (1, -1) for j in range(-4, 5)]
            density = sum(math.exp(-(((t - x) / width) ** 2) / 2) for x in images)
            total += w * (f - y) * density
        return abs(total / weights.sum() / width / math.sqrt(2 * math.pi))

    ends = np.linspace(0, 1, 41)
    return sum(quad(deviation, a, b, epsabs=1e-9)[0] for a, b in itertools.pairwise(ends))


@pytest.mark.parametrize("seed", range(4))
def test_the_error_is_the_bandwidth_at_which_the_integral_has_its_size(seed: int) -> None:
    rng = np.random.default_rng(seed)
    forecasts = rng.random(9).round([1, 2, 9, 9][seed])
    outcomes = (rng.random(9) < forecasts ** rng.choice([0.3, 3])).astype(int)
    outcomes[:2] = 0, 1
    weights = rng.integers(1, 4, 9) if seed == 2 else np.ones(9, int)
    found = error(outcomes, forecasts, sample_weight=weights if seed == 2 else None)
    assert found > 0.02
    assert size(forecasts, outcomes, found, weights) == pytest.approx(found, rel=1e-5)
    if seed == 2:
        assert error(np.repeat(outcomes, weights), np.repeat(forecasts, weights)) == pytest.approx(
            found, rel=1e-9
        )


@pytest.mark.parametrize("path", CASES, ids=case_name)
def test_the_error_is_that_of_relplot_where_that_is_accurate(path: Path) -> None:
    case = read_reference(path)
    truth = np.array(case["labels_true"]) == case["pos_label"]
    theirs = case["relplot 1.0.3"]
    scores = np.array(case["score"], float)
    for values, wanted in (
        (scores, theirs["smECE"]),
        (np.clip(scores, 0.001, 0.999), theirs["smECE_of_scores_within_0.001_and_0.999"]),
    ):
        found = error(truth, values, classes=[False, True])
        # relplot cuts the kernel off at a distance of 0.5, and counts forecasts of exactly 0 or 1 half.
        differs = case_name(path).startswith("07") or (
            case_name(path).startswith(("03", "04")) and values is scores
        )
        assert (abs(found - wanted) > 0.003) is differs, (found, wanted)


def test_errors_at_the_ends() -> None:
    assert error([0, 1], [0.0, 1.0]) == error([0, 1], [0.5, 0.5]) == 0.0
    assert error([0, 0], [1.0, 1.0], classes=[0, 1]) == pytest.approx(1.0)
    assert error([0, 1, 0, 1], [1e-6, 1.0, 0.0, 1.0]) == pytest.approx(2.5e-7, rel=1e-6)
    three = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
    assert error([0, 1, 0], three, classes=[0, 1, 2]) == pytest.approx(error([1, 1, 0], [0.6, 0.5, 0.7]))


def test_a_finer_grid_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    forecasts = rng.beta(2, 5, 30_000)
    outcomes = (rng.random(30_000) < forecasts).astype(int)
    found = error(outcomes, forecasts)
    assert found < 0.02
    order = rng.permutation(30_000)
    assert error(outcomes[order], forecasts[order]) == found
    monkeypatch.setattr(reliability, "_FINE", 4096)
    assert error(outcomes, forecasts) == pytest.approx(found, rel=1e-5)


def test_bins_of_an_engine_are_fine_enough_or_refused() -> None:
    rng = np.random.default_rng(6)
    forecasts = rng.random(3000)
    outcomes = rng.random(3000) < forecasts**2
    cells = np.minimum((forecasts * 50_400).astype(int) * 2 + outcomes, 100_799)
    known, places, counts = np.unique(cells, return_inverse=True, return_counts=True)
    means = np.bincount(places, forecasts) / counts
    binned = BinnedCalibratedScores(means, known % 2 == 1, counts.astype(float))
    value, reason = error.assess(binned)
    assert reason is None
    assert value == pytest.approx(error(outcomes, forecasts), rel=1e-6)
    right = BinnedCalibratedScores(np.array([0.001, 1.0]), np.array([False, True]), np.ones(2))
    value, reason = error.assess(right)
    assert math.isnan(value)
    assert "collect the table first" in reason
