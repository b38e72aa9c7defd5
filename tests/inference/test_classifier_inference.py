"""Intervals and tests of areas, losses and folds against exact values."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from adjudge.errors import InputError
from adjudge.inference.classes.accuracy_tests import cochran_q_test, mcnemar_test
from adjudge.inference.common.significance import difference_of_influences
from adjudge.inference.forecasts.auc import Placements, auc_interval, compare_areas, placements
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Wanted
from adjudge.statistics.forecasts import read_forecasts
from conftest import as_number, case_name, read_reference, reference_cases


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, np.vectorize(as_number)(wanted), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("path", reference_cases("classifiers/binary_scores"), ids=case_name)
def test_interval_of_an_area(path: Path) -> None:
    case = read_reference(path)
    exact = case["exact"].get("auc_intervals_95")
    if exact is None or case["sample_weight"]:
        return
    f = read_forecasts(
        case["labels_true"], scores=case["score"], classes=[case["neg_label"], case["pos_label"]]
    )
    placed = placements(f)
    assert placed.area == pytest.approx(as_number(case["exact"]["auc"]), nan_ok=True)
    close(placed.variance, exact.get("delong_variance"))
    if placed.variance > 0:
        default = auc_interval(placed)
        assert 0 <= default.low < placed.area < default.high <= 1
        assert default.method == "mid-p gamma"
    else:
        assert auc_interval(placed).reason


def test_areas_without_a_variance() -> None:
    perfect = Placements(np.ones(5), np.ones(8))
    interval = auc_interval(perfect)
    assert (interval.high, interval.method) == (1.0, "newcombe")
    assert 0.5 < interval.low < 0.8
    assert auc_interval(Placements(np.ones(1), np.ones(8))).reason == (
        "with one instance of a class the area has no standard error: take a sample with more of them"
    )
    with pytest.raises(InputError, match="the two areas come from different instances"):
        compare_areas(perfect, Placements(np.ones(4), np.ones(9)))
    with pytest.raises(InputError, match="DeLong's variance needs the number of instances"):
        placements(read_forecasts([0, 1], scores=[1.0, 2.0], sample_weight=[1.0, 2.0]))


@pytest.mark.parametrize("path", reference_cases("classifiers/paired_labels"), ids=case_name)
def test_paired_labels_as_mlxtend(path: Path) -> None:
    """McNemar's test in three ways, and Cochran's; the corrected chi-square differs if both counts are the same."""
    case = read_reference(path)
    right = {
        name: np.asarray(said) == np.asarray(case["labels_true"])
        for name, said in case["predictions"].items()
    }
    for own in case["mlxtend 0.25.0"]:
        if "cochrans_q" in own:
            found = cochran_q_test(np.column_stack(list(right.values())))
            close([found.statistic, found.p_value], own["cochrans_q"])
            continue
        one, other = (right[name] for name in own["pair"])
        tied = np.sum(one & ~other) == np.sum(other & ~one)
        for key, method in (("exact", "exact"), ("chi2", "asymptotic"), ("chi2_corrected", "corrected")):
            found = mcnemar_test(one, other, method=method)
            if tied and (key == "chi2_corrected" or as_number(own[key][1]) != 1.0):
                assert found.p_value == 1.0  # there it is 0, nan, or that of a correction beyond 0
                continue
            assert found.p_value == pytest.approx(own[key][1], rel=1e-10)
            assert own[key][0] is None or found.statistic == pytest.approx(own[key][0])


def test_folds_and_repeated_splits_as_mlxtend() -> None:
    """mlxtend 0.25.0: two classifiers of scikit-learn 1.9.1 on its breast cancer data, with the seed 1.

    There a fold counts as a sample of its own.
    """
    bayes, tree = [54, 54, 54, 55, 50, 53, 54, 54, 56, 52], [54, 49, 51, 53, 51, 51, 56, 55, 56, 49]
    folds = (np.array(bayes) - tree) / [*[57] * 9, 56]
    bayes = [104, 109, 109, 108, 107, 109, 113, 107, 106, 104, 113, 105]
    tree = [108, 110, 108, 106, 107, 105, 111, 105, 104, 103, 110, 104]
    splits = (np.array(bayes) - tree) / 114
    for gains, statistic, p_value in (
        (folds, 1.5613705224823964, 0.15287027608771503),
        (splits, 1.8171279038162678, 0.09651404525449252),
    ):
        plain = ttest_1samp(gains, 0.0)
        assert (plain.statistic, plain.pvalue) == pytest.approx((statistic, p_value))
        # The gate's statistic of a mean loss, each fold an instance, is that of mlxtend.
        moved = Influence.centred(float(gains.mean()), gains)
        own = difference_of_influences(Wanted(moved, (0, math.inf)), 0.95, "h")
        assert own.test is not None
        assert own.test.statistic == pytest.approx(statistic)
