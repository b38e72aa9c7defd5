"""Losses of probabilities, by instance and in total."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.kernels.elementary import logarithms
from adjudge.kernels.scores import brier_rows, log_rows
from adjudge.parallel import WORTH_A_THREAD, in_threads, n_cores, spans
from adjudge.statistics.forecasts import ProbabilityForecasts, read_forecasts


@dataclass(frozen=True, eq=False)
class ProbabilityLosses:
    """Sums of two losses of a classifier's probabilities. Sums over disjoint instances add up with ``+``.

    Make one with :meth:`from_labels`; :func:`~adjudge.evaluate` and the indices of losses take it in place of labels.

    Attributes
    ----------
    log_loss : float
        Sum of -log of the probability of the true class; infinite if one is 0.
    brier : float
        Sum of squared differences between forecasts and outcomes: with two classes for the second, else over all.
    sizes : ndarray of shape (C,)
        Instances of each class, or their weight.
    classes : sequence of length C
    impossible : int
        Instances whose true class had probability 0.
    first_impossible : int or None
        Input row of the first of them; None in a sum, which has several inputs.

    Examples
    --------
    >>> from adjudge import evaluate
    >>> from adjudge.statistics import ProbabilityLosses
    >>> classes = ["no", "yes"]
    >>> first = ProbabilityLosses.from_labels(["no", "no"], [0.2, 0.1], classes=classes)
    >>> second = ProbabilityLosses.from_labels(["yes"], [0.7], classes=classes)
    >>> found = evaluate(first + second)
    >>> found.n, round(found["log_loss"], 4), round(found["brier_score"], 4)
    (3, 0.2284, 0.0467)
    """

    made_from: ClassVar[tuple[type, ...]] = (ProbabilityForecasts,)

    log_loss: float
    brier: float
    sizes: NDArray[Any]
    classes: Sequence[Any]
    impossible: int = 0
    first_impossible: int | None = None

    @classmethod
    def from_labels(
        cls,
        labels_true: Any,
        probabilities: Any,
        *,
        classes: Sequence[Any] | None = None,
        positive: Any = None,
        sample_weight: Any = None,
        missing: str = "raise",
    ) -> ProbabilityLosses:
        """Sum the losses of some instances.

        Parameters
        ----------
        labels_true, probabilities, classes, positive, sample_weight, missing
            As for :func:`adjudge.statistics.read_forecasts`. A batch may lack some of the classes if `classes`, or the
            columns of a data frame, name all of them.
        """
        found = read_forecasts(
            labels_true,
            probabilities,
            classes=classes,
            positive=positive,
            sample_weight=sample_weight,
            missing=missing,
        )
        assert isinstance(found, ProbabilityForecasts)
        return cls.make(found)

    @classmethod
    def make(cls, forecasts: ProbabilityForecasts) -> ProbabilityLosses:
        """Sum the losses of all instances."""
        logs, squares = log_loss_of_each(forecasts), brier_of_each(forecasts)
        if forecasts.weights is not None:
            # Instances with weight 0 do not contribute, even if their loss is infinite.
            logs = np.where(forecasts.weights > 0, logs, 0.0)
        lost = np.isinf(logs)
        first = forecasts.row(int(np.argmax(lost))) if lost.any() else None
        if forecasts.weights is not None:
            logs, squares = logs * forecasts.weights, squares * forecasts.weights
        return cls(
            float(logs.sum()),
            float(squares.sum()),
            forecasts.sizes,
            forecasts.classes,
            int(np.count_nonzero(lost)),
            first,
        )

    @property
    def total(self) -> Any:
        """Number of instances, or their weight."""
        return self.sizes.sum().item()

    def __add__(self, other: ProbabilityLosses) -> ProbabilityLosses:
        if not isinstance(other, ProbabilityLosses):
            return NotImplemented
        places = {label: i for i, label in enumerate(other.classes)}
        if len(places) != len(self.classes) or not all(label in places for label in self.classes):
            raise InputError(
                "losses over different classes cannot be added: name all of them in each batch with ",
                Option("classes"),
            )
        return ProbabilityLosses(
            self.log_loss + other.log_loss,
            self.brier + other.brier,
            self.sizes + other.sizes[[places[label] for label in self.classes]],
            self.classes,
            self.impossible + other.impossible,
        )


def log_loss_of_each(forecasts: ProbabilityForecasts) -> Floats:
    """Return -log of the probability of the true class; infinite if it is 0."""
    if forecasts.values.ndim == 2:
        return -logarithms(forecasts.of_truth)
    return _row_by_row(log_rows, forecasts)


def brier_of_each(forecasts: ProbabilityForecasts) -> Floats:
    """Return the squared difference between forecast and outcome: with two classes for the second, else over all."""
    if forecasts.k == 2:
        off = forecasts.column(1).astype(np.float64, copy=False) - (forecasts.codes == 1)
        return np.asarray(off * off)
    return _row_by_row(brier_rows, forecasts)


def log_loss_if(shares: Floats) -> Floats:
    """Return the log loss if the class with each probability were true; at most the largest that a float can give."""
    return np.asarray(-logarithms(np.maximum(shares, np.finfo(np.float64).tiny)))


def brier_if(shares: Floats) -> Floats:
    """Return the Brier score of each instance if each class were true.

    Parameters
    ----------
    shares : ndarray of shape (m, C)
        Probabilities.
    """
    if shares.shape[1] == 2:
        return np.asarray((1 - shares) ** 2)
    return np.asarray((shares**2).sum(axis=1, keepdims=True) - 2 * shares + 1)


def _row_by_row(kernel: Callable[..., None], forecasts: ProbabilityForecasts) -> Floats:
    """Compute one value per instance, in threads."""
    rows = np.empty(forecasts.n)
    values, codes = np.ascontiguousarray(forecasts.values), np.ascontiguousarray(forecasts.codes)
    # Fewer rows are worth a thread if there are many classes.
    parts = max(1, min(n_cores(), values.size // WORTH_A_THREAD))
    in_threads(lambda part: kernel(values[part], codes[part], rows[part]), spans(forecasts.n, parts))
    return rows
