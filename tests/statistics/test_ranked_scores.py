"""Sorted scores, losses and bins against their definitions, instance by instance and pair by pair."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

import adjudge as indices
from adjudge import debiased_calibration_error
from adjudge.errors import InputError
from adjudge.statistics.forecasts import read_forecasts
from adjudge.statistics.losses import ProbabilityLosses
from adjudge.statistics.ranked_scores import ClassAreas, PairAreas, PositiveScores, TruthRanks
from adjudge.statistics.reliability import reliability_bins

CASES = 100 * settings.default.max_examples // 60
SCORED = st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), min_size=1, max_size=20)


@given(SCORED)
def test_area_is_the_share_of_pairs_that_are_ranked_right(cases: list[tuple[int, int]]) -> None:
    truth, scores = zip(*cases, strict=True)
    areas = ClassAreas.make(read_forecasts(truth, scores=np.array(scores, float), classes=[0, 1]))
    inside = [s for y, s in cases if y]
    outside = [s for y, s in cases if not y]
    wins = sum(Fraction(1) if a > b else Fraction(a == b, 2) for a, b in itertools.product(inside, outside))
    if inside and outside:
        assert areas.areas[1] == float(wins / (len(inside) * len(outside)))
        assert areas.areas[0] == areas.areas[1]
    else:
        assert math.isnan(areas.areas[1])
    for code, own in ((1, inside), (0, outside)):
        sign = 1 if code else -1
        if not own:
            assert math.isnan(areas.average_precisions[code])
            continue
        precisions = [
            Fraction(
                sum(y == code and sign * s >= sign * at for y, s in cases),
                sum(sign * s >= sign * at for _, s in cases),
            )
            for at in own
        ]
        assert areas.average_precisions[code] == pytest.approx(float(sum(precisions) / len(own)), rel=1e-14)


@given(SCORED, st.integers(0, 20))
def test_ranked_scores_of_parts_add_up(cases: list[tuple[int, int]], cut: int) -> None:
    def scored(part: list[tuple[int, int]]) -> Any:
        truth, scores = zip(*part, strict=True)
        return PositiveScores.make(read_forecasts(truth, scores=np.array(scores, float), classes=[0, 1]))

    if 0 < cut < len(cases):
        whole, parts = scored(cases), scored(cases[:cut]) + scored(cases[cut:])
        for name in ("scores", "positives", "negatives"):
            assert getattr(parts, name).tolist() == getattr(whole, name).tolist()


def test_scores_of_the_first_class_where_it_is_positive() -> None:
    truth, p = [0, 0, 1, 1, 1], np.array([0.1, 0.6, 0.6, 0.7, 0.9])
    first = indices.average_precision(truth, 1 - p, positive=0)
    assert first == pytest.approx(metrics.average_precision_score(1 - np.array(truth), 1 - p))


def test_many_scores_on_threads_are_as_few_at_a_time() -> None:
    rng = np.random.default_rng(5)
    truth, p = rng.integers(0, 2, 150_000), np.round(rng.random(150_000), 4)
    whole = PositiveScores.make(read_forecasts(truth, p))
    parts = [
        PositiveScores.make(read_forecasts(truth[s], p[s])) for s in (slice(0, 50_000), slice(50_000, None))
    ]
    both = parts[0] + parts[1]
    assert both.positives.tolist() == whole.positives.tolist()
    assert both.negatives.tolist() == whole.negatives.tolist()
    assert indices.roc_auc(truth, p) == pytest.approx(metrics.roc_auc_score(truth, p), rel=1e-12)


def test_losses_and_ranks_of_parts_add_up() -> None:
    rng = np.random.default_rng(1)
    truth, P = rng.integers(0, 3, 60), rng.dirichlet([1, 1, 1], 60)
    P[40] = [0, 0, 1]
    truth[40] = 0
    made = [
        [
            kind.make(read_forecasts(truth[s], P[s], classes=[0, 1, 2]))
            for s in (slice(None), slice(0, 25), slice(25, 60))
        ]
        for kind in (ProbabilityLosses, TruthRanks)
    ]
    losses = made[0][1] + made[0][2]
    assert losses.brier == pytest.approx(made[0][0].brier, rel=1e-14)
    assert losses.impossible == 1
    value, reason = indices.log_loss.judge(read_forecasts(truth, P))
    assert value == math.inf
    assert reason == "the true class of the instance in row 40 had the probability 0"
    assert indices.d2_log_loss.judge(read_forecasts(truth, P))[0] == -math.inf
    ranks = made[1][1] + made[1][2]
    for name in ("higher", "tied", "counts"):
        assert getattr(ranks, name).tolist() == getattr(made[1][0], name).tolist()


def test_weights_that_are_whole_numbers_are_repetitions() -> None:
    rng = np.random.default_rng(2)
    truth, P, w = rng.integers(0, 3, 40), rng.dirichlet([1, 1, 1], 40).round(1) + 0.1, rng.integers(0, 4, 40)
    P /= P.sum(axis=1, keepdims=True)
    weighted = read_forecasts(truth, P, sample_weight=w)
    repeated = read_forecasts(np.repeat(truth, w), np.repeat(P, w, axis=0))
    for index in (
        indices.log_loss,
        indices.brier_score,
        indices.roc_auc,
        indices.roc_auc_ovo,
        indices.average_precision,
        indices.top_k_accuracy,
        indices.expected_calibration_error,
        indices.class_wise_calibration_error,
    ):
        assert index.judge(weighted)[0] == pytest.approx(index.judge(repeated)[0], rel=1e-12), index.name
    of_two = (truth > 0, P[:, 1])
    weighted, repeated = (
        ClassAreas.make(read_forecasts(*given, sample_weight=own))
        for given, own in ((of_two, w), ([np.repeat(values, w) for values in of_two], None))
    )
    assert weighted.areas == pytest.approx(repeated.areas, rel=1e-12)
    assert weighted.average_precisions == pytest.approx(repeated.average_precisions, rel=1e-12)


def test_bins_of_equal_mass_do_not_depend_on_the_order_of_equal_forecasts() -> None:
    p, truth = np.array([0.2, 0.5, 0.5, 0.5, 0.5, 0.8]), np.array([0, 1, 0, 1, 0, 1])
    found = []
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(6)
        bins = reliability_bins(PositiveScores.make(read_forecasts(truth[order], p[order])), 2, "mass")
        found.append((bins.counts.tolist(), bins.forecast.tolist(), bins.observed.tolist()))
    assert found == found[:1] * 6
    assert found[0][0] == [5, 1]
    assert found[0][2] == pytest.approx([2 / 5, 1])


def test_equal_forecasts_share_one_bin_of_equal_mass() -> None:
    """Of n forecasts of one half that come true in k cases, the debiased error is the unbiased estimate of 0."""
    n = 20
    for k in range(1, n):
        scores = PositiveScores.make(read_forecasts([1] * k + [0] * (n - k), [0.5] * n))
        assert reliability_bins(scores, 10, "mass").counts.tolist() == [n]
    expected = sum(
        math.comb(n, k) / 2**n * debiased_calibration_error([1] * k + [0] * (n - k), [0.5] * n, bins="mass")
        for k in range(1, n)
    )
    # Outcomes of one class are left out: they have no such error.
    assert expected == pytest.approx(0, abs=1e-5)


def test_edges_of_bins_are_rounded_quotients() -> None:
    tenths = np.arange(11) / 10
    truth = np.arange(11) % 2
    scores = PositiveScores.make(read_forecasts(truth, tenths))
    assert reliability_bins(scores, 10).counts.tolist() == [2] + [1] * 9
    with pytest.raises(InputError, match="bins need probabilities"):
        reliability_bins(PositiveScores.make(read_forecasts([0, 1], scores=[1.0, 2.0])), 10)


def test_a_class_that_does_not_occur_leaves_averages_undefined() -> None:
    f = read_forecasts([0, 1, 0], [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.4, 0.1]], classes=[0, 1, 2])
    value, reason = indices.roc_auc.judge(f)
    assert math.isnan(value)
    assert reason == "0/0: class 2 occurs never or always in the truth"
    assert indices.roc_auc.judge(f, undefined="skip")[0] == 1.0
    value, reason = indices.roc_auc_ovo.judge(f)
    assert math.isnan(value)
    assert reason == "0/0: class 2 does not occur in the truth"
    assert indices.roc_auc_ovo.judge(f, undefined="skip")[0] == 1.0
    one = read_forecasts([0, 0], [[0.6, 0.3, 0.1], [0.5, 0.4, 0.1]], classes=[0, 1, 2])
    said = "0/0: each of the classes 1, 2 does not occur in the truth"
    assert indices.roc_auc_ovo.judge(one, undefined="skip")[1] == said
    assert indices.roc_auc_ovo_weighted.judge(one)[1] == said
    pairs = PairAreas.make(f)
    assert pairs.areas[0, 1] == pairs.areas[1, 0] == 1.0


def test_score_of_one_side_alone() -> None:
    for index in (indices.partial_auc, indices.ks_statistic, indices.mcclish_auc):
        value, reason = index.judge(read_forecasts([1, 1], [0.5, 0.6], classes=[0, 1]))
        assert math.isnan(value)
        assert reason == "0/0: the truth has no instance of the positive class, or no other"
    value, reason = indices.ks_statistic.judge(read_forecasts([0, 1, 2], np.eye(3)))
    assert reason == "no class is the positive one: name one as positive"
