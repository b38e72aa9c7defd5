"""Scores of probabilities against exact values."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import InputError
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.results.curves import ThresholdCurve
from adjudge.results.thresholds import best_threshold
from adjudge.statistics.forecasts import Forecasts, read_forecasts
from adjudge.statistics.ranked_scores import (
    ClassAreas,
    PairAreas,
    PositiveProbabilities,
    PositiveScores,
    TopLabels,
)
from adjudge.statistics.reliability import ReliabilityBins, brier_parts, reliability_bins
from conftest import as_number, case_name, read_reference, reference_cases

BINARY = reference_cases("classifiers/binary_scores")
MULTICLASS = reference_cases("classifiers/multiclass_scores")


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, np.vectorize(as_number)(wanted), rtol=1e-12, atol=1e-12)


def read_binary(case: dict[str, Any]) -> Forecasts:
    name = "probabilities" if case["score_is_probability"] else "scores"
    return read_forecasts(
        case["labels_true"],
        **{name: case["score"]},
        classes=[case["neg_label"], case["pos_label"]],
        sample_weight=case["sample_weight"],
    )


def value(name: str, forecasts: Forecasts, **parameters: Any) -> float:
    record = getattr(adjudge, name)
    assert isinstance(record, ForecastIndex)
    return record.judge(forecasts, **parameters)[0]


@pytest.mark.parametrize("path", BINARY, ids=case_name)
def test_ranking_of_two_classes(path: Path) -> None:
    case = read_reference(path)
    exact, forecasts = case["exact"], read_binary(case)
    close(value("roc_auc", forecasts), exact["auc"])
    close(value("gini", forecasts), exact["gini"])
    close(value("average_precision", forecasts), exact["average_precision"])
    close(value("ks_statistic", forecasts), exact.get("ks"))
    for name, by, key in (("youden_index", "youden", "youden"), ("maximum_f1", "f1", "best_f1")):
        wanted = exact.get(key)
        found = best_threshold(ThresholdCurve.of(forecasts), by)
        if wanted is None or math.isnan(as_number(wanted["value"])):
            assert math.isnan(value(name, forecasts))
            assert found.reason
            continue
        close(value(name, forecasts), wanted["value"])
        close(found.value, wanted["value"])
        close(sorted(found.thresholds), sorted(map(as_number, wanted["thresholds"])))
    for limit in (0.1, 0.2, 0.5, 1.0):
        both = exact.get(f"partial_auc_fpr_{limit}")
        both = both if isinstance(both, dict) else {"raw": both, "mcclish": both}
        close(value("partial_auc", forecasts, max_fpr=limit), both["raw"])
        close(value("mcclish_auc", forecasts, max_fpr=limit), both["mcclish"])


@pytest.mark.parametrize(
    "path", [p for p in BINARY if read_reference(p)["score_is_probability"]], ids=case_name
)
def test_losses_and_calibration_of_two_classes(path: Path) -> None:
    case = read_reference(path)
    exact, forecasts = case["exact"], read_binary(case)
    close(value("log_loss", forecasts), exact["log_loss"])
    close(value("brier_score", forecasts), exact["brier"])
    close(value("d2_log_loss", forecasts), exact["d2_log_loss"])
    close(value("brier_skill_score", forecasts), exact["brier_skill"])
    scores = PositiveProbabilities.make(forecasts)  # type: ignore[arg-type]
    parts, murphy = brier_parts(scores), exact["murphy_by_distinct_forecasts"]
    close([parts.reliability, parts.resolution], [murphy["reliability"], murphy["resolution"]])
    tied = scores.scores.size < forecasts.n
    for key, wanted in exact.items():
        if key.startswith(("uniform_", "equal_mass_")) and not key.endswith("left_closed"):
            n_bins = int(key.split("_")[1 if key.startswith("uniform") else 2])
            how = "width" if key.startswith("uniform") else "mass"
            if how == "mass" and (tied or case["sample_weight"]):
                continue  # there it is the order of the input that shares equal forecasts out
            bins = reliability_bins(scores, n_bins, how)
            check_bins(bins, wanted)
            if "top_label" in wanted:
                top = TopLabels.make(forecasts)  # type: ignore[arg-type]
                check_bins(reliability_bins(top, n_bins, how), wanted["top_label"])
            for error, its in (("expected_calibration_error", "ece"), ("maximum_calibration_error", "mce")):
                found = value(error, forecasts, n_bins=n_bins, bins=how)
                assert found == pytest.approx(as_number(wanted[its]), abs=1e-12)
            if "debiased_l2" in wanted and not case["sample_weight"] and (bins.counts > 1).any():
                close(
                    value("debiased_calibration_error", forecasts, n_bins=n_bins),
                    wanted["debiased_l2"]["squared_bins_of_one_left_out"],
                )


def check_bins(bins: ReliabilityBins, wanted: dict[str, Any]) -> None:
    close(bins.counts, wanted["bins"]["weight"])
    close(bins.forecast, wanted["bins"]["mean_predicted"])
    close(bins.observed, wanted["bins"]["observed"])
    close(bins.shares @ bins.gaps, wanted["ece"])
    close(bins.gaps.max(), wanted["mce"])
    close(math.sqrt(bins.shares @ bins.gaps**2), wanted["rmsce"])
    close(bins.gaps.mean(), wanted["mean_over_bins"])


@pytest.mark.parametrize("path", BINARY, ids=case_name)
def test_points_of_the_roc_curve(path: Path) -> None:
    case = read_reference(path)
    exact = case["exact"]["roc_all_thresholds"]
    scores = PositiveScores.make(read_binary(case))
    thresholds, true, false = scores.falling
    if isinstance(exact, dict):
        close(thresholds, exact["threshold"][1:])
        with np.errstate(invalid="ignore"):
            close(true / true[-1], exact["tpr"][1:])
            close(false / false[-1], exact["fpr"][1:])


@pytest.mark.parametrize("path", MULTICLASS, ids=case_name)
def test_several_classes(path: Path) -> None:
    case = read_reference(path)
    exact = case["exact"]
    forecasts = read_forecasts(
        case["labels_true"],
        case["probabilities"],
        classes=case["labels"],
        sample_weight=case["sample_weight"],
    )
    close(value("log_loss", forecasts), exact["log_loss"])
    close(value("brier_score", forecasts), exact["brier_sum_over_classes"])
    close(value("d2_log_loss", forecasts), exact["d2_log_loss"])
    close(value("brier_skill_score", forecasts), exact["brier_skill"])
    areas, pairs = ClassAreas.make(forecasts), PairAreas.make(forecasts)
    close(areas.areas, exact["auc_ovr_per_class"])
    close(areas.average_precisions, exact["average_precision_per_class"])
    close(value("roc_auc_ovr", forecasts), exact["auc_ovr_macro"])
    close(value("roc_auc_ovr", forecasts, undefined="skip"), exact["auc_ovr_macro_defined_only"])
    close(value("roc_auc_ovr_weighted", forecasts), exact["auc_ovr_weighted"])
    close(value("roc_auc_ovo", forecasts), exact["auc_ovo_macro_hand_till"])
    close(value("roc_auc_ovo", forecasts, undefined="skip"), exact["auc_ovo_macro_defined_only"])
    close(value("roc_auc_ovo_weighted", forecasts, undefined="skip"), exact["auc_ovo_weighted_defined_only"])
    places = {str(label): i for i, label in enumerate(case["labels"])}
    for both, wanted in exact["auc_ovo_pairs"].items():
        i, j = (places[label] for label in both.split("|"))
        close((pairs.areas[i, j] + pairs.areas[j, i]) / 2, wanted)
    for k in range(1, len(case["labels"]) + 1):
        ties = exact.get(f"top_{k}_accuracy")
        if ties is not None:
            for how, name in (("for", "in_favour"), ("against", "against"), ("expected", "expected")):
                close(value("top_k_accuracy", forecasts, k=k, ties=how), ties[f"ties_{name}"])
    for n_bins in (5, 10):
        wanted = exact.get(f"uniform_{n_bins}_bins_right_closed")
        if wanted is not None:
            check_bins(reliability_bins(TopLabels.make(forecasts), n_bins), wanted["top_label"])  # type: ignore[arg-type]
            close(
                value("class_wise_calibration_error", forecasts, n_bins=n_bins), wanted["class_wise_ece_mean"]
            )


def test_of_the_impossible_the_first_row_and_the_number_of_others_are_told() -> None:
    for n, more in ((1, ""), (2, ", and of another"), (4, ", and of 3 others")):
        p = np.r_[np.full(5, 0.5), np.zeros(n)]
        shown = adjudge.evaluate(
            [1] * (5 + n), probabilities=p, kind="classification", classes=[0, 1], indices="log_loss"
        )
        said = f"the true class of the instance in row 5 had the probability 0{more}"
        assert shown.scores["log_loss"].reason == said


def test_a_false_positive_rate_that_a_partial_area_cannot_have() -> None:
    for wrong in (0.0, 1.5):
        with pytest.raises(InputError, match=f"^max_fpr={wrong}: a number above 0 and up to 1 is needed"):
            adjudge.partial_auc([0, 1], [0.1, 0.4], max_fpr=wrong)


def test_scores_that_only_rank_are_refused_where_probabilities_are_needed() -> None:
    truth, scores = [0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8]
    needing = set()
    for record in adjudge.list_indices("classification"):
        if isinstance(record, ForecastIndex) and record.needs_probabilities:
            needing.add(record.name)
            with pytest.raises(InputError, match=f"^{record.name} needs probabilities: scores= only rank"):
                record(truth, scores=scores)
        elif isinstance(record, ForecastIndex):
            assert isinstance(record(truth, scores=scores), float)
    assert {"log_loss", "brier_score", "expected_calibration_error"} <= needing
    assert not needing & {"roc_auc", "average_precision", "gini"}
