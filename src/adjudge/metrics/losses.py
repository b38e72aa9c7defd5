"""scikit-learn's functions for forecast probabilities, on the statistics of adjudge."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats
from adjudge.errors import InputError
from adjudge.indices import probabilities as by_losses
from adjudge.metrics.checks import UnusualInputError, are_plain_scores, drop_in
from adjudge.metrics.scores import coded_truth, outcomes_of
from adjudge.metrics.targets import plain_weight
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import ProbabilityLosses

__all__ = ["brier_score_loss", "calibration_curve", "d2_brier_score", "d2_log_loss_score", "log_loss"]

_HOME = "sklearn.metrics._classification"


def _refuse_indicators(y_true: Any, labels: Any) -> None:
    """Leave indicators, of which a row may set several or none, to scikit-learn; they have no classes."""
    if np.ndim(y_true) != 2:
        return
    if labels is not None and np.shape(y_true)[1] > 1:
        raise InputError("labels name classes, and y_true has indicators of labels: leave labels out")
    raise UnusualInputError


def _probabilities(y_proba: Any) -> NDArray[Any]:
    """Return probabilities, in single or double precision; rows of several add up to 1."""
    values: NDArray[Any] = np.asarray(y_proba)
    if values.ndim not in (1, 2) or not values.size or values.dtype.kind not in "biuf":
        raise UnusualInputError
    if values.dtype not in (np.float64, np.float32):
        values = values.astype(np.float64)
    if not (values.min() >= 0 and values.max() <= 1):
        raise UnusualInputError
    if values.ndim == 2:
        rounding = 1e-8 + math.sqrt(np.finfo(values.dtype).eps)
        if values.shape[1] < 2 or (np.abs(values.sum(axis=1) - 1) > rounding).any():
            raise UnusualInputError
    return values


def _of_classes(y_true: Any, values: NDArray[Any], sample_weight: Any, labels: Any) -> ProbabilityForecasts:
    """Return the probabilities of all classes; a vector is for the second of two."""
    n = values.shape[0]
    weight = _as_floats(plain_weight(sample_weight, n))
    codes, classes = coded_truth(y_true, n, labels)
    if not 1 < len(classes) == (values.shape[1] if values.ndim == 2 else 2):
        raise UnusualInputError
    return ProbabilityForecasts(classes, codes, values, weight, len(classes) - 1)


def _as_floats(weight: NDArray[Any] | None) -> Floats | None:
    return None if weight is None else np.ascontiguousarray(weight, np.float64)


def _of_positive(
    y_true: Any, values: NDArray[Any], sample_weight: Any, pos_label: Any
) -> ProbabilityForecasts:
    """Return the probabilities of the positive of two classes."""
    if sample_weight is None and are_plain_scores(y_true, values, pos_label):
        outcomes, weight = y_true == 1, None
    else:
        weight = _as_floats(plain_weight(sample_weight, values.size))
        outcomes = outcomes_of(y_true, values.size, pos_label)
    return ProbabilityForecasts((False, True), outcomes.astype(np.int64), values, weight, 1)


def _clipped(forecasts: ProbabilityForecasts) -> ProbabilityForecasts:
    """Clip probabilities away from 0 and 1, by the precision in which they are given."""
    eps = np.finfo(forecasts.values.dtype).eps
    return replace(forecasts, values=np.clip(forecasts.values, eps, 1 - eps))


def _losses_of_logs(
    y_true: Any, y_proba: Any, sample_weight: Any, labels: Any, y_pred: Any
) -> ProbabilityLosses:
    _refuse_indicators(y_true, labels)
    if not (isinstance(y_pred, str) and y_pred == "deprecated"):
        raise UnusualInputError
    values = _probabilities(y_proba)
    return ProbabilityLosses.make(_clipped(_of_classes(y_true, values, sample_weight, labels)))


@drop_in(_HOME)
def log_loss(
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:
    """Mean, or sum, of -log of the probability of the true class; probabilities are clipped away from 0.

    >>> round(log_loss(["ham", "spam", "spam"], [0.1, 0.8, 0.5]), 6)
    0.34055
    """
    losses = _losses_of_logs(y_true, y_proba, sample_weight, labels, y_pred)
    return by_losses.log_loss.of(losses) if normalize else losses.log_loss


@drop_in(_HOME)
def d2_log_loss_score(
    y_true: Any,
    y_proba: Any = None,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:
    """Share by which the log loss is lower than that of forecasting the classes' frequencies.

    >>> round(d2_log_loss_score([0, 1, 1], [0.1, 0.8, 0.5]), 6)
    0.464976
    """
    losses = _losses_of_logs(y_true, y_proba, sample_weight, labels, y_pred)
    return _or_theirs(by_losses.d2_log_loss.of(losses))


def _or_theirs(value: float) -> float:
    """Return a value that is defined."""
    if math.isnan(value):
        raise UnusualInputError
    return value


def _losses_of_squares(
    y_true: Any, y_proba: Any, sample_weight: Any, pos_label: Any, labels: Any
) -> tuple[ProbabilityLosses, int]:
    """Return the losses, and the number of classes."""
    _refuse_indicators(y_true, labels)
    values = _probabilities(y_proba)
    if values.ndim == 1:
        forecasts = _of_positive(y_true, values, sample_weight, pos_label)
    else:
        forecasts = _of_classes(y_true, values, sample_weight, labels)
    return ProbabilityLosses.make(forecasts), forecasts.k


@drop_in(_HOME)
def brier_score_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    scale_by_half: Any = "auto",
) -> float:
    """Mean squared distance between forecast and outcome.

    >>> round(brier_score_loss([0, 1, 1], [0.1, 0.8, 0.5]), 6)
    0.1
    """
    losses, k = _losses_of_squares(y_true, y_proba, sample_weight, pos_label, labels)
    # For two classes, the score is that of the second alone: half of the sum.
    value = by_losses.brier_score.of(losses)
    halved = k < 3 if scale_by_half == "auto" else bool(scale_by_half)
    if halved == (k < 3):
        return value
    return value / 2 if halved else value * 2


@drop_in(_HOME)
def d2_brier_score(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Share by which the Brier score is lower than that of forecasting the classes' frequencies.

    >>> round(d2_brier_score([0, 1, 1], [0.1, 0.8, 0.5]), 6)
    0.55
    """
    losses, _ = _losses_of_squares(y_true, y_proba, sample_weight, pos_label, labels)
    return _or_theirs(by_losses.brier_skill_score.of(losses))


@drop_in("sklearn.calibration")
def calibration_curve(
    y_true: Any, y_prob: Any, *, pos_label: Any = None, n_bins: int = 5, strategy: str = "uniform"
) -> tuple[Floats, Floats]:
    """Share of positives, and mean forecast, in each bin of forecasts.

    >>> prob_true, prob_pred = calibration_curve([0, 0, 1, 1], [0.1, 0.3, 0.7, 0.9], n_bins=2)
    >>> prob_true, prob_pred
    (array([0., 1.]), array([0.2, 0.8]))
    """
    if not are_plain_scores(y_true, y_prob, pos_label) or y_prob.min() < 0 or y_prob.max() > 1:
        raise UnusualInputError
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "quantile":
        edges = np.percentile(y_prob, edges * 100)
    places = np.searchsorted(edges[1:-1], y_prob)
    counts = np.bincount(places, minlength=n_bins)
    filled = counts > 0
    true_sums, sums = (
        np.bincount(places, weights=weights, minlength=n_bins) for weights in (y_true == 1, y_prob)
    )
    return true_sums[filled] / counts[filled], sums[filled] / counts[filled]
