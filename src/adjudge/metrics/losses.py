"""scikit-learn's functions for forecast probabilities, on the statistics of adjudge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints
from adjudge.callers import warn_caller
from adjudge.errors import InputError
from adjudge.indices import probabilities as by_losses
from adjudge.metrics.checks import are_plain_scores, coded, drop_in, installed_before
from adjudge.metrics.classes import warn_undefined
from adjudge.metrics.quick_labels import in_plain_text, is_plain
from adjudge.metrics.targets import checked_weight
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import ProbabilityLosses

__all__ = ["brier_score_loss", "calibration_curve", "d2_brier_score", "d2_log_loss_score", "log_loss"]

_HOME = "sklearn.metrics._classification"


def _probabilities(y_proba: Any) -> NDArray[Any]:
    """Check that probabilities are finite numbers, in single or double precision."""
    known = (np.float64, np.float32)
    is_array = type(y_proba) is np.ndarray and y_proba.dtype in known and y_proba.ndim in (1, 2)
    if is_array and y_proba.size and np.isfinite(y_proba.sum(dtype=np.float64)):
        return np.asarray(y_proba)
    from sklearn.utils import check_array

    found: NDArray[Any] = check_array(y_proba, ensure_2d=False, dtype=[np.float64, np.float32])
    return found


def _check_range(values: NDArray[Any], below: str) -> None:
    high, low = values.max(), values.min()
    if high > 1:
        raise ValueError(f"y_prob contains values greater than 1: {high}")
    if low < 0:
        raise ValueError(f"y_prob contains values {below} than 0: {low}")


def _sum_to_1(values: NDArray[Any]) -> bool:
    eps = float(np.finfo(values.dtype).eps)
    return bool((np.abs(values.sum(axis=1) - 1) <= 1e-8 + math.sqrt(eps)).all())


def _warn_of_sums(values: NDArray[Any]) -> None:
    """Warn if rows do not sum to 1."""
    if not _sum_to_1(values):
        warn_caller("The y_prob values do not sum to one. Make sure to pass probabilities.")


def _of_classes(y_true: Any, values: NDArray[Any], sample_weight: Any, labels: Any) -> ProbabilityForecasts:
    """Check the probabilities of all classes; a vector is for the second of two."""
    from sklearn.utils import check_consistent_length

    _check_range(values, "lower")
    check_consistent_length(values, y_true, sample_weight)
    weight = checked_weight(sample_weight, values)
    codes, classes = _codes(y_true, labels)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 2:
        _warn_of_sums(values)
    n_columns = values.shape[1] if values.ndim == 2 else 2
    if len(classes) != n_columns:
        known = np.asarray(classes)
        if labels is None:
            raise ValueError(
                f"y_true and y_prob contain different number of classes: {len(classes)} vs {n_columns}. Please "
                "provide the true labels explicitly through the labels argument. Classes found in y_true: "
                f"{known}"
            )
        raise ValueError(
            "The number of classes in labels is different from that in y_prob. Classes found in labels: "
            f"{known}"
        )
    return ProbabilityForecasts(classes, codes, values, _as_floats(weight), len(classes) - 1)


@dataclass(frozen=True)
class _Indicated:
    """Forecasts for indicators, of which a row may set several or none.

    Their losses are not those of classes: adjudge's own losses need one class per instance.
    """

    outcomes: Floats
    values: NDArray[Any]
    weight: Floats | None

    @classmethod
    def of(cls, y_true: Any, y_proba: Any, sample_weight: Any, labels: Any) -> _Indicated | None:
        """Check indicators and their probabilities; None if the truth is a vector."""
        if np.ndim(y_true) != 2 or np.shape(y_true)[1] == 1:
            return None
        from sklearn.preprocessing import LabelBinarizer
        from sklearn.utils import check_consistent_length

        values = _probabilities(y_proba)
        if values.ndim != 2:
            return None
        _check_range(values, "lower")
        check_consistent_length(values, y_true, sample_weight)
        if labels is not None:
            raise InputError("labels name classes, and y_true has indicators of labels: leave labels out")
        _warn_of_sums(values)
        outcomes = LabelBinarizer().fit(y_true).transform(y_true)
        if outcomes.shape[1] != values.shape[1]:
            raise ValueError(
                "y_true and y_prob contain different number of classes: "
                f"{outcomes.shape[1]} vs {values.shape[1]}. Please provide the true labels explicitly through the "
                f"labels argument. Classes found in y_true: {np.arange(outcomes.shape[1])}"
            )
        weight = _as_floats(checked_weight(sample_weight, values))
        return cls(np.asarray(outcomes, np.float64), values, weight)

    @classmethod
    def of_two_columns(cls, forecasts: ProbabilityForecasts) -> _Indicated | None:
        """Keep both columns of two classes if they do not sum to 1, so that neither gives the other; else None."""
        values = forecasts.values
        if values.ndim == 1 or values.shape[1] != 2 or _sum_to_1(values):
            return None
        return cls(np.eye(2)[forecasts.codes], values, forecasts.weights)

    @property
    def frequencies(self) -> _Indicated:
        """Forecasts that are the frequency of each label."""
        shares = np.average(self.outcomes, axis=0, weights=self.weight)
        return _Indicated(self.outcomes, np.tile(shares, (self.outcomes.shape[0], 1)), self.weight)

    def log_loss(self, normalize: bool = True) -> float:
        """Return the mean or sum over the rows of -log of the probabilities of all labels that are set."""
        eps = np.finfo(self.values.dtype).eps
        losses = -(self.outcomes * np.log(np.clip(self.values, eps, 1 - eps))).sum(axis=1)
        if normalize:
            return float(np.average(losses, weights=self.weight))
        return float(losses.sum() if self.weight is None else losses @ self.weight)

    def brier(self) -> float:
        """Return the mean over the rows of the squared distance between forecast and outcome."""
        return float(np.average(((self.outcomes - self.values) ** 2).sum(axis=1), weights=self.weight))


def _as_floats(weight: NDArray[Any] | None) -> Floats | None:
    return None if weight is None else np.ascontiguousarray(weight, np.float64)


def _codes(y_true: Any, labels: Any) -> tuple[Ints, Any]:
    """Return the codes of the truth, and the classes: those given, or else those that occur."""
    true = _vector(y_true)
    if labels is None:
        codes, classes = coded(true).dense()
        if len(classes) == 1:
            raise ValueError(
                f"y_true contains only one label ({np.asarray(true)[0]}). Please provide the list of all expected "
                "class labels explicitly through the labels argument."
            )
        return codes, np.unique(true) if len(classes) < 100 else classes
    given = np.asarray(labels)
    known = np.unique(given)
    if not np.array_equal(known, given):
        warn_caller(
            f"Labels passed were {labels}. But this function assumes labels are ordered lexicographically. "
            f"Pass the ordered labels={known.tolist()} and ensure that the columns of y_prob correspond to this "
            "ordering.",
        )
    undeclared = set(true.tolist()) - set(known.tolist())
    if undeclared:
        raise ValueError(f"y_true contains values {undeclared} not belonging to the passed labels {labels}.")
    if known.size == 1:
        raise ValueError(f"The labels array needs to contain at least two labels, got {known}.")
    return np.searchsorted(known, true).astype(np.int64), known


def _vector(y_true: Any) -> NDArray[Any]:
    if is_plain(y_true):
        vector: NDArray[Any] = y_true
        return vector
    from sklearn.preprocessing import LabelBinarizer
    from sklearn.utils import column_or_1d

    y_true = in_plain_text(y_true)
    LabelBinarizer().fit(y_true)
    checked: NDArray[Any] = column_or_1d(y_true)
    return checked


def _clipped(forecasts: ProbabilityForecasts) -> ProbabilityForecasts:
    """Clip probabilities away from 0 and 1, by the precision in which they are given."""
    eps = np.finfo(forecasts.values.dtype).eps
    values = np.clip(forecasts.values, eps, 1 - eps)
    return ProbabilityForecasts(
        forecasts.classes, forecasts.codes, values, forecasts.weights, forecasts.positive
    )


def _renamed(y_proba: Any, y_pred: Any) -> Any:
    if isinstance(y_pred, str) and y_pred == "deprecated":
        return y_proba
    if y_proba is not None:
        raise ValueError(
            "Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` instead."
        )
    if installed_before("1.9"):
        return y_pred
    warn_caller(
        "`y_pred` was renamed to `y_proba` in version 1.9 and will be removed in 1.11. Use `y_proba` instead.",
        FutureWarning,
    )
    return y_pred


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
    y_proba = _renamed(y_proba, y_pred)
    indicated = _Indicated.of(y_true, y_proba, sample_weight, labels)
    if indicated is not None:
        return indicated.log_loss(normalize)
    values = _probabilities(y_proba)
    losses = ProbabilityLosses.make(_clipped(_of_classes(y_true, values, sample_weight, labels)))
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
    y_proba = _renamed(y_proba, y_pred)
    if _too_few(y_true, y_proba, sample_weight):
        return math.nan
    indicated = _Indicated.of(y_true, y_proba, sample_weight, labels)
    if indicated is not None:
        return 1 - indicated.log_loss() / indicated.frequencies.log_loss()
    forecasts = _clipped(_of_classes(y_true, _probabilities(y_proba), sample_weight, labels))
    losses = ProbabilityLosses.make(forecasts)
    value = by_losses.d2_log_loss.of(losses)
    if math.isnan(value):
        # One class: its frequency of 1 is clipped too, and still has a loss.
        return float(1 - losses.log_loss / (losses.total * -math.log1p(-float(np.finfo(np.float64).eps))))
    return value


def _too_few(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    from sklearn.utils import check_consistent_length
    from sklearn.utils.validation import _num_samples

    check_consistent_length(y_proba, y_true, sample_weight)
    if _num_samples(y_proba) >= 2:
        return False
    warn_undefined("D^2 score is not well-defined with less than two samples.")
    return True


def _of_one_class(
    y_true: Any, values: NDArray[Any], sample_weight: Any, pos_label: Any
) -> ProbabilityForecasts:
    """Check the probabilities of the positive of two classes."""
    if sample_weight is None and are_plain_scores(y_true, values, pos_label):
        _check_range(values, "less")
        return ProbabilityForecasts((False, True), (y_true == 1).astype(np.int64), values, None, 1)
    from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
    from sklearn.utils.multiclass import type_of_target
    from sklearn.utils.validation import _check_pos_label_consistency

    true, values = column_or_1d(in_plain_text(y_true)), column_or_1d(values)
    assert_all_finite(true)
    check_consistent_length(values, true, sample_weight)
    weight = checked_weight(sample_weight, values)
    kind = type_of_target(true, input_name="y_true")
    if kind != "binary":
        raise ValueError(
            f"The type of the target inferred from y_true is {kind} but should be binary according to the shape of "
            "y_prob."
        )
    _check_range(values, "less")
    try:
        pos_label = _check_pos_label_consistency(pos_label, true)
    except ValueError:
        if true.dtype.kind in "OUS":
            raise
        pos_label = true.max()
    positive = np.asarray(true == pos_label).astype(np.int64)
    return ProbabilityForecasts((False, True), positive, values, _as_floats(weight), 1)


def _forecasts(
    y_true: Any, y_proba: Any, sample_weight: Any, pos_label: Any, labels: Any
) -> ProbabilityForecasts:
    values = _probabilities(y_proba)
    if values.ndim == 1 or values.shape[1] == 1:
        return _of_one_class(y_true, values, sample_weight, pos_label)
    return _of_classes(y_true, values, sample_weight, labels)


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
    indicated = _Indicated.of(y_true, y_proba, sample_weight, labels)
    if indicated is None:
        forecasts = _forecasts(y_true, y_proba, sample_weight, pos_label, labels)
        indicated = _Indicated.of_two_columns(forecasts)
    if indicated is not None:
        halve = indicated.values.shape[1] < 3 if scale_by_half == "auto" else scale_by_half
        return indicated.brier() / (2 if halve else 1)
    # For two classes, the score is that of the second alone: half of the sum.
    value = by_losses.brier_score.of(ProbabilityLosses.make(forecasts))
    halved = forecasts.k < 3 if scale_by_half == "auto" else bool(scale_by_half)
    if halved == (forecasts.k < 3):
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
    if _too_few(y_true, y_proba, sample_weight):
        return math.nan
    indicated = _Indicated.of(y_true, y_proba, sample_weight, labels)
    if indicated is None:
        forecasts = _forecasts(y_true, y_proba, sample_weight, pos_label, labels)
        indicated = _Indicated.of_two_columns(forecasts)
    if indicated is not None:
        return 1 - indicated.brier() / indicated.frequencies.brier()
    losses = ProbabilityLosses.make(forecasts)
    value = by_losses.brier_skill_score.of(losses)
    return -math.inf if math.isnan(value) and losses.brier > 0 else value


@drop_in("sklearn.calibration")
def calibration_curve(
    y_true: Any, y_prob: Any, *, pos_label: Any = None, n_bins: int = 5, strategy: str = "uniform"
) -> tuple[Floats, Floats]:
    """Share of positives, and mean forecast, in each bin of forecasts.

    >>> prob_true, prob_pred = calibration_curve([0, 0, 1, 1], [0.1, 0.3, 0.7, 0.9], n_bins=2)
    >>> prob_true, prob_pred
    (array([0., 1.]), array([0.2, 0.8]))
    """
    positive, forecasts = _positive_and_forecasts(y_true, y_prob, pos_label)
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "quantile":
        edges = np.percentile(forecasts, edges * 100)
    places = np.searchsorted(edges[1:-1], forecasts)
    counts = np.bincount(places, minlength=n_bins)
    filled = counts > 0
    true_sums, sums = (
        np.bincount(places, weights=weights, minlength=n_bins) for weights in (positive, forecasts)
    )
    return true_sums[filled] / counts[filled], sums[filled] / counts[filled]


def _positive_and_forecasts(y_true: Any, y_prob: Any, pos_label: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Check a binary truth and the probabilities of its positive class."""
    if are_plain_scores(y_true, y_prob, pos_label):
        positive, forecasts = y_true == 1, y_prob
    else:
        from sklearn.utils import check_consistent_length, column_or_1d
        from sklearn.utils.validation import _check_pos_label_consistency

        true, forecasts = column_or_1d(y_true), column_or_1d(y_prob)
        check_consistent_length(true, forecasts)
        pos_label = _check_pos_label_consistency(pos_label, true)
        labels = np.unique(true)
        if len(labels) > 2:
            raise ValueError(f"Only binary classification is supported. Provided labels {labels}.")
        positive = true == pos_label
    if forecasts.min() < 0 or forecasts.max() > 1:
        raise ValueError("y_prob has values outside [0, 1].")
    return positive, forecasts
